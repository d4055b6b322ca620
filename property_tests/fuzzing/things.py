"""Arguments of compiled functions, for better or worse: the names in which the cases are evaluated."""

from __future__ import annotations

import array
import collections
import contextvars
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import io
import itertools
import math
import operator
import pathlib
import re
import threading
import types
import typing
import uuid
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import anabranch as ab

nan, inf = math.nan, math.inf
OBJECT = object()
Path = pathlib.Path
LOCK = threading.Lock()
VARIABLE = contextvars.ContextVar[int]("variable")
REFERENCE = weakref.ref(LOCK.__class__)
FILE = io.StringIO("text")
as_strided = np.lib.stride_tricks.as_strided
ERROR = ValueError("an argument")
MODULES = (array, collections, datetime, decimal, fractions, functools, itertools, operator, re, types, typing, uuid)


class HostileError(Exception):
    """Raised by what is asked of a hostile object."""


def _fail(*_: Any, **__: Any) -> Any:
    raise HostileError("nothing may be asked of this")


class Hashless:
    __slots__ = ()

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashless)


class Sealed:
    """Has neither a representation, nor equality, nor a truth."""

    __slots__ = ()

    __repr__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __str__ = __format__ = __reduce_ex__ = _fail


class Silent:
    """Raises for each attribute that it does not have."""

    __slots__ = ()

    __getattr__ = _fail


class Everything:
    """Has each attribute."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self


class Liar:
    """Says that it is an array."""

    __slots__ = ()

    __class__ = property(lambda _: np.ndarray)  # type: ignore[assignment]


class LyingInt:
    __slots__ = ()

    __class__ = property(lambda _: int)  # type: ignore[assignment]


class LyingList:
    __slots__ = ()

    __class__ = property(lambda _: list)  # type: ignore[assignment]


class FailingArray:
    __slots__ = ()

    __array__ = _fail


class WrongArray:
    __slots__ = ()

    def __array__(self, *_: Any, **__: Any) -> Any:
        return "no array"


class Interface:
    """Memory by NumPy's protocol, of which the description is wrong."""

    __slots__ = ()

    __array_interface__ = types.MappingProxyType({"shape": (3,), "typestr": "<f8", "version": 3, "data": (0, True)})


class FailingCapsule:
    __slots__ = ()

    __dlpack__ = __dlpack_device__ = _fail


class WrongCapsule:
    __slots__ = ()

    def __dlpack__(self, **_: Any) -> Any:
        return "no capsule"

    def __dlpack_device__(self) -> Any:
        return (1, 0)


class Index:
    __slots__ = ()

    def __index__(self) -> int:
        return 1


class FailingIndex:
    __slots__ = ()

    __index__ = __int__ = __float__ = _fail


class NegativeLength:
    __slots__ = ()

    def __len__(self) -> int:
        return -1  # noqa: PLE0303


# They are like nothing else, so that a run must get the very ones of the other.
SEALED = Sealed()
SILENT = Silent()
EVERYTHING = Everything()
LIAR = Liar()
LYING_INT = LyingInt()
LYING_LIST = LyingList()
FAILING_ARRAY = FailingArray()
WRONG_ARRAY = WrongArray()
INTERFACE = Interface()
FAILING_CAPSULE = FailingCapsule()
WRONG_CAPSULE = WrongCapsule()
INDEX = Index()
FAILING_INDEX = FailingIndex()
NEGATIVE_LENGTH = NegativeLength()
HASHLESS = Hashless()


class Int(int):
    pass


class Float(float):
    pass


class Text(str):
    __slots__ = ()


class List(list):  # type: ignore[type-arg]
    pass


class Dict(dict):  # type: ignore[type-arg]
    pass


class Tuple(tuple):  # type: ignore[type-arg]
    __slots__ = ()


class Missing(dict):  # type: ignore[type-arg]
    def __missing__(self, key: Any) -> Any:
        return key


class Backwards(list):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[Any]:
        return iter(self[::-1])


class Sub(np.ndarray):  # type: ignore[type-arg]
    pass


class Pair(NamedTuple):
    low: Any
    high: Any


@dataclasses.dataclass
class Model:
    weight: Any
    steps: Any = 1


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: Any


@dataclasses.dataclass
class Partial:
    """A field of it may be unset."""

    value: Any = dataclasses.field(init=False)


@dataclasses.dataclass(slots=True)
class Slotted:
    value: Any


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value

    def method(self, x: Any) -> Any:
        return x


class Colour(enum.Enum):
    RED = 1
    GREEN = "green"


class Number(enum.IntEnum):
    ONE = 1


class Flags(enum.Flag):
    A = 1
    B = 2


def plain(x: Any) -> Any:
    return x


def closing(value: Any) -> Any:
    return lambda x: (x, value)


jitted = ab.jit(plain)
compiled = functools.cache(lambda: ab.jit(plain).lower(1.0).compile())


def deleted() -> Any:
    made = ab.asarray(np.ones(3)) + 1
    made.delete()
    return made


def cyclic_list() -> Any:
    made: list[Any] = [1.0]
    made.append(made)
    return made


def cyclic_dict() -> Any:
    made: dict[str, Any] = {"a": 1.0}
    made["self"] = (made,)
    return made


def cyclic_object() -> Any:
    made = Plain(1.0)
    made.value = [made]
    return made


def knot() -> Any:
    a: list[Any] = []
    b = [a, 1.0]
    a.append(b)
    return a


def deep(value: Any, depth: int, kind: Any = list) -> Any:
    for _ in range(depth):
        value = kind([value])
    return value


def shared(value: Any) -> Any:
    return [value, value]


def readonly(value: Any) -> Any:
    value.flags.writeable = False
    return value


def unaligned(dtype: Any) -> Any:
    return np.frombuffer(bytearray(1 + 3 * np.dtype(dtype).itemsize), dtype, offset=1)
