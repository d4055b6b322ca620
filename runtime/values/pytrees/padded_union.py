"""Arrays of different sizes, or with different extents, as one kind of value: padded to a capacity, sizes beside.

Where two branches, or two steps of a loop, return such arrays, both become this.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.tracing.source_frames import Position
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import atoms, visibility, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, join as join_abstract
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray, DynamicArrayStructure, cut, make
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import capacity_requests, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, ValidRegion, Window
from anabranch.runtime.values.memory import aliasing, memory_layout
from anabranch.runtime.values.memory.handle import Handle


@frozen
class PaddedStructure(DynamicArrayStructure):
    """A new array of a capacity (`extra`), then the sizes of the axes that are windows; all begin at 0.

    Where a loop carries it, `requests` has for each axis that gets longer the capacity that must suffice.
    """

    requests: tuple[Capacity | None, ...] = ()

    @property
    def layout_sizes(self) -> list[int]:
        """The capacities of the axes that are windows."""
        return [n for n, kind in zip(self.extra, self.kinds, strict=True) if kind == "window"]

    def children(self, value: Value) -> list[Value]:
        shape = value.shape if wrap.is_dynamic_array(value) else wrap.shape_of(value)
        sizes = [n for n, kind in zip(shape, self.kinds, strict=True) if kind == "window"]
        if self._fits(value):
            return [value.memory, *sizes]
        for n, request in zip(shape, self.requests, strict=False):
            if request is not None:
                over = atoms.ufunc(np.greater, size_arithmetic.atom_of(n), atoms.literal(request.size, np.int64))
                capacity_requests.exceeded(over, request)
        made = wrap.standing_for(_left_packed(value, self.extra))
        if isinstance(value, (TracedArray, DynamicArray)):
            view = value.memory if isinstance(value, DynamicArray) else value
            extents = value.extents if isinstance(value, DynamicArray) else (None,) * view.ndim
            aliasing.add_edge(made.storage, atoms.literal(True), view, Padded(tuple(extents), self.extra))
            made.storage.strides = memory_layout.of_a_part(view)
        return [made, *sizes]

    def _fits(self, value: Value) -> bool:
        """Return whether the array lies as it should, in memory of its own."""
        if not wrap.is_dynamic_array(value) or value.capacity != self.extra or value.memory.path:
            return False
        if value not in current().trace.identity.chosen and _is_of_alternatives(value.memory.storage):
            return False  # a slice of one of several arrays is none of them
        return all(
            e is None or (kind == "window" and isinstance(e, Window) and isinstance(e.start, int) and e.start == 0)
            for e, kind in zip(value.extents, self.kinds, strict=True)
        )

    def build(self, children: Sequence[Value]) -> Value:
        view, *sizes = children
        left = iter(sizes)
        if not isinstance(view, TracedArray):
            return cut(view, [slice(int(next(left))) if k == "window" else slice(None) for k in self.kinds])
        rows = zip(self.kinds, self.extra, strict=True)
        extents = [Window(0, size_arithmetic.limited(next(left), 0, n)) if k == "window" else None for k, n in rows]
        made = make(view, extents, self.origin)
        if isinstance(made, DynamicArray):
            current().trace.identity.chosen.add(made)
        return made


def _is_of_alternatives(storage: Storage) -> bool:
    """Return whether the memory is that of an array chosen among others, of which one may be there as a whole."""
    return any(edge.form is not None and edge.form.is_whole for edge in storage.alias_edges)


def _left_packed(value: Value, capacity: Sequence[int]) -> Atom:
    """The elements of an array, moved to the front of a capacity."""
    atom = wrap.as_atom(value.left_packed().memory if wrap.is_dynamic_array(value) else value)
    for axis, n in enumerate(capacity):
        atom = compaction.resized(atom, axis, n)
    return atom


def left_packed_memory(a: DynamicArray) -> TracedArray:
    """The memory of the elements from the front of each axis on; a write to either array reaches the other."""
    if all(e is None or (isinstance(e, Window) and isinstance(e.start, int) and e.start == 0) for e in a.extents):
        return a.memory
    view = a.left_packed().memory
    aliasing.add_edge(view.storage, atoms.literal(True), a.memory, Padded(a.extents, a.capacity))
    return view


@frozen
class Padded:
    """How a padded array holds the elements of the memory that it is made of."""

    extents: tuple[ValidRegion | None, ...]
    capacity: tuple[int, ...]

    def to_owner(self, handle: Handle) -> Atom:
        """The elements, at the front."""
        return _left_packed(wrap.part_of(handle, self.extents), self.capacity)

    def to_handle(self, value: Atom, handle: Handle) -> Atom:
        """The memory with these elements where its own are."""
        value = atoms.convert(value, handle.dtype)
        for axis, (extent, n) in enumerate(zip(self.extents, handle.shape, strict=True)):
            value = compaction.placed(value, axis, extent, n)
        here = wrap.part_of(handle, self.extents)
        mask = here.valid() if isinstance(here, DynamicArray) else None
        return value if mask is None else atoms.select(mask, value, handle.atom)

    def is_visible(self, builder: Builder) -> bool:
        """Return whether a builder can see where the elements are."""
        stays = visibility.belongs_outside(builder)
        return all(isinstance(p, int) or stays(p) for e in self.extents if e is not None for p in e.parts)

    @property
    def starts(self) -> tuple[int | Atom, ...] | None:
        """Where the elements begin on each axis of the memory; None where they do not lie side by side."""
        if any(isinstance(e, Masked) for e in self.extents):
            return None
        bounds_of = [e.start if isinstance(e, Window) else 0 for e in self.extents]
        return tuple([b if isinstance(b, int) else size_arithmetic.atom_of(b) for b in bounds_of])

    @property
    def is_whole(self) -> bool:
        """Return whether the elements are all of the memory's."""
        return all(e is None for e in self.extents)


@frozen
class Sizes:
    """The size of an array as far as it is known: its capacity, and which axes are of run-time size."""

    abstract: Abstract
    run_time: tuple[bool, ...]
    origin: Position | None = None
    requests: tuple[Capacity | None, ...] = ()


def joined(a: Sizes, b: Sizes) -> tuple[PaddedStructure, Abstract] | None:
    """The structure that holds either, with the abstract value of its memory; None where there is none."""
    if len(a.run_time) != len(b.run_time):
        return None
    requests = a.requests or b.requests
    capacity = tuple(np.maximum(a.abstract.shape, b.abstract.shape).tolist())
    capacity = tuple(
        n if r is None else r.size for n, r in zip(capacity, requests or (None,) * len(capacity), strict=True)
    )
    both = join_abstract(_of_shape(a.abstract, capacity), _of_shape(b.abstract, capacity))
    if both is None:
        return None
    rows = zip(a.run_time, b.run_time, a.abstract.shape, b.abstract.shape, strict=True)
    kinds = tuple("window" if p or q or n != m else "whole" for p, q, n, m in rows)
    keys = tuple(range(1 + kinds.count("window")))
    return PaddedStructure(DynamicArray, keys, capacity, kinds, a.origin or b.origin, requests=requests), both


def _of_shape(abstract: Abstract, shape: tuple[int, ...]) -> Abstract:
    return Abstract(shape, abstract.dtype, Kind.ARRAY)
