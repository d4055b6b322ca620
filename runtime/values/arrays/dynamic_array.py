"""Traced ndarrays whose size is known only at run time: `a[:n]`, `a[mask]`.

A `DynamicArray` is a view of static shape, its capacity, and for each axis the valid region of that axis. Elements
outside of it are unspecified. A function takes one if its rule does (`registry.OF_ANY_SHAPE`); any other
function is refused, since neither shape nor value is known while tracing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.device import array as device
from anabranch.runtime.errors import RunTimeSizeError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.source_frames import Position, place
from anabranch.runtime.values import apply_ufunc, atoms, registry, static_requests, wrap
from anabranch.runtime.values.abstract import Abstract
from anabranch.runtime.values.arrays import assigned_values, indexing
from anabranch.runtime.values.arrays.numpy_scalar import NumPyLike
from anabranch.runtime.values.arrays.traced_array import TracedArray, check_matmul_in_place, expect_writable
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.dynamic_shapes.valid_region import (
    Front,
    Masked,
    Strided,
    ValidRegion,
    Window,
    valid_elements,
)
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.tracer import INPLACE, DynamicShape, shown_to_tools

# What selects the elements of an axis of an array on the host.
HostKey: TypeAlias = slice | np.ndarray
Extents = tuple["ValidRegion | None", ...]


class DynamicArray(DynamicShape, NumPyLike):
    """A traced ndarray of run-time size."""

    __slots__ = ("extents", "memory", "origin")

    def __init__(self, memory: TracedArray, extents: Extents, origin: Position | None = None) -> None:
        # An array that lies elsewhere as a whole is the same memory as its view.
        # What it is a part of: a write through either is seen by the other.
        self.memory = memory if type(memory) is TracedArray else memory.viewed()
        self.extents = extents  # one for each axis; None where all of the axis is there
        self.origin = place() if origin is None else origin  # where in the user's code the size came from

    # ---- what is known -----------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[Value, ...]:
        return tuple([n if e is None else e.size for n, e in zip(self.memory.shape, self.extents, strict=True)])

    @property
    def capacity(self) -> tuple[int, ...]:
        """The static shape that it lies in."""
        return self.memory.shape

    @property
    def dtype(self) -> np.dtype:
        return self.memory.dtype

    @property
    def ndim(self) -> int:
        return len(self.extents)

    @property
    def size(self) -> Value:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def is_readonly(self) -> bool:
        """Return whether a write raises."""
        return self.memory.is_readonly

    # ---- what is not -------------------------------------------------------------------------------------------------

    @property
    def abstract(self) -> Abstract:
        self._needs_size("an array of a size that is known while tracing")

    @property
    def atom(self) -> Atom:
        self._needs_size("an array of a size that is known while tracing")

    def _needs_size(self, need: str) -> NoReturn:
        sizes = [bound for e in self.extents if e is not None for bound in e.parts]
        for bound in sizes:
            if not isinstance(bound, int):
                static_requests.request_static(bound, need)
        error = RunTimeSizeError(
            f"{need} is needed here, but this {self._text()} has a size known only at run time{self._from()}; use an "
            "operation that takes such arrays, or keep all elements and a mask (np.where)"
        )
        for bound in sizes:
            error = static_requests.with_static_request(error, bound, need)
        raise error

    def _needs_concrete(self, need: str) -> NoReturn:
        self._needs_size(need)

    def _text(self) -> str:
        sizes = (str(n) if e is None else f"<={n}" for n, e in zip(self.capacity, self.extents, strict=True))
        return f"{self.dtype.name}[{', '.join(sizes)}]"

    def _from(self) -> str:
        if self.origin is None:
            return ""
        return f" (from {static_requests.NamedRequest((), '', self.origin).where.removeprefix('by ')})"

    def __repr__(self) -> str:
        return shown_to_tools(f"<traced {self._text()}>")

    def __len__(self) -> int:
        if self.extents[0] is None:
            return self.capacity[0]
        return self._needs_size("a plain int (for the length of an array in code that is not compiled)")

    def __iter__(self) -> Iterator[Value]:
        if self.extents[0] is None:
            return (self[i] for i in range(self.capacity[0]))
        current().trace.outside.needs_plain()
        return self._needs_size("the length of an iteration (for an unpacking, or code that is not compiled)")

    # ---- the value ---------------------------------------------------------------------------------------------------

    def valid(self) -> Atom | None:
        """Which elements there are, as bools of the capacity's shape; None for all of them."""
        return valid_elements(self.extents, self.capacity)

    def padded(self, fill: Value) -> TracedArray:
        """A new array of the capacity's shape, with `fill` where no element is."""
        value, mask = self.memory.atom, self.valid()
        if mask is not None:
            filler = atoms.broadcast_to(atoms.literal(np.asarray(fill).astype(self.dtype)), self.capacity)
            value = atoms.select(mask, value, filler)
        made: TracedArray = wrap.array_of(value)
        return made

    def left_packed(self, *axes: int) -> DynamicArray:
        """The same elements in a new array, from position 0 on along these axes (all by default)."""
        value, extents = self.memory.atom, list(self.extents)
        for axis in axes or range(self.ndim):
            extent = extents[axis]
            if isinstance(extent, Masked):
                value = compaction.compacted(value, axis, extent)
                extents[axis] = Window(0, extent.size)
            elif isinstance(extent, Window) and not (isinstance(extent.start, int) and extent.start == 0):
                n = self.capacity[axis]
                value = compaction.shifted(value, axis, extent.start, n)
                extents[axis] = Window(0, size_arithmetic.limited(extent.size, 0, n))
        return self._on_new_memory(value, extents)

    def packed_alone(self, *axes: int) -> DynamicArray:
        """The elements that masks select on these axes in memory where there is nothing else."""
        value, extents = self.memory.atom, list(self.extents)
        for axis in axes:
            extent = extents[axis]
            assert isinstance(extent, Masked)
            value, size = compaction.compacted_alone(value, axis, extent)
            extents[axis] = Window(0, size)
        return self._on_new_memory(value, extents)

    def _on_new_memory(self, value: Atom, extents: list[ValidRegion | None]) -> DynamicArray:
        front = wrap.array_of(value)
        wrap.note_compact(front, extents)
        return DynamicArray(front, tuple(extents), self.origin)

    def with_memory(self, memory: TracedArray) -> Value:
        """New memory as an array of the same extents."""
        return wrap.with_extents(memory, self.extents, self.origin)

    def viewed(self, *steps: views.ViewStep, extents: Extents | None = None) -> TracedArray | DynamicArray:
        """Another handle on the same memory."""
        return make(self.memory.viewed(*steps), self.extents if extents is None else extents, self.origin)

    def __copy__(self) -> Value:
        return self.with_memory(wrap.array_of(self.memory.atom))

    # ---- indexing and writing ----------------------------------------------------------------------------------------

    def __getitem__(self, key: Value) -> Value:
        return indexing.get(self, key)

    def __setitem__(self, key: Value, value: Value) -> None:
        expect_writable(self.memory)
        indexing.set(self, key, value)

    def __delitem__(self, key: object) -> None:
        raise ValueError("cannot delete array elements")

    def assign(self, value: Value, *words: Any) -> None:
        """`a[...] = value`, with NumPy's cast and broadcasting; `words` are those of its exception."""
        # What a mask selects is assigned as arrays are, without the checks of single numbers.
        value = assigned_values.of_elements(value, self.dtype) if words else assigned_values.element(value, self.dtype)
        made = broadcasting.fitted(value, self, *words)
        self.set(wrap.as_atom(made, self.dtype))

    def set(self, value: Atom) -> None:
        """Write what stands at the places of this array's elements in a value of the capacity's shape."""
        value, mask = atoms.broadcast_to(value, self.capacity), self.valid()
        self.memory.set(value if mask is None else atoms.select(mask, value, self.memory.atom))

    def inplace(self, ufunc: np.ufunc, other: object) -> DynamicArray:
        """`a += b` and its kin."""
        expect_writable(self.memory, "output array is read-only")
        apply_ufunc.check_output(ufunc, (self, other), self.dtype)
        operand = broadcasting.fitted(other, self, broadcasting.in_place)
        mine = self.padded(1) if ufunc is np.power else self.memory
        (result,) = apply_ufunc.apply_atoms(ufunc, (mine, operand), output=self.dtype)
        self.set(atoms.convert(result, self.dtype))
        return self

    def __imatmul__(self, other: object) -> DynamicArray:
        check_matmul_in_place(self.memory, other)
        expect_writable(self.memory, "output array is read-only")
        self.assign(registry.FUNCTIONS[np.matmul](self, other))
        return self

    def __anabranch_structure__(self) -> DynamicArrayStructure:
        kinds = tuple([_KINDS[type(e)] for e in self.extents])
        count = 1 + sum(_PARTS[kind] for kind in kinds)
        is_chosen = self in current().trace.identity.chosen
        return DynamicArrayStructure(
            DynamicArray, tuple(range(count)), kinds=kinds, origin=self.origin, is_chosen=is_chosen
        )


