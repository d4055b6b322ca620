"""Lists whose number is known only at run time, and which may change: their elements lie in one memory."""

from __future__ import annotations
