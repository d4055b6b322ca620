"""`jitclass` and `structref`."""

from __future__ import annotations

from anabranch.compat.numba import structref as structref
from anabranch.runtime.compat.jitclasses import jitclass as jitclass