def make(
    view: TracedArray, extents: Sequence[ValidRegion | None], origin: Position | None = None
) -> TracedArray | DynamicArray:
    """The array with these extents: an ordinary one where all of it is there."""
    kept = []
    for n, extent in zip(view.shape, extents, strict=True):
        whole = isinstance(extent, Window) and _is(extent.start, 0) and _is(extent.stop, n)
        kept.append(None if whole or n == 0 else extent)
    for axis, extent in enumerate(kept):
        if isinstance(extent, Window) and isinstance(extent.start, int) and isinstance(extent.stop, int):
            view = view.viewed(views.Slice(_part(view.shape, axis, extent.start, extent.stop)))
            kept[axis] = None
    return view if not any(kept) else DynamicArray(view, tuple(kept), origin)


def _is(bound: Bound, value: int) -> bool:
    return isinstance(bound, int) and bound == value


def _part(shape: Sequence[int], axis: int, start: int, stop: int) -> tuple[views.AxisSlice, ...]:
    whole = [views.AxisSlice(0, n) for n in shape]
    whole[axis] = views.AxisSlice(start, max(stop - start, 0))
    return tuple(whole)


# ---- crossing the edges of branches, loops and calls -----------------------------------------------------------------

_PARTS = {"whole": 0, "window": 2, "front": 2, "masked": 1}
_KINDS: dict[type, str] = {type(None): "whole", Window: "window", Front: "front", Masked: "masked", Strided: "masked"}


