"""Items one by one from code that pushes them: pull iteration, in a thread that runs only while it is asked."""

from __future__ import annotations

import contextvars
import queue
import threading
import types
from collections.abc import Callable, Generator
from typing import Any, NoReturn

from anabranch.base.signals import check
from anabranch.base.value import Value
from anabranch.runtime.control.try_ import reconstructed
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import Builder, current, tracing
from anabranch.runtime.values.heap.container_slots import Slot

THREAD = "anabranch generator"


class Pushing:
    """The function that takes the items of code that pushes them; `sent` is what was sent in for the last one."""

    def __init__(self, builder: Builder | None, code: types.CodeType | None) -> None:
        self.sent: Any = None
        self.asked: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.given: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._builder, self._code = builder, code
        self.step = object()  # another one after each item

    def __anabranch_slot__(self) -> Slot:
        return _PushedSlot(self)

    def refuse(self) -> NoReturn:
        """Raise the error for items that may not be pushed, or would be pushed again."""
        instead = "use a for statement over it"
        if self._code is None:
            instead += ", or define the generator function outside of the compiled one"
        else:
            current().trace.wanted_resumable.add(self._code)
        raise ConcretizationError(
            "whether a generator yields is known only at run time, but its items are asked for one by one (by "
            f"next, zip, list, or code that is not compiled); {instead}"
        )

    def __call__(self, item: object) -> bool:
        check()
        if self._builder is not None and current() is not self._builder:
            self.refuse()
        self.step = object()
        self.given.put(("item", item))
        kind, value = self.asked.get()
        if kind == "close":
            raise _ClosedError
        if kind == "throw":
            raise value
        self.sent = value
        return False


class _PushedSlot(Slot):
    """The items that were pushed: who has got them does not give them back."""

    __slots__ = ()

    def contents(self) -> tuple[Value, ...]:
        return (self.target.step,)

    def restore(self, contents: Value) -> None:
        self.target.refuse()


class _ClosedError(BaseException):
    """Unwinds code whose items nobody wants any more."""


def pulled(push: Callable[[Pushing], Value], code: types.CodeType | None = None) -> Generator[Value, Value, Value]:
    """The items that `push` gives to the function it is called with, each computed when it is asked for.

    What `push` returns is the generator's value; `code` is that of the user's generator function. Raises
    `ConcretizationError` where an item is pushed under a run-time condition.
    """
    consume = Pushing(current() if tracing() else None, code)

    def run() -> None:
        try:
            result = push(consume)
        except _ClosedError:
            consume.given.put(("closed", None))
        except BaseException as error:
            consume.given.put(("error", error))
        else:
            consume.given.put(("end", result))

    context = contextvars.copy_context()
    return _items(threading.Thread(target=context.run, args=(run,), name=THREAD, daemon=True), consume)


def _items(thread: threading.Thread, consume: Pushing) -> Generator[Value, Value, Value]:
    try:
        thread.start()
        while True:
            kind, value = consume.given.get()
            if kind == "error":
                raise value
            if kind != "item":
                return value
            try:
                sent = yield value
            except GeneratorExit:
                raise
            except BaseException as error:
                consume.asked.put(("throw", error))
            else:
                consume.asked.put(("send", sent))
    finally:
        # For a thread that waits, or will when it has its next item; others do not look.
        consume.asked.put(("close", None))
        if thread.is_alive():
            thread.join()


def asked_at_once(iterator: object, next_item: Callable[..., Value]) -> Value:
    """The next item of an iterator.

    Raises `ConcretizationError` where it is known only at run time that there is one, the second time: the code that
    asks would go on without end. The first time, that which takes the item may lead to another way to trace the
    function.
    """
    trace = current().trace
    before, known = current().read(trace.failures.error_code), len(trace.failures.numbered)
    item = next_item()
    may_end = any(isinstance(reconstructed(failure), StopIteration) for failure in trace.failures.numbered[known:])
    if not may_end or current().read(trace.failures.error_code) is before:
        return item
    if iterator in trace.of_unknown_end:
        raise ConcretizationError(
            "how many items an iterator has is known only at run time, but they are asked for one by one by code "
            "that is not compiled; use a for statement over it, or make a list of it: list(items)"
        )
    trace.of_unknown_end.add(iterator)
    return item
