"""Locks that a forked process finds free: the threads of its parent that held them are not there."""

from __future__ import annotations

import os
import threading
import weakref

_locks: weakref.WeakSet[threading.RLock] = weakref.WeakSet()


def lock() -> threading.RLock:
    """A new lock, which the thread that holds it may take again."""
    made = threading.RLock()
    _locks.add(made)
    return made


def _free_all() -> None:
    for held in _locks:
        held._at_fork_reinit()  # type: ignore[attr-defined] # as the standard library does with its own


os.register_at_fork(after_in_child=_free_all)
