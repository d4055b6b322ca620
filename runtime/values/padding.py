"""Arrays of different sizes, or with different extents, as one kind of value: padded to a capacity, sizes beside.

Where two branches, or two steps of a loop, give such arrays, this is what both become.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch._frozen import frozen
from anabranch.runtime.ir import Atom
from anabranch.runtime.trace import Builder
from anabranch.runtime.values import aliasing, atoms, compacting, visibility, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, join as join_abstract
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.extents import Extent, Window
from anabranch.runtime.values.sized import Sized, SizedStructure, cut, make


@frozen
class PaddedStructure(SizedStructure):
    """A new array of a capacity (`extra`), then the sizes of the axes that are windows; all begin at 0."""

    def children(self, value: Any) -> list[Any]:
        shape = value.shape if wrap.is_sized(value) else wrap.shape_of(value)
        made = wrap.array_of(_front(value, self.extra))
        if isinstance(value, (Array, Sized)):
            view = value.view if isinstance(value, Sized) else value
            extents = value.extents if isinstance(value, Sized) else (None,) * view.ndim
            aliasing.link(made.storage, atoms.literal(True), view, Padded(tuple(extents), self.extra))
        sizes = [n for n, kind in zip(shape, self.kinds, strict=True) if kind == "window"]
        return [made, *sizes]

    def build(self, children: Sequence[Any]) -> Any:
        view, *sizes = children
        left = iter(sizes)
        if not isinstance(view, Array):
            return cut(view, [slice(int(next(left))) if k == "window" else slice(None) for k in self.kinds])
        extents = [Window(0, next(left)) if k == "window" else None for k in self.kinds]
        return make(view, extents, self.origin)


def _front(value: Any, capacity: Sequence[int]) -> Atom:
    """The elements of an array, moved to the front of a capacity."""
    atom = wrap.as_atom(value.anchored().view if wrap.is_sized(value) else value)
    for axis, n in enumerate(capacity):
        atom = compacting.resized(atom, axis, n)
    return atom


@frozen
class Padded:
    """How a padded array holds the elements of the memory that it is made of."""

    extents: tuple[Extent | None, ...]
    capacity: tuple[int, ...]

    def held(self, handle: Array) -> Atom:
        """The elements, at the front."""
        return _front(make(handle, self.extents), self.capacity)

    def given_back(self, held: Atom, handle: Array) -> Atom:
        """The memory with these elements where its own are."""
        value = atoms.convert(held, handle.dtype)
        for axis, (extent, n) in enumerate(zip(self.extents, handle.shape, strict=True)):
            value = compacting.placed(value, axis, extent, n)
        here = make(handle, self.extents)
        mask = here.valid() if isinstance(here, Sized) else None
        return value if mask is None else atoms.select(mask, value, handle.atom)

    def is_visible(self, builder: Builder) -> bool:
        """Whether a builder can see where the elements are."""
        stays = visibility.belongs_outside(builder)
        return all(isinstance(p, int) or stays(p) for e in self.extents if e is not None for p in e.parts)


@frozen
class Sizes:
    """What is known of an array of static or run-time size: its capacity, and which axes are of run-time size."""

    abstract: Abstract
    run_time: tuple[bool, ...]
    origin: Any = None


def joined(a: Sizes, b: Sizes) -> tuple[PaddedStructure, Abstract] | None:
    """The structure that holds either, with the abstract value of its memory; None where there is none."""
    if len(a.run_time) != len(b.run_time):
        return None
    capacity = tuple(np.maximum(a.abstract.shape, b.abstract.shape).tolist())
    both = join_abstract(_of_shape(a.abstract, capacity), _of_shape(b.abstract, capacity))
    if both is None:
        return None
    rows = zip(a.run_time, b.run_time, a.abstract.shape, b.abstract.shape, strict=True)
    kinds = tuple("window" if p or q or n != m else "whole" for p, q, n, m in rows)
    keys = tuple(range(1 + kinds.count("window")))
    return PaddedStructure(wrap.class_of("sized"), keys, capacity, kinds, a.origin or b.origin), both


def _of_shape(abstract: Abstract, shape: tuple[int, ...]) -> Abstract:
    return Abstract(shape, abstract.dtype, Kind.ARRAY)
