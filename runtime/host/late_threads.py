"""Threads that have not begun when the loop is done that they were made for: they are joined later."""

from __future__ import annotations

import atexit
import ctypes
import os
import weakref
from collections.abc import Iterator
from typing import Any

# The name of the table of such threads, which is one for the process, and of the function that joins them all.
TABLE, SETTLE = "late_threads", "settle_threads"
MOST_LATE = 64
_table = (ctypes.c_int64 * (1 + 2 * MOST_LATE))()
_kept: weakref.WeakSet[KeptCode] = weakref.WeakSet()


def symbols_in(llvm: str) -> Iterator[tuple[str, int]]:
    """The name of the table and its address, where a module has it."""
    if has_threads(llvm):
        yield TABLE, ctypes.addressof(_table)


def has_threads(llvm: str) -> bool:
    """Return whether code makes threads."""
    return f"@{TABLE} =" in llvm


class KeptCode:
    """What keeps machine code in memory, until none of the threads has still to run in it.

    Parameters
    ----------
    library
        What keeps it otherwise.
    settle
        The address of its function that joins them.
    """

    def __init__(self, library: Any, settle: int) -> None:
        # At the end of the process modules are emptied before their objects end.
        self._library, self._settle, self._table = library, ctypes.CFUNCTYPE(None)(settle), _table
        _kept.add(self)

    def settle(self) -> None:
        """Join all threads that were left behind."""
        if self._table[0]:
            self._settle()

    def __del__(self) -> None:
        self.settle()


def _at_exit() -> None:
    for code in list(_kept)[:1]:
        code.settle()


def _in_child() -> None:
    """Forget the threads, which a forked process has not."""
    ctypes.memset(_table, 0, ctypes.sizeof(_table))


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
