"""Numba's types of values, run-time values among them, and the classes that these types are instances of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ufuncs.number_types import NAMES, ArrayType, NumberType, Signature, Type, type_of
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.tracer import Tracer


@frozen
class TupleType(Type):
    """The type of a tuple."""

    types: tuple[Type, ...]

    @property
    def count(self) -> int:
        """How many items there are."""
        return len(self.types)

    @property
    def dtype(self) -> Type:
        """The type of all items of a tuple of the same."""
        return self.types[0]

    def __len__(self) -> int:
        return len(self.types)

    def __iter__(self) -> Any:
        return iter(self.types)

    def __getitem__(self, index: Any) -> Any:
        return self.types[index]


@frozen
class TextType(Type):
    """The type of a text that is known while a function is compiled."""

    literal_value: str


@frozen
class CalledType(Type):
    """The type of a function that is an argument."""

    signature: Signature


def value_type(value: Value) -> Type:
    """The type of a value in a function that is compiled, or outside of one."""
    if value is None:
        return NAMES["none"]
    if isinstance(value, tuple):
        types = tuple(map(value_type, value))
        return TupleType(f"Tuple({', '.join(map(str, types))})", types)
    if isinstance(value, str):
        return TextType(f"Literal[str]({value})", value)
    if isinstance(value, Tracer) and not wrap.is_dynamic_array(value):
        abstract = value.abstract
        return _of(abstract.dtype, abstract.shape if abstract.kind is Kind.ARRAY else (), "C")
    if isinstance(value, (np.ndarray, Tracer)) or wrap.is_dynamic_array(value):
        flags = value.flags if isinstance(value, np.ndarray) else None
        order = "C" if flags is None or flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return _of(value.dtype, value.shape, order)
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return type_of(np.asarray(value).dtype)
    return Type(type(value).__name__)


def _of(dtype: np.dtype, shape: tuple[Any, ...], order: str) -> Type:
    found = type_of(dtype)
    if not len(shape):
        return found
    parts = [slice(None)] * len(shape)
    if order != "A":
        parts[-1 if order == "C" else 0] = slice(None, None, 1)
    return found[tuple(parts)]


class Class(type):
    """A class of Numba's types by a rule: what an overload asks of the types of its arguments."""

    holds: Callable[[Any], bool]

    def __instancecheck__(cls, value: object) -> bool:
        return cls.holds(value)


def class_of(name: str, holds: Callable[[Any], bool], make: Callable[..., Any] | None = None) -> Any:
    """The class of the types for which `holds`; calls of it make a type."""
    body: dict[str, Any] = {"holds": staticmethod(holds)}
    if make is not None:
        body["__new__"] = staticmethod(lambda cls, *args, **kwargs: make(*args, **kwargs))
    return Class(name, (), body)


def of_kinds(kinds: str) -> Callable[[Any], bool]:
    """A rule that types of numbers of these kinds of dtypes keep."""
    return lambda value: isinstance(value, NumberType) and value.dtype.kind in kinds


def is_array(value: object) -> bool:
    """Return whether a type is an array's."""
    return isinstance(value, ArrayType)


def is_uniform(value: object) -> bool:
    """Return whether a type is that of a tuple of items of one type."""
    return isinstance(value, TupleType) and len(set(value.types)) == 1
