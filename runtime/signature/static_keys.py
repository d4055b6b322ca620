"""Values that are plain Python while tracing: which are so by themselves, and what tells two of them apart.

A key holds all that a trace can see of a value: `1`, `True` and `1.0` are three values, so are `0.0` and `-0.0`, and a
nan is itself. Arrays and dataclasses go by their contents, functions by their code and what they close over.
"""

from __future__ import annotations

import copy
import dataclasses
import datetime
import decimal
import dis
import enum
import fractions
import functools
import hashlib
import ipaddress
import math
import pathlib
import re
import types
import typing
import uuid
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anabranch.base.by_identity import ByIdentity
from anabranch.base.frozen import frozen
from anabranch.runtime.errors import StaticArgumentError
from anabranch.runtime.host.progress_libraries import is_display
from anabranch.runtime.values.heap.opaque import is_opaque
from anabranch.runtime.values.user_classes import COMPUTED, NETWORKS, attributes

_TYPES = tuple({type(t) for t in (list[int], typing.List[int], int | str, typing.Any, typing.TypeVar("T"))})  # noqa: UP006
_FUNCTIONS = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.MethodWrapperType, functools.partial, type(functools.lru_cache(abs)),
    np.ufunc, type(np.sum),
)  # fmt: skip
_ADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network)
# What nobody can change, or is compared by what it was made of.
_BY_THEMSELVES = (
    str, bytes, type(None), type, types.ModuleType, types.EllipsisType, types.NotImplementedType, range, slice,
    frozenset, np.dtype, np.finfo, np.iinfo, np.datetime64, np.timedelta64, np.character, enum.Enum,
    pathlib.PurePath, decimal.Decimal, fractions.Fraction, datetime.date, datetime.time, datetime.timedelta,
    datetime.tzinfo, re.Pattern, uuid.UUID, *_ADDRESSES, *_FUNCTIONS, *_TYPES,
)  # fmt: skip


@frozen(eq=False)
class Static:
    """A static argument, at its place among the arguments: what tells its value apart, and the value."""

    key: Any
    value: Any


class Shown(str):
    """A text that is shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


class Own:
    """An object with a hash and an `==` of its own, by these."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._hash = hash(value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Own) or type(self.value) is not type(other.value):
            return False
        value = self.value
        try:
            return value is other.value or bool(value == other.value)
        except Exception as error:
            raise StaticArgumentError(
                f"static arguments of class {type(value).__qualname__} cannot be told apart: comparing two of them "
                f"fails with {type(error).__name__}: {error}; give the class an == that answers True or False"
            ) from error

    def __repr__(self) -> str:
        return repr(self.value)


def is_static(value: object) -> bool:
    """Return whether an argument is static by itself: text, None, functions, classes, modules, enums, paths, dates.

    So is a display of progress, which is called when the function runs.
    """
    if isinstance(value, _BY_THEMSELVES) or hasattr(type(value), "n_sequence_fields"):
        return True
    if isinstance(value, (int, float, complex)):
        return type(value) not in (int, float, complex, bool) and not isinstance(value, np.generic)
    return hasattr(type(value), "__anabranch_static__") or is_display(value)


def may_change(value: object) -> bool:
    """Return whether a static value leads to something that may change while its key does not: an object, a class."""
    return not is_static(value) or isinstance(value, (type, tuple, functools.partial))


def key_of(value: object) -> tuple[Any, ...]:
    """Return what tells a static value apart: its type, and its contents or the value itself.

    Raises `TypeError` for what has neither a hash nor contents that are known.
    """
    make = _MAKERS.get(type(value)) or _made_by_class(value)
    return make(value)


def _made_by_class(value: object) -> Callable[[Any], tuple[Any, ...]]:
    for classes, make in _CLASSES:
        if isinstance(value, classes):
            return make
    if isinstance(value, tuple):
        return _record if hasattr(type(value), "n_sequence_fields") else _tuple
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _dataclass
    return _own


def _plain(value: object) -> tuple[Any, ...]:
    return (type(value), value)


def _number(value: object) -> tuple[Any, ...]:
    sign = "-" if type(value) is float and math.isnan(value) and math.copysign(1.0, value) < 0 else ""
    return (type(value), Shown(sign + repr(value)))


def _subclass(value: object) -> tuple[Any, ...]:
    """Of a class derived from a built-in one: as that, and what its attributes are."""
    base = next(c for c in (str, bytes, int, float, complex) if isinstance(value, c))
    built_in = base.__repr__(value)
    return (type(value), Shown(built_in), *_attributes(value))


def _attributes(value: Any) -> Iterator[Any]:
    """The attributes that an instance of a user's subclass was given, as names and keys in turn."""
    for name, part in attributes(value).items():
        if name not in COMPUTED or not isinstance(value, NETWORKS):
            yield name, key_of(part)


def _with_attributes(make: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], tuple[Any, ...]]:
    """The same, and the attributes that an instance of a subclass has."""
    return lambda value: (*make(value), *_attributes(value))


def _shown(value: object) -> tuple[Any, ...]:
    return (type(value), Shown(repr(value)))


def _both(value: Any) -> tuple[Any, ...]:
    """Return both of what may compare equal though it is written in another way, or the other way round."""
    return (type(value), value, Shown(repr(value)))


