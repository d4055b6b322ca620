"""Numba's `structref`: a class whose objects are fields, which compiled functions read and write as attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class StructRef:
    """The base of the types of such objects; of a type is only its name."""

    def __init__(self, fields: Sequence[tuple[str, Any]] = ()) -> None:
        self.fields = tuple(fields)


class StructRefProxy:
    """The base of the classes of such objects."""


def register(struct_class: type) -> type:
    """The class of a type, as it is."""
    return struct_class


def define_proxy(proxy: Any, struct_class: type, fields: Sequence[str]) -> None:
    """Let the objects of a class have these fields.

    Numba's classes read a field in a property, which calls a compiled function that reads the field: here the field is
    an attribute, and such a property would call itself.
    """
    names = tuple(fields)

    def __init__(self: Any, *values: Any) -> None:  # noqa: N807
        if len(values) != len(names):
            raise TypeError(f"{proxy.__name__}() takes {len(names)} fields, and was given {len(values)}")
        for name, value in zip(names, values, strict=True):
            setattr(self, name, value)

    for name in names:
        if isinstance(vars(proxy).get(name), property):
            delattr(proxy, name)
    proxy.__init__ = __init__


def define_boxing(struct_class: type, proxy: type) -> None:
    """Nothing: the objects are Python's own."""


define_attributes = define_constructor = define_boxing
