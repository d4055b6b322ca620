"""Names that may be unset."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.base.value import Value
from anabranch.runtime.values.undefined import Undefined as Undefined
from anabranch.runtime.values.union import UnionValue


def defined(value: object) -> Value:
    """The value of a name that may be unset.

    Raises `UnboundLocalError` where the name is unset: at once, or at run time when that depends on run-time
    conditions.
    """
    return _set(value, Undefined.error)


def enclosed(value: object) -> Value:
    """The value of a name of a function around, as `defined` gives that of a function's own; raises `NameError`."""
    return _set(value, Undefined.error_in_closure)


def _set(value: object, error: Callable[[Undefined], NameError]) -> Value:
    if isinstance(value, Undefined):
        value.read = True
        raise error(value)
    return value.without_undefined(error) if isinstance(value, UnionValue) else value
