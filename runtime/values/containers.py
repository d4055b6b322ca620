"""Containers whose structure is static: tuple, list, dict, namedtuple, dataclass, deque, and plain objects.

An exception is one, too, where run-time values are among its arguments or attributes.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.traced import Traced

_ATOMIC = (
    str, bytes, int, float, complex, bool, type(None), type, types.ModuleType, types.FunctionType, types.MethodType,
    types.BuiltinFunctionType, np.ndarray, np.generic, np.dtype, Traced, slice, range,
)  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Structure:
    """What a container is apart from its parts: its class and its keys (or its length)."""

    cls: type
    keys: tuple[Any, ...]

    @property
    def mutable(self) -> bool:
        """Whether the container has an identity that a write can be seen through."""
        return not issubclass(self.cls, tuple) and not _frozen(self.cls)

    def children(self, value: Any) -> list[Any]:
        """The parts, in the order of the keys."""
        if issubclass(self.cls, dict):
            return [value[k] for k in self.keys]
        if issubclass(self.cls, (tuple, list, collections.deque)):
            return list(value)
        if dataclasses.is_dataclass(self.cls):
            return [getattr(value, k) for k in self.keys]
        return [vars(value)[k] for k in self.keys]

    def build(self, children: Sequence[Any]) -> Any:
        """A new container with these parts."""
        cls = self.cls
        if issubclass(cls, dict):
            return _dict(cls, zip(self.keys, children, strict=True))
        if issubclass(cls, tuple):
            return tuple.__new__(cls, children)
        if issubclass(cls, (list, collections.deque)):
            return cls(children)
        made = _bare(cls)
        for key, child in zip(self.keys, children, strict=True):
            object.__setattr__(made, key, child)
        return made


@dataclasses.dataclass(frozen=True, slots=True)
class ExceptionStructure(Structure):
    """An exception: its arguments, its attributes, and the exceptions that it came from."""

    keys: tuple[Any, ...] = ("args", "__dict__", "__cause__", "__context__", "__suppress_context__")

    def children(self, value: Any) -> list[Any]:
        return [getattr(value, k) for k in self.keys]

    def build(self, children: Sequence[Any]) -> Any:
        args, attributes, cause, context, suppress = children
        made = self.cls.__new__(self.cls, *args)
        # The class's own __init__ has made these arguments of others; the built-in class's sets what C code keeps.
        inits = (vars(c).get("__init__") for c in self.cls.__mro__)
        native = next(i for i in inits if isinstance(i, types.WrapperDescriptorType))
        with contextlib.suppress(Exception):
            native(made, *args)
        made.args = args
        vars(made).update(attributes)
        made.__cause__, made.__context__, made.__suppress_context__ = cause, context, suppress
        return made


def _dict(cls: type, items: Any) -> Any:
    if cls is dict or cls is collections.OrderedDict:
        return cls(items)
    made = _bare(cls)
    made.update(items)
    return made


def _bare(cls: Any) -> Any:
    """An instance without `__init__` having run."""
    return cls.__new__(cls)


def _frozen(cls: type) -> bool:
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and bool(params.frozen)


def structure_of(value: Any) -> Structure | None:
    """The structure of a container; None for anything that is a value of its own."""
    cls = type(value)
    if isinstance(value, (tuple, list, collections.deque)):
        return Structure(cls, tuple(range(len(value))))
    if isinstance(value, dict):
        return Structure(cls, tuple(value)) if type(value) in (dict, collections.OrderedDict) else None
    if isinstance(value, _ATOMIC):
        return None
    if isinstance(value, BaseException):
        exception = ExceptionStructure(cls)
        return exception if any(map(has_traced, exception.children(value))) else None
    if dataclasses.is_dataclass(cls):
        return Structure(cls, tuple(f.name for f in dataclasses.fields(cls) if hasattr(value, f.name)))
    if is_plain_object(value):
        return Structure(cls, tuple(vars(value)))
    return None


def has_traced(value: Any) -> bool:
    """Whether a container holds run-time values, at any depth."""
    if isinstance(value, (Traced, ChoiceValue)):
        return True
    structure = structure_of(value)
    return structure is not None and any(map(has_traced, structure.children(value)))


def is_plain_object(value: Any) -> bool:
    """An instance of an ordinary class written in Python, whose state is its `__dict__`."""
    cls = type(value)
    return (
        is_users_class(cls)
        and isinstance(getattr(value, "__dict__", None), dict)
        and getattr(cls, "__new__", None) is object.__new__
        and not isinstance(value, BaseException)
    )


_SYSTEM = ("builtins", "typing", "abc", "enum", "collections", "functools")


def is_users_class(cls: type) -> bool:
    """Whether a class is written in Python, and not by NumPy, the standard library's own machinery or this project."""
    module = cls.__module__
    if module in _SYSTEM or module.startswith(("numpy", "anabranch.")):
        return False
    private = module.startswith("_") and module != "__main__"
    return not private and bool(cls.__flags__ & 0x200)  # a heap type
