"""The attributes of what a stand-in stands for: those that Python's or NumPy's object has, or the user's own.

A stand-in has attributes of its own beside those. Rewritten code asks for an attribute whose name is one of these
here (`transpile/hidden_attributes.py`), and so do `getattr`, `hasattr` and their kin.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.source_frames import internal

# By the identity of a class: what makes an object of the kind that an instance stands for; None for one of several.
_samples: dict[int, Callable[[Any], Any] | None] = {}
_classes = _samples.keys()


def register(cls: type, sample: Callable[[Any], object] | None) -> None:
    """Make instances of `cls` stand-ins; `sample(value)` is an object with the attributes of what one stands for.

    Without a `sample`, a stand-in is one of several objects: `__anabranch_read__(name)` returns an attribute of it, and
    `__anabranch_each__(operation)` changes it.
    """
    _samples[id(cls)] = sample
    if sample is not None and issubclass(cls, Bare):
        cls.__name__ = type(sample(None)).__name__  # which Python's messages name


def is_stand_in(value: object) -> bool:
    """Return whether a value stands for an object that has other attributes."""
    return not _classes.isdisjoint(map(id, type(value).__mro__))


def read(value: Value, name: str) -> Value:
    """`value.name`."""
    sample = _sample(value)
    if sample is _NONE:
        return getattr(value, name)
    if sample is _SEVERAL:
        return value.__anabranch_read__(name)
    return getattr(value if _shows(sample, name) else sample, name)


def write(value: Value, name: str, new: Value) -> None:
    """`value.name = new`."""
    sample = _sample(value)
    if sample is _SEVERAL:
        value.__anabranch_each__(lambda v: write(v, name, new))
    else:
        setattr(
            value if sample is _NONE or (_shows(sample, name) and not isinstance(value, Bare)) else sample, name, new
        )


def delete(value: Value, name: str) -> None:
    """`del value.name`."""
    sample = _sample(value)
    if sample is _SEVERAL:
        value.__anabranch_each__(lambda v: delete(v, name))
    else:
        delattr(value if sample is _NONE or _shows(sample, name) else sample, name)


def has(value: object, name: str) -> bool:
    """`hasattr(value, name)`, of one object."""
    sample = _sample(value)
    return hasattr(value if sample is _NONE else sample, name)


def names(value: object) -> list[str]:
    """`dir(value)`, of one object."""
    sample = _sample(value)
    return dir(value if sample is _NONE else sample)


def _sample(value: object) -> Value:
    for cls in type(value).__mro__:
        if id(cls) in _samples:
            make = _samples[id(cls)]
            return _SEVERAL if make is None else make(value)
    return _NONE


_NONE, _SEVERAL = object(), object()


def _shows(sample: object, name: str) -> bool:
    """Return whether the instances of a built-in class have an attribute."""
    cls = type(sample)
    if cls not in _names:
        _names[cls] = frozenset(dir(cls))
    return name in _names[cls]


_names: dict[type, frozenset[str]] = {}


def class_of(value: object) -> type:
    """The class of what a stand-in stands for; of any other value its own."""
    sample = _sample(value)
    return type(value if sample is _NONE or sample is _SEVERAL else sample)


_NAMES = ("__name__", "__qualname__")


class Bare:
    """A stand-in that has no other attributes for the user's code than what it stands for.

    For names that it has itself rewritten code asks `Attributes`; others come here.
    """

    def __getattr__(self, name: str) -> Any:
        sample = _sample(self)
        is_asked = name in _NAMES and not internal(sys._getframe(1).f_code.co_filename)
        if hasattr(sample, name) and (is_asked or not name.startswith("__")):
            raise UnsupportedOperationError(
                f"{name} of a {type(sample).__name__} is not supported in compiled code; go over it with a loop, or "
                "ask for single items with next()"
            )
        raise AttributeError(f"'{type(sample).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: object) -> None:
        if internal(sys._getframe(1).f_code.co_filename):
            object.__setattr__(self, name, value)
        else:
            setattr(_sample(self), name, value)  # raises what Python does

    def __delattr__(self, name: str) -> None:
        delattr(_sample(self), name)  # raises what Python does


class Attributes:
    """Return the object that shows a user's code the attributes of what a stand-in stands for, and no others."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        _VALUE.__set__(self, value)

    def __getattribute__(self, name: str) -> Any:
        return read(_VALUE.__get__(self), name)

    def __setattr__(self, name: str, new: object) -> None:
        write(_VALUE.__get__(self), name, new)

    def __delattr__(self, name: str) -> None:
        delete(_VALUE.__get__(self), name)


_VALUE: types.MemberDescriptorType = vars(Attributes)["value"]
