"""Arrays of records, and single records: one traced array for each field, all on the memory of the caller's array."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import registry, wrap
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.attributes import WithFields
from anabranch.runtime.values.host_types import times
from anabranch.runtime.values.host_types.host_type import HostStructure, HostTyped
from anabranch.runtime.values.tracer import INPLACE, Tracer

_F = registry.FUNCTIONS


@frozen
class RecordType:
    """The dtype of records, and whether fields are attributes, too, as those of `numpy.recarray` are."""

    dtype: np.dtype
    has_attributes: bool = False


class _Fields(HostTyped, WithFields):
    """The base of arrays of records and of records: their fields by name."""

    def __init__(self, fields: Mapping[str, Value], kind: RecordType) -> None:
        self._fields, self._kind = dict(fields), kind

    @property
    def dtype(self) -> np.dtype:
        return self._kind.dtype

    def _refusal(self, what: str) -> UnsupportedOperationError:
        return UnsupportedOperationError(
            f"{what} of an array of records is not supported in compiled code; compute with its fields, x['name']"
        )

    def __anabranch_has_field__(self, name: str) -> bool:
        return self._kind.has_attributes and name in self._fields

    def _field(self, name: str) -> Value:
        if name not in self._fields:
            raise _no_field(self, name)
        return self._fields[name]

    def _shown(self, name: str) -> Value:
        """The field as an object of its own."""
        field = self._field(name)
        return field.viewed() if isinstance(field, TracedArray) else field

    def __getattr__(self, name: str) -> Any:
        if name in vars(self).get("_fields", ()) and vars(self)["_kind"].has_attributes:
            return self._shown(name)
        if name.startswith("_"):
            raise AttributeError(f"{'recarray' if self.shape else 'record'} has no attribute {name}")
        sample = self.__anabranch_sample__()
        if hasattr(sample, name):
            raise self._refusal(f"the attribute {name}")
        getattr(sample, name)  # raises what NumPy does
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Value) -> None:
        if name in ("_fields", "_kind"):
            object.__setattr__(self, name, value)
        elif self._kind.has_attributes and name in self._fields:
            self[name] = value
        else:
            raise self._refusal(f"setting the attribute {name}")

    def __eq__(self, other: object) -> Any:
        raise self._refusal("the comparison")

    __ne__ = __eq__

    def __hash__(self) -> int:
        raise self._refusal("the hash")

    def __bool__(self) -> bool:
        raise self._refusal("the truth")

    def __anabranch_structure__(self) -> RecordStructure:
        return RecordStructure(type(self), tuple(self._fields), self._kind)


def _refused(symbol: str) -> Callable[..., Any]:
    def refuse(self: _Fields, _: object) -> None:
        raise self._refusal(f"the operator {symbol}")

    return refuse


for _name in INPLACE:
    for _prefix in ("", "r", "i"):
        setattr(_Fields, f"__{_prefix}{_name}__", _refused(_name))


def _no_field(owner: _Fields, name: str) -> Exception:
    try:
        owner.__anabranch_sample__()[name]  # type: ignore[index]
    except (ValueError, KeyError, IndexError) as error:
        return error
    return owner._refusal(f"the field {name}")


class TracedRecords(_Fields):
    """An array of records."""

    def __anabranch_sample__(self) -> object:
        made = np.zeros((1,) * self.ndim, self.dtype)
        return made.view(np.recarray) if self._kind.has_attributes else made

    @property
    def shape(self) -> tuple[Value, ...]:
        name, field = next(iter(self._fields.items()))
        return tuple(field.shape[: field.ndim - len(self.dtype[name].shape)])

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Value:
        return functools.reduce(operator.mul, self.shape, 1)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Value:
        return self.size * self.itemsize

    @property
    def _item_count(self) -> Value:
        return self.shape[0] if self.shape else None

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return operator.index(self.shape[0])

    def __iter__(self) -> Iterator[Value]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Value) -> Value:
        if isinstance(key, str):
            return self._shown(key)
        if isinstance(key, list) and key and all(isinstance(k, str) for k in key):
            return TracedRecords(
                {k: self._field(k) for k in key}, RecordType(self.dtype[key], self._kind.has_attributes)
            )
        if self._is_of_one(key):
            return self._record(key)
        return TracedRecords({name: f[self._key(name, key)] for name, f in self._fields.items()}, self._kind)

    def _record(self, key: Value) -> TracedRecord:
        """The record at a place, on the memory of the array."""
        place = (*_as_tuple(key), Ellipsis)
        fields = {n: f._record(key) if isinstance(f, TracedRecords) else f[place] for n, f in self._fields.items()}
        return TracedRecord(fields, self._kind)

    def _is_of_one(self, key: Value) -> bool:
        """Return whether a key is that of one record."""
        name, field = next(iter(self._fields.items()))
        if isinstance(field, TracedRecords):
            return field._is_of_one(key)
        if self.dtype[name].shape:
            places = _as_tuple(key)
            return len(places) == self.ndim and all(map(_is_number, places))
        part = field[key]
        return isinstance(part, (NumPyScalar, np.generic)) or (isinstance(part, times.TracedTimes) and part._is_scalar)

    def __setitem__(self, key: Value, value: Value) -> None:
        if isinstance(key, str):
            self._field(key)[...] = value
            return
        for name, part in _parts(self, value).items():
            self._fields[name][self._key(name, key)] = part

    def _key(self, name: str, key: Value) -> Value:
        """The key of records as that of a field, which may have axes of its own."""
        parts, own = _as_tuple(key), len(self.dtype[name].shape)
        return (*parts, *[slice(None)] * own) if own and any(p is Ellipsis for p in parts) else key

    def copy(self, order: Value = "C") -> TracedRecords:
        """As `ndarray.copy`."""
        del order
        return TracedRecords({name: field.copy() for name, field in self._fields.items()}, self._kind)

    __copy__ = copy

    @property
    def _functions(self) -> Mapping[Any, Callable[..., Any]]:
        return _FUNCTIONS


def _is_number(place: Value) -> bool:
    return isinstance(place, (int, np.integer)) or (isinstance(place, Tracer) and not wrap.shape_of(place))


def _as_tuple(key: Value) -> tuple[Value, ...]:
    return key if isinstance(key, tuple) else (key,)


class TracedRecord(_Fields):
    """One record: `numpy.void`, on the memory of the array that it is an element of."""

    def __anabranch_sample__(self) -> object:
        made = np.zeros(1, self.dtype)
        return made.view(np.recarray)[0] if self._kind.has_attributes else made[0]

    shape, ndim, size = (), 0, 1

    def __getitem__(self, key: Value) -> Value:
        name = self.dtype.names[key] if isinstance(key, int) and not isinstance(key, bool) else key  # type: ignore[index]
        if not isinstance(name, str):
            raise self._refusal("such an index")
        return self._shown(name)

    def _shown(self, name: str) -> Value:
        field = self._field(name)
        return field if isinstance(field, TracedRecord) or self.dtype[name].shape else field[()]

    def __setitem__(self, key: Value, value: Value) -> None:
        name = self.dtype.names[key] if isinstance(key, int) and not isinstance(key, bool) else key  # type: ignore[index]
        if not isinstance(name, str):
            raise self._refusal("such an index")
        self._field(name)[...] = value

    def __len__(self) -> int:
        return len(self._fields)

    def __iter__(self) -> Iterator[Value]:
        return (self[name] for name in self._fields)

    def copy(self) -> TracedRecord:
        """As `numpy.void.copy`."""
        return TracedRecord({name: field.copy() for name, field in self._fields.items()}, self._kind)

    __copy__ = copy

    def item(self) -> tuple[Value, ...]:
        """As `numpy.void.item`: the fields as Python's numbers."""
        if any(self.dtype[name].shape for name in self._fields):
            raise self._refusal("item() with fields that are arrays")
        return tuple(self[name].item() for name in self._fields)


