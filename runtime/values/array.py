"""Traced ndarrays: mutable handles on a storage, or on a view of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.runtime.errors import ImmutableArrayError
from anabranch.runtime.ir import Atom
from anabranch.runtime.trace import OnDevice, Storage, current
from anabranch.runtime.values import aliasing, arithmetic, atoms, dispatch, indexing, regions, views, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.scalar import NumPyLike
from anabranch.runtime.values.traced import INPLACE


class Array(NumPyLike):
    """A traced ndarray.

    Two handles with the same storage share memory, as two ndarrays that are views of one buffer do: a write through one
    is seen by the other. `b = a` is the same handle; `a[1:3]` is a new handle on the same storage with a longer path.
    """

    __slots__ = ("_shape", "path", "readonly", "storage")

    def __init__(self, storage: Storage, path: views.Path = (), readonly: bool = False) -> None:
        self.storage = storage
        self.path = path
        self.readonly = readonly
        shape = storage.type.shape
        for step in path:
            shape = step.shape(shape)
        self._shape = shape

    @property
    def abstract(self) -> Abstract:
        return Abstract(self._shape, self.dtype, Kind.ARRAY)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        reshaped = self.reshape(shape)
        if reshaped.storage is not self.storage:
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."
            )
        self.path, self._shape = reshaped.path, reshaped.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype = self.storage.type.dtype
        if dtype.kind == "c" and any(isinstance(s, views.ComplexPart) for s in self.path):
            return np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
        return dtype

    @property
    def real(self) -> Any:
        """The real part: a view, or the array itself where it is real."""
        return dispatch.PROPERTIES["real"](self)

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Any:
        """The imaginary part: a view."""
        return dispatch.PROPERTIES["imag"](self)

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = value

    @property
    def atom(self) -> Atom:
        """The current value."""
        return views.read(current().read(self.storage), self.path)

    def set(self, value: Atom) -> None:
        """Write a value of exactly this shape and dtype; in a try statement, where nothing has failed before."""
        if self.readonly or self.storage.readonly:
            raise _read_only(self.storage)
        fine = regions.unhindered()
        self.overwrite(value if fine is None else atoms.select(fine, value, self.atom))

    def overwrite(self, value: Atom) -> None:
        """Make this the value, even of what is read-only or after a failure."""
        builder = current()
        whole = views.write(builder.read(self.storage), self.path, value) if self.path else value
        aliasing.write(builder, self.storage, whole)

    def assign(self, value: Any) -> None:
        """`a[...] = value`: cast (unsafe, as NumPy's assignment does) and broadcast."""
        atom = wrap.as_atom(wrap.numpy_operand(value), self.dtype)
        source = atom.type.shape
        while len(source) > len(self._shape) and source[0] == 1:
            source = source[1:]
        self.set(atoms.broadcast_to(atoms.reshape(atom, source), self._shape))

    def viewed(self, *steps: views.Step, readonly: bool = False) -> Array:
        """Another handle on the same memory."""
        return Array(self.storage, self.path + steps, self.readonly or readonly)

    def __copy__(self) -> Any:
        return wrap.array_of(self.atom)

    def __getitem__(self, key: Any) -> Any:
        return indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        indexing.set(self, key, value)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self._shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self._shape[0]))

    def inplace(self, ufunc: np.ufunc, other: Any) -> Array:
        """`a += b` and its kin: NumPy's loop, its `same_kind` cast back, written into this memory."""
        operands = (self, wrap.numpy_operand(other))
        (result,) = arithmetic.apply_atoms(ufunc, operands)
        if not np.can_cast(result.type.dtype, self.dtype, "same_kind"):
            raise _casting_error(ufunc, result.type.dtype, self.dtype)
        if result.type.shape != self._shape:
            names = (_text(self._shape), _text(wrap.shape_of(operands[1])), _text(result.type.shape))
            raise ValueError(
                f"non-broadcastable output operand with shape {names[0]} doesn't match the broadcast shape {names[2]}"
            )
        self.set(atoms.convert(result, self.dtype))
        return self

    def __imatmul__(self, other: Any) -> Array:
        self.assign(self @ other)
        return self


def _text(shape: tuple[int, ...]) -> str:
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _read_only(storage: Storage) -> Exception:
    if isinstance(storage.readonly, OnDevice):
        return ImmutableArrayError(
            f"an anabranch.Array never changes, and {storage.readonly} is one; write into a copy of it (`a = a.copy()` "
            "before the write), or pass an ndarray"
        )
    return ValueError("assignment destination is read-only")


def _casting_error(ufunc: np.ufunc, source: np.dtype[Any], target: np.dtype[Any]) -> Exception:
    """The very exception NumPy raises."""
    try:
        np.add(np.zeros(1, source), np.zeros(1, source), out=np.zeros(1, target), casting="same_kind")
    except TypeError as error:
        message = str(error).replace("'add'", f"'{ufunc.__name__}'")
        kind = type(error)
        try:
            return kind(ufunc, "same_kind", source, target, 0)
        except TypeError:
            return TypeError(message)
    return TypeError(f"Cannot cast ufunc '{ufunc.__name__}' output from {source!r} to {target!r}")


def _inplace_method(ufunc: np.ufunc) -> Any:
    return lambda self, other: self.inplace(ufunc, other)


for _name, _ufunc in INPLACE.items():
    setattr(Array, f"__i{_name}__", _inplace_method(_ufunc))

wrap.register_class("array", Array)
