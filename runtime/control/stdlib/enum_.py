"""Members of enumerations by values that are known only at run time."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from inspect import getattr_static
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.sequences import keyed_items
from anabranch.runtime.control.sequences.chosen_item import chosen
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import atoms, lazy_text, text_tables
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.pytrees import exceptions
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN


def counterpart(function: object) -> Callable[..., Any] | None:
    """The call of an enumeration; None for all else."""
    # One with a `_missing_` of its own makes of other values what it likes, as flags do.
    if not tracing() or type(function) is not enum.EnumMeta or not function.__members__:
        return None
    if getattr_static(function, "_missing_") is not getattr_static(enum.Enum, "_missing_"):
        return None
    return functools.partial(_member, function)


def _member(cls: enum.EnumMeta, *args: Value, **kwargs: Value) -> Value:
    """`cls(value)`."""
    value = args[0] if len(args) == 1 and not kwargs else None
    if (found := text_tables.look_up(cls, value)) is not UNKNOWN:
        return found
    if isinstance(value, UnionValue):
        return value.each(functools.partial(_member, cls))
    if not isinstance(value, (Tracer, Text)) or isinstance(value, TracedArray):
        return cls(*args, **kwargs)
    members: dict[Value, Value] = dict(cls._value2member_map_)
    place, found = keyed_items.place_of(members, value)
    words = lazy_text.deferred("format", "{!r} is not a valid {}", value, cls.__qualname__)
    exceptions.record(atoms.logical_not(found), ValueError(words), run_time_checks.user_frames())
    return chosen(list(members.values()), place, value)
