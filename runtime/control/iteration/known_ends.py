"""Iterators that code which is not compiled asks for one item after the other: it learns at once that there is none."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.base.value import Value
from anabranch.runtime.control.try_ import reconstructed
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current


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
