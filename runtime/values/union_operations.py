"""The functions that unions leave to the layers above their class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.upper_layers import UnionOperations

# The result of `looked_up` where there is no table.
UNKNOWN: Final = object()


def operations() -> UnionOperations:
    """The operations on unions that the trace was given."""
    return current().trace.outside.union_operations


def looked_up(function: Callable[..., object], *operands: object) -> Value:
    """Return the result of a function without effects, from a table; `UNKNOWN` where there is none."""
    return operations().look_up(function, *operands) if tracing() else UNKNOWN