def _parts(records: TracedRecords, value: Value) -> dict[str, Value]:
    """The values of the fields that are assigned to records."""
    names = list(records._fields)
    if isinstance(value, np.void) or (isinstance(value, np.ndarray) and value.dtype.names):
        return {name: value[other] for name, other in zip(names, _same_count(names, value.dtype.names), strict=True)}
    if isinstance(value, _Fields):
        found = {}
        for name, other in zip(names, _same_count(names, value._fields), strict=True):
            field = value._fields[other]
            found[name] = field if isinstance(field, HostTyped) else _F[np.array](field)
        return found
    if isinstance(value, tuple):
        return dict(zip(names, _same_count(names, value), strict=True))
    raise records._refusal("an assignment of other things than records and tuples")


def _same_count(names: Sequence[str], given: Any) -> list[Any]:
    if len(given) != len(names):
        raise ValueError(
            f"could not assign tuple of length {len(given)} to structure with {len(names)} fields."
            if isinstance(given, tuple)
            else "structures must have the same size"
        )
    return list(given)


@frozen
class RecordStructure(HostStructure):
    """That of records, with their `RecordType`."""

    def children(self, value: Value) -> list[Value]:
        if isinstance(value, _Fields):
            return list(value._fields.values())
        return [np.ndarray.__getitem__(value, name).view(np.ndarray) for name in self.keys]

    def build(self, children: Sequence[Value]) -> Value:
        return self.cls(dict(zip(self.keys, children, strict=True)), self.extra)

    def on_host(self, children: Sequence[Any], members: Sequence[object]) -> Value:
        whole = _whole(children, self.keys, self.extra.dtype)
        if self.extra.has_attributes:
            whole = whole.view(np.recarray)
        return whole[()] if self.cls is TracedRecord else whole


