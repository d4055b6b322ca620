"""Room on the stack for functions that call themselves, and for Programs in Programs.

A call that a user's function makes of itself takes a few frames of the project's own when it is traced, and each level
of a nested Program some when it is optimised and written down. Python's limit counts them all alike; what it allows of
the user's frames is kept by counting those.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from anabranch.base.fork_locks import lock

resource: Any
try:
    import resource
except ImportError:  # no such limits on this system
    resource = None

_FRAMES = 8  # for one of the user's, on average under conditions known while tracing
# Of the C stack, which calls of Python functions by C code take; they are a part of all calls, measured 0.6 KiB.
_BYTES = 1536
_SMALLEST = 2**20  # that a system gives a thread which nobody has asked how much

_guard = lock()
_users = 0  # how many blocks are in progress
_before = _during = 0


@contextlib.contextmanager
def deep() -> Iterator[None]:
    """Within the block the stack may be some times as deep as Python's limit allows outside."""
    global _users, _before, _during
    with _guard:
        _users += 1
        if _users == 1:
            _before = sys.getrecursionlimit()
            _during = max(_before, min(_FRAMES * _before, _stack() // _BYTES))
            sys.setrecursionlimit(_during)
    try:
        yield
    finally:
        with _guard:
            _users -= 1
            # Somebody else may have set it in the meantime.
            if _users == 0 and sys.getrecursionlimit() == _during:
                sys.setrecursionlimit(_before)


def users_limit() -> int:
    """How deep the user's own calls may be."""
    return _before if _users else sys.getrecursionlimit()


def _stack() -> int:
    """The size of the thread's stack in bytes, or one that is surely there."""
    asked = threading.stack_size()
    if asked and threading.current_thread() is not threading.main_thread():
        return asked
    if resource is None:
        return _SMALLEST
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    # Without a limit the main thread has much, and others two mebibytes.
    return int(soft) if soft != resource.RLIM_INFINITY else 2 * _SMALLEST
