"""The end of a process in which XLA still compiles: a signal has ended the call, and XLA can not be stopped."""

from __future__ import annotations

import atexit
import ctypes
import functools


def abandon(*used: object) -> None:
    """Let what XLA reads, and its client, live for ever, and the process not wait for its threads."""
    for thing in used:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    _leave_at_once()


@functools.cache
def _leave_at_once() -> None:
    """Once the interpreter has ended, end the process with its own status, before the libraries take themselves apart.

    They would do so under the feet of the threads that compile. Where the C library can not do this, as it does on
    Linux, the process ends when they have.
    """
    library = ctypes.CDLL(None)
    try:
        on_exit, leave = library.on_exit, library._exit
    except AttributeError:
        return
    atexit.register(library.fflush, None)
    on_exit(ctypes.cast(leave, ctypes.c_void_p), None)