def _tuple(value: Any) -> tuple[Any, ...]:
    return (type(value), *map(key_of, value), *_attributes(value))


def _record(value: Any) -> tuple[Any, ...]:
    _, (fields, more) = value.__reduce__()[:2]
    return (type(value), fields, *more.items())


def _set(value: Any) -> tuple[Any, ...]:
    return (type(value), frozenset(map(key_of, value)), *_attributes(value))


def _slice(value: slice) -> tuple[Any, ...]:
    return (slice, key_of(value.start), key_of(value.stop), key_of(value.step))


def _range(value: range) -> tuple[Any, ...]:
    return (range, value.start, value.stop, value.step)


def _enum(value: Any) -> tuple[Any, ...]:
    return (type(value), value._name_) if value._name_ is not None else (type(value), value._value_)


def _array(value: np.ndarray) -> tuple[Any, ...]:
    if value.dtype.hasobject:
        raise TypeError("an array of objects")
    digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return (type(value), value.shape, value.dtype, value.strides, digest)


def _numpy_scalar(value: np.generic) -> tuple[Any, ...]:
    if value.dtype.hasobject:
        raise TypeError("a record of objects")
    exact = value.dtype.kind != "V" and value == value  # all but records and nans are what they are shown as
    return _shown(value) if exact else (*_shown(value), value.dtype, value.tobytes())


def _dataclass(value: Any) -> tuple[Any, ...]:
    """By content; where a field has none, by the class's own hash."""
    try:
        return (type(value), *((f.name, key_of(getattr(value, f.name, None))) for f in dataclasses.fields(value)))
    except TypeError:
        if type(value).__hash__ is None:
            raise
        return _own(value)


def _partial(value: functools.partial[Any]) -> tuple[Any, ...]:
    keywords = sorted((name, key_of(part)) for name, part in value.keywords.items())
    return (type(value), key_of(value.func), *map(key_of, value.args), *keywords, *_attributes(value))


def _own(value: object) -> tuple[Any, ...]:
    if is_opaque(value):
        raise TypeError("it changes as it is used")
    return (type(value), Own(value))


# ---- functions -------------------------------------------------------------------------------------------------------


def _function(value: types.FunctionType) -> tuple[Any, ...]:
    """By code, globals, defaults and what is closed over, where that cannot change; else the function itself.

    So a lambda that is written in a call is the same from call to call.
    """
    try:
        return _function_key(value, 8)
    except _ChangingError:
        return (types.FunctionType, value)


class _ChangingError(Exception):
    """A function closes over something that may change."""


def _function_key(value: types.FunctionType, depth: int) -> tuple[Any, ...]:
    code = value.__code__
    if not depth or value.__dict__ or value.__kwdefaults__ or _assigns(code):
        raise _ChangingError
    parts = value.__defaults__ or ()
    for cell in value.__closure__ or ():
        try:
            parts = (*parts, cell.cell_contents)
        except ValueError:
            raise _ChangingError from None
    return (types.FunctionType, code, ByIdentity(value.__globals__), *[_unchanging(p, depth) for p in parts])


def _unchanging(value: object, depth: int) -> tuple[Any, ...]:
    if type(value) is types.FunctionType:
        return _function_key(value, depth - 1)
    if type(value) is tuple:
        return (tuple, *(_unchanging(v, depth) for v in value))
    if type(value) in (str, bytes, int, bool, float, complex, type(None), types.ModuleType):
        return key_of(value)
    raise _ChangingError


_assigning: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()


def _assigns(code: types.CodeType) -> bool:
    """Return whether a function assigns variables that it closes over."""
    known = _assigning.get(code)
    if known is None:
        free = set(code.co_freevars)
        stores = (i for i in dis.get_instructions(code) if i.opname in ("STORE_DEREF", "DELETE_DEREF"))
        inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
        known = _assigning[code] = bool(free) and (any(i.argval in free for i in stores) or any(map(_assigns, inner)))
    return known


_MAKERS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    **dict.fromkeys((str, bytes, int, bool, type(None), type, types.ModuleType), _plain),
    float: _number, complex: _number, tuple: _tuple, frozenset: _set, slice: _slice, range: _range,
    types.FunctionType: _function, np.ndarray: _array,
}  # fmt: skip
_CLASSES: tuple[tuple[Any, Callable[[Any], tuple[Any, ...]]], ...] = (
    (enum.Enum, _enum),
    (np.ndarray, _array),
    (np.generic, _numpy_scalar),
    ((str, bytes, int, float, complex), _subclass),
    (type, _plain),
    (functools.partial, _partial),
    ((decimal.Decimal, fractions.Fraction), _with_attributes(_shown)),
    ((pathlib.PurePath, datetime.date, datetime.time, datetime.timedelta), _with_attributes(_both)),
    ((np.finfo, np.iinfo), _both),
    ((*_ADDRESSES, uuid.UUID), _with_attributes(_own)),
    (frozenset, _set),
)


def frozen_copy(value: object) -> Any:
    """The value to trace with: of what may change after the call, a copy; an array's cannot be written."""
    if isinstance(value, np.ndarray):
        made = value.copy(order="K")
        made.flags.writeable = False
        return made
    if type(value) is tuple:
        return tuple(map(frozen_copy, value))
    try:
        hash(value)
    except TypeError:
        return copy.deepcopy(value)
    return value
