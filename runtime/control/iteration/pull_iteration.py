"""Items one by one from code that pushes them: pull iteration, in a thread that runs only while it is asked."""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from anabranch.base.signals import check
from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current, tracing

THREAD = "anabranch generator"


class _ClosedError(BaseException):
    """Unwinds code whose items nobody wants any more."""


def pulled(push: Callable[[Callable[[Any], bool]], None]) -> Iterator[Value]:
    """The items that `push` gives to the function it is called with, each computed when it is asked for.

    Raises
    ------
    ConcretizationError
        Where an item is pushed under a run-time condition.
    """
    builder = current() if tracing() else None
    asked: queue.SimpleQueue[bool] = queue.SimpleQueue()
    given: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    def consume(item: object) -> bool:
        check()
        if builder is not None and current() is not builder:
            raise ConcretizationError(
                "whether a generator yields is known only at run time, but its items are asked for one by one (by "
                "next, zip, list, or code that is not compiled); use a for statement over it"
            )
        given.put(("item", item))
        if asked.get():
            raise _ClosedError
        return False

    def run() -> None:
        try:
            push(consume)
        except _ClosedError:
            given.put(("closed", None))
        except BaseException as error:
            given.put(("error", error))
        else:
            given.put(("end", None))

    context = contextvars.copy_context()
    return _items(threading.Thread(target=context.run, args=(run,), name=THREAD, daemon=True), asked, given)


def _items(
    thread: threading.Thread, asked: queue.SimpleQueue[bool], given: queue.SimpleQueue[tuple[str, Any]]
) -> Iterator[Value]:
    try:
        thread.start()
        while True:
            kind, value = given.get()
            if kind == "error":
                raise value
            if kind != "item":
                return
            yield value
            asked.put(False)
    finally:
        asked.put(True)  # for a thread that waits, or will when it has its next item; others do not look
        if thread.is_alive():
            thread.join()
