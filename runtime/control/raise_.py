"""`raise` of an exception, or from a cause, that may be one of several."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values import containers
from anabranch.runtime.values.union import UnionValue


def raised(error: Any, *cause: Any) -> Value:
    """Raise an exception; of several each where it is the one, or each cause. A `raise` before it ends the block."""
    if isinstance(error, UnionValue):
        return error.each(lambda one: raised(one, *cause))
    if cause and isinstance(cause[0], UnionValue):
        made = error() if isinstance(error, type) else error
        return cause[0].each(lambda one: raised(_copied(made), one))
    if cause:
        raise error from cause[0]
    raise error


def _copied(error: Value) -> Value:
    """The exception again, so that each cause is that of one of its own."""
    structure = containers.ExceptionStructure(type(error))
    return structure.build(structure.children(error)) if isinstance(error, BaseException) else error
