"""The state of a function's looks at signals, and of its calls of functions of Python's."""

from __future__ import annotations

STATE = "{ ptr, i64, i8, ptr }"
"""The thread's state of Python's, or null where its lock is held; the ticks at the last question; whether a handler, or
a function that was called, has raised; and the tuple of these functions."""
TICKS, RAISED, TABLE = 1, 2, 3
"""The places in it."""
