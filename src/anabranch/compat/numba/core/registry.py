"""The class of compiled functions, by the names that Numba has for it."""

from __future__ import annotations

from anabranch.runtime.compat.dispatcher import Dispatcher as Dispatcher

CPUDispatcher = Dispatcher
