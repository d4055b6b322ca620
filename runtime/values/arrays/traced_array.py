"""Traced ndarrays: mutable handles on a storage, or on a view of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import ImmutableArrayError, UnsupportedOperationError
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.storage import ElsewhereStorage, OfLibrary, OnDevice, Part, Storage
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays import assigned_values, indexing, numpy_messages
from anabranch.runtime.values.arrays.numpy_scalar import NumPyLike
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.heap import try_regions
from anabranch.runtime.values.memory import aliasing, memory_layout, views
from anabranch.runtime.values.memory.handle import Handle
from anabranch.runtime.values.tracer import INPLACE, Tracer
from anabranch.runtime.values.union import UnionValue

# The elements of longer vectors are asked for by parts of these.
_FEW = 16


class TracedArray(Handle, NumPyLike):
    """A traced ndarray."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @shape.setter
    def shape(self, shape: Value) -> None:
        reshaped = self.reshape(shape)
        if reshaped.shape == self._shape:
            return
        is_chosen = isinstance(self.storage, ElsewhereStorage) or self in current().trace.identity.chosen
        if current().parent is not None or current().trace.failures.regions or is_chosen:
            raise UnsupportedOperationError(
                "setting an array's shape under a run-time condition, in a loop or in a try statement, or that of an "
                "array which a run-time condition has chosen, is not supported; make a view instead: b = a.reshape(...)"
            )
        if reshaped.storage is not self.storage:
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape."
            )
        self.path, self._shape, self._abstract = reshaped.path, reshaped.shape, None

    @property
    def dtype(self) -> np.dtype:
        dtype = self.storage.type.dtype
        for step in self.path:
            dtype = step.dtype(dtype)
        return dtype

    @dtype.setter
    def dtype(self, value: Value) -> None:
        if np.dtype(value) != self.dtype:
            _refused_setter("dtype")(self, value)

    @property
    def real(self) -> Value:
        """The real part: a view, or the array itself where it is real."""
        return registry.PROPERTIES["real"](self)

    @real.setter
    def real(self, value: Value) -> None:
        self.real.assign(_as_array(value))

    @property
    def imag(self) -> Value:
        """The imaginary part: a view."""
        return registry.PROPERTIES["imag"](self)

    @imag.setter
    def imag(self, value: Value) -> None:
        if self.dtype.kind != "c":
            raise TypeError(_NO_IMAGINARY_PART)
        self.imag.assign(_as_array(value))

    def set(self, value: Atom) -> None:
        """Write a value of exactly this shape and dtype; in a try statement, where nothing has failed before."""
        expect_writable(self)
        fine = try_regions.nothing_failed()
        self.overwrite(value if fine is None else atoms.select(fine, value, self.atom))

    def overwrite(self, value: Atom) -> None:
        """Make this the value, even of what is read-only or after a failure."""
        aliasing.write(current(), self.storage, self.path, value)

    def assign(self, value: object) -> None:
        """`a[...] = value`: cast (unsafe, as NumPy's assignment does) and broadcast."""
        expect_writable(self)
        value = wrap.numpy_operand(assigned_values.element(value, self.dtype))
        if wrap.is_dynamic_array(value):
            value = broadcasting.fitted(value, self)
        atom = wrap.as_atom(value, self.dtype)
        source = atom.type.shape
        while len(source) > len(self._shape) and source[0] == 1:
            source = source[1:]
        self.set(atoms.broadcast_to(atoms.reshape(atom, source), self._shape))

    def viewed(self, *steps: views.ViewStep, readonly: bool = False) -> TracedArray:
        """Return another handle on the same memory, as a view is another object."""
        view = TracedArray(self.storage, self.path + steps, self.readonly or readonly)
        view.is_view = True
        return view

    def __copy__(self) -> Value:
        return wrap.array_of(self.atom)

    def __getitem__(self, key: Value) -> Value:
        try:
            return indexing.get(self, key)
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, np.ndarray.__getitem__, self, key)
            raise

    def __setitem__(self, key: Value, value: Value) -> None:
        if isinstance(self.storage.readonly, OnDevice):
            raise _read_only(self.storage)  # whatever else is wrong with it
        if isinstance(value, UnionValue) and value.has_several_dtypes:
            number = value.cast(self.dtype)
            if number is None:
                value.through(lambda one: self.__setitem__(key, one))
                return
            value = number
        expect_writable(self)  # before it is asked whether the key, and the value, are any
        try:
            indexing.set(self, key, value)
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, np.ndarray.__setitem__, self, key, value)
            raise

    def __delitem__(self, key: object) -> None:
        raise ValueError("cannot delete array elements")

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __iter__(self) -> Iterator[Value]:
        if not self._shape:
            raise TypeError("iteration over a 0-d array")
        if tracing():
            current().trace.lists.demand_growth_for(self._shape[0])
        many = len(self._shape) == 1 and self._shape[0] > _FEW and not self.path
        return map(self._element, range(self._shape[0])) if many else (self[i] for i in range(self._shape[0]))

    def _element(self, place: int) -> Value:
        """An element of a vector as it is now, which takes no equation until it is computed with."""
        atom = self.atom
        return wrap.numpy_result(Part(ArrayType((), atom.type.dtype), atom, place))

    def inplace(self, ufunc: np.ufunc, other: object) -> TracedArray:
        """`a += b` and its kin: NumPy's loop, its `same_kind` cast back, written into this memory."""
        if isinstance(other, UnionValue) and other.has_several_dtypes:
            other.through(lambda one: self.inplace(ufunc, one))
            return self
        if wrap.is_dynamic_array(other):
            apply_ufunc.check_output(ufunc, (self, other), self.dtype)
        try:
            other = wrap.numpy_operand(other)
            if wrap.is_dynamic_array(other):
                other = broadcasting.fitted(other, self, broadcasting.in_place)
            (result,) = apply_ufunc.apply_atoms(ufunc, (self, other), output=self.dtype)
            if result.type.shape != self._shape:
                raise ValueError(f"{ufunc.__name__}: the result has shape {result.type.shape}, not {self._shape}")
            self.set(atoms.convert(result, self.dtype))
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, ufunc, self, other, out=self)
            raise
        return self

    def __imatmul__(self, other: object) -> TracedArray:
        check_matmul_in_place(self, other)
        try:
            registry.FUNCTIONS[np.matmul](self, other, out=self)
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, np.ndarray.__imatmul__, self, other)
            raise
        return self


