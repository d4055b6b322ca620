"""Runs that a signal may stop: they are a thread's, while the thread of the call answers signals.

A handler that is written in Python runs between the instructions of Python's main thread alone, which a run of XLA's
would keep busy until its end.
"""

from __future__ import annotations

import _thread
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Stopped(BaseException):
    """Ends a run that is to stop, where it calls the host."""


def run_stoppably(run: Callable[[], T], stop: Callable[[], object]) -> T:
    """Return what a run returns, or raise what it raises.

    `stop`: called where a signal's handler raises meanwhile: it lets the run end early, if it can. The end is waited
    for, as the memory of the run's arguments is the caller's, and then what the handler raised is raised.
    """
    if threading.current_thread() is not threading.main_thread():
        return run()
    results: list[T] = []
    failures: list[BaseException] = []
    over = _thread.allocate_lock()
    over.acquire()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            results.append(context.run(run))
        except BaseException as error:
            failures.append(error)
        finally:
            over.release()

    try:
        threading.Thread(target=work, name="anabranch run", daemon=True).start()
    except RuntimeError:  # no more threads can be had, or the interpreter ends
        return run()
    raised: list[BaseException] = []
    while not (results or failures):
        try:
            if raised:
                stop()
            over.acquire()
        except BaseException as error:
            raised.append(error)
    if raised:
        raise raised[0]
    if failures:
        raise failures[0]
    return results[0]