def _whole(parts: Sequence[np.ndarray], names: Sequence[str], dtype: np.dtype) -> np.ndarray:
    """The array that these are the fields of: the memory that they are views of, or new memory."""
    arrays = [np.asarray(part) for part in parts]
    depth = arrays[0].ndim - len(dtype[names[0]].shape)
    shape = arrays[0].shape[:depth]
    fields: Mapping[str, Any] = dtype.fields or {}
    places = {a.__array_interface__["data"][0] - fields[n][1] for a, n in zip(arrays, names, strict=True)}
    strides = {a.strides[:depth] for a in arrays}
    if len(places) == len(strides) == 1 and all(a.base is not None for a in arrays) and arrays[0].size:
        (place,), (steps,) = places, strides
        return np.asarray(_Memory(place, shape, steps, dtype, arrays)).view(dtype)
    made = np.empty(shape, dtype)
    for name, array in zip(names, arrays, strict=True):
        made[name] = array
    return made


class _Memory:
    """Memory at an address, kept by the arrays that are views of it, as NumPy asks for it."""

    def __init__(
        self,
        place: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: np.dtype,
        owners: Sequence[np.ndarray],
    ) -> None:
        self.owners = owners
        writeable = all(a.flags.writeable for a in owners)
        self.__array_interface__ = {
            "data": (place, not writeable),
            "shape": shape,
            "strides": strides,
            "typestr": f"|V{dtype.itemsize}",
            "version": 3,
        }


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.copy: lambda a: a.copy(),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
}


def zeros(shape: Value, dtype: np.dtype) -> TracedRecords:
    """An array of records of zeros."""
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    fields: dict[str, Value] = {}
    for name in dtype.names or ():
        inner = dtype[name]
        if inner.names:
            fields[name] = zeros(sizes, inner)
        elif inner.base.kind in "Mm":
            fields[name] = times.TracedTimes(_F[np.zeros]((*sizes, *inner.shape), np.int64), inner.base)
        else:
            fields[name] = _F[np.zeros]((*sizes, *inner.shape), inner.base)
    return TracedRecords(fields, RecordType(dtype))
