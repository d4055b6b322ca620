"""Arguments of built-in functions that are one of several values, or known only at run time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values import chosen_containers
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def of_each_list(function: Callable[..., object]) -> Callable[..., Any]:
    """The function, done with each list that the first argument may be, where items are not known while tracing."""

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Value:
        first = args[0] if args else None
        if chosen_containers.is_choice(first):
            return first.through(lambda v: function(v, *args[1:], **kwargs))
        return function(*args, **kwargs)

    return call


def is_traced(value: object) -> bool:
    """Return whether a value as a whole is known only at run time."""
    return isinstance(value, (Tracer, UnionValue))


def plain(value: object) -> Value:
    """The number that one of a few is taken for; one of a few objects, and any other value, as it is."""
    if not isinstance(value, UnionValue):
        return value
    value = value.without_undefined()
    return value.resolve() if isinstance(value, UnionValue) and not value.stays_apart else value