def check_matmul_in_place(array: Tracer, other: Any) -> None:
    """Raise what NumPy does where `array @= other` is of a vector, though there is a product."""
    if array.abstract.shape and np.ndim(other) == 1:
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one and the second at least two "
            "dimensions."
        )


def _words_for_no_imaginary_part() -> str:
    """NumPy's words where the imaginary part of a real array is set, which are not the same in all its releases."""
    try:
        np.zeros(1).imag = 1
    except TypeError as error:
        return str(error)
    return ""


_NO_IMAGINARY_PART = _words_for_no_imaginary_part()


def expect_writable(array: TracedArray, words: str = "assignment destination is read-only") -> None:
    """Raise what NumPy does where an array is read-only."""
    if array.storage.readonly == memory_layout.UNDECIDED:
        raise UnsupportedOperationError(
            "this array is read-only or not, depending on a run-time condition; write to a copy of it"
        )
    if array.is_readonly:
        raise _read_only(array.storage, words)


def _read_only(storage: Storage, words: str = "") -> Exception:
    if isinstance(storage.readonly, OnDevice):
        return ImmutableArrayError(
            f"an anabranch.Array never changes, and {storage.readonly} is one; write into a copy of it (`a = a.copy()` "
            "before the write), or pass an ndarray"
        )
    if isinstance(storage.readonly, OfLibrary):
        return UnsupportedOperationError(
            f"{storage.readonly} is written to, which would change more in eager code; write to a copy"
        )
    return ValueError(words)


def _as_array(value: object) -> Value:
    """A complex number as NumPy's, of which a part may be dropped; other values as they are."""
    if type(value) is complex:
        return np.complex128(value)
    is_complex = isinstance(value, Tracer) and value.abstract.dtype.kind == "c"
    return wrap.numpy_result(wrap.as_atom(value)) if is_complex else value


def _inplace_method(ufunc: np.ufunc) -> Callable[[TracedArray, Any], TracedArray]:
    return lambda self, other: self.inplace(ufunc, other)


for _name, _ufunc in INPLACE.items():
    setattr(TracedArray, f"__i{_name}__", _inplace_method(_ufunc))


def _attribute(name: str, setter: Callable[[Any, Any], None]) -> property:
    """An attribute that is read by the rules of its name, or as every array's, and set by this function."""
    known = getattr(NumPyLike, name, None)
    return property(known.fget if known is not None else lambda self: NumPyLike.__getattr__(self, name), setter)


def _refused_setter(name: str) -> Callable[[TracedArray, Any], None]:
    def refuse(_: TracedArray, value: Value) -> None:
        raise UnsupportedOperationError(
            f"numpy.ndarray.{name} is set, which compiled code cannot do, since an array has no memory while tracing; "
            "make a new array or a view instead (astype, view, reshape)"
        )

    return refuse


def _fixed(name: str) -> Callable[[TracedArray, Any], None]:
    def refuse(_: TracedArray, value: Value) -> None:
        raise AttributeError(f"attribute '{name}' of 'numpy.ndarray' objects is not writable")

    return refuse


def _set_flat(array: TracedArray, value: object) -> None:
    """`a.flat = value`: all elements in C order, from those of the value over and over."""
    registry.FUNCTIONS[np.put](array, np.arange(array.size), value)


for _name in ("strides", "data"):
    setattr(TracedArray, _name, _attribute(_name, _refused_setter(_name)))
for _name in ("size", "ndim", "nbytes", "itemsize", "T", "mT", "base", "ctypes", "flags", "device"):
    setattr(TracedArray, _name, _attribute(_name, _fixed(_name)))
setattr(TracedArray, "flat", _attribute("flat", _set_flat))  # noqa: B010 - a type checker would look for it in the class

# Messages of Python's name the class: `'numpy.ndarray' object is not callable`.
TracedArray.__name__ = "numpy.ndarray"