# The bytes of an array that a result which is a part of it may keep, though it is less than half.
_MOST_SPARED = 1024
# The kinds of those of which rows next to each other are left.
_ROWS = frozenset((kind, *["whole"] * more) for kind in ("front", "window") for more in range(4))


@frozen
class DynamicArrayStructure(Structure):
    """An array of run-time size as a container: its memory, then the parts of its extents."""

    kinds: tuple[str, ...] = ()
    origin: Position | None = dataclasses.field(default=None, compare=False)
    # Whether a branch or a loop has chosen it among arrays: then it is no slice of its memory.
    is_chosen: bool = dataclasses.field(default=False, compare=False)

    mutable = False

    def children(self, value: Value) -> list[Value]:
        return [value.memory, *(part for e in value.extents if e is not None for part in e.parts)]

    def build(self, children: Sequence[Value]) -> Value:
        view = children[0]
        if type(view) is np.ndarray and self.kinds in _ROWS and not self.is_chosen:
            # What most results are, in a fourth of the time; of small arrays a copy would take longer than the rest.
            part = view[children[1] : children[2]]
            spares = view.nbytes > _MOST_SPARED and self.kinds[0] == "front" and 2 * part.nbytes < view.nbytes
            return part.copy() if spares else part
        left = iter(children[1:])
        if not isinstance(view, TracedArray):
            keys = _host_keys(self.kinds, left)
            found = view if self.is_chosen and _takes_all(keys, view.shape) else cut(view, keys)
            return found.copy() if "front" in self.kinds and 2 * found.nbytes < view.nbytes else found
        return make(view, [_extent(kind, left) for kind in self.kinds], self.origin)


def _extent(kind: str, parts: Iterator[Value]) -> ValidRegion | None:
    if kind == "whole":
        return None
    return Masked(next(parts), None) if kind == "masked" else Window(next(parts), next(parts))


def _host_keys(kinds: Sequence[str], parts: Iterator[Value]) -> list[HostKey]:
    keys: list[HostKey] = []
    for kind in kinds:
        if kind == "masked":
            # Positions are found and taken without a branch for each element, which a mask as an index is not.
            keys.append(np.flatnonzero(np.asarray(next(parts))))
        else:
            keys.append(slice(int(next(parts)), int(next(parts))) if kind != "whole" else slice(None))
    return keys


def _takes_all(keys: Sequence[HostKey], shape: Sequence[int]) -> bool:
    """Return whether the keys choose all elements of an array on the host."""
    every = [range(n) for n in shape]
    return all(isinstance(key, slice) and rows[key] == rows for key, rows in zip(keys, every, strict=True))


def cut(view: np.ndarray | device.Array, keys: Sequence[HostKey]) -> np.ndarray | device.Array:
    """The elements of an array on the host that there are: one key for each axis.

    A window of the caller's own array is a view of it, as NumPy's is.
    """
    whole = np.asarray(view)
    for axis, key in enumerate(keys):
        whole = whole.take(key, axis) if isinstance(key, np.ndarray) else whole[(slice(None),) * axis + (key,)]
    return device.placed(whole) if isinstance(view, device.Array) else whole


def _inplace_method(ufunc: np.ufunc) -> Callable[[DynamicArray, Any], DynamicArray]:
    return lambda self, other: self.inplace(ufunc, other)


for _name, _ufunc in INPLACE.items():
    setattr(DynamicArray, f"__i{_name}__", _inplace_method(_ufunc))

DynamicArray.__name__ = "numpy.ndarray"  # as Python's messages name the class
