"""The functions that unions leave to the layers above their class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current, tracing

# The result of `looked_up` where there is no table.
UNKNOWN: Final = object()


@frozen
class UnionOperations:
    """The functions by which unions leave to control flow, and to tables, what their own class cannot do.

    Attributes
    ----------
    decide : callable
        `decide(union, operation)` is the operation on the chosen option, in a branch for each.
    compute : callable
        `compute(function, operands, place)` is a function of numbers of which the one at a place is a union, if it
        cannot fail; `NotImplemented` where it may.
    merge : callable
        `merge(union)` is one array of run-time size for arrays of several sizes; None where there is none.
    look_up : callable
        `look_up(function, *operands)` is the result of a function without effects, from a table; `UNKNOWN` where there
        is none.
    method : callable
        `method(name, union)` is a method of one of a few texts.
    """

    decide: Callable[[Any, Callable[[Any], Any]], Any]
    compute: Callable[[Callable[..., Any], tuple[Any, ...], int], Any]
    merge: Callable[[Any], Any]
    look_up: Callable[..., Any]
    method: Callable[[str, Any], Any]


def operations() -> UnionOperations:
    """The operations on unions that the trace was given."""
    given: UnionOperations = current().trace.outside.union_operations
    return given


def looked_up(function: Callable[..., object], *operands: object) -> Value:
    """Return the result of a function without effects, from a table; `UNKNOWN` where there is none."""
    return operations().look_up(function, *operands) if tracing() else UNKNOWN
