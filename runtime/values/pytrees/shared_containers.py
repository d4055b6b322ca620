"""The new containers of a value that are one object."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.base.value import Value
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.pytrees.layout import Layout, Node
from anabranch.runtime.values.union import UnionValue


def first_occurrences(value: object, layout: Layout) -> tuple[int, ...]:
    """For each mutable container that `Unpacking` makes of a value, the first one that is the same object."""
    return first_places(new_containers(value, layout))


def first_places(values: Sequence[object]) -> tuple[int, ...]:
    """For each object the place of the first one that is the same."""
    first: dict[int, int] = {}
    return tuple([first.setdefault(id(v), i) for i, v in enumerate(values)])


def new_containers(value: object, layout: Layout) -> list[Value]:
    """The mutable containers of a value that become new ones where it is packed and unpacked, but for choices."""
    if not isinstance(layout, Node) or isinstance(layout.structure, DynamicArrayStructure):
        return []
    if isinstance(value, UnionValue):
        return _merged_containers(layout)
    own = [value] if layout.structure.mutable else []
    if layout.structure.flat:
        return own
    pairs = zip(layout.structure.children(value), layout.children, strict=True)
    return own + [c for p, t in pairs for c in new_containers(p, t)]


def _merged_containers(layout: Layout) -> list[Value]:
    """One object for each container that is made of several."""
    if not isinstance(layout, Node):
        return []
    own = [object()] if layout.structure.mutable else []
    return own + [c for t in layout.children for c in _merged_containers(t)]
