"""The new containers of a value that are one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from anabranch.base.by_identity import IdentityDict
from anabranch.base.value import Value
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.pytrees.layout import Layout, Node, Union, is_reference
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.pytrees.pack_unpack import option_index
from anabranch.runtime.values.union import UnionValue


def first_occurrences(value: object, layout: Layout) -> tuple[int, ...]:
    """For each mutable container that `Unpacking` makes of a value, the first one that is the same object."""
    return first_places(new_containers(value, layout))


def first_places(values: Sequence[object]) -> tuple[int, ...]:
    """For each object the place of the first one that is the same."""
    first: IdentityDict[object, int] = IdentityDict()
    return tuple([first.setdefault(v, i) for i, v in enumerate(values)])


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


def containers_by_place(values: Sequence[object], layout: Layout) -> list[list[Value]]:
    """For each mutable container that `Unpacking` makes, also in choices, those which it may stand for.

    `values`: the values that may be packed; none where that is unspecified.
    """
    if not _holds_containers(layout):
        return []
    given = [o for v in values for o in (v.options if _is_choice(v) else (v,))]
    if isinstance(layout, Union):
        chosen: list[list[Value]] = [[] for _ in layout.options]
        for value in given:
            chosen[option_index(value, layout.options)].append(value)
        return [c for inner, o in zip(chosen, layout.options, strict=True) for c in containers_by_place(inner, o)]
    assert isinstance(layout, Node)
    own = [given] if layout.structure.mutable else []
    if layout.structure.flat:
        return own
    parts = [layout.structure.children(value) for value in given]
    inner = [containers_by_place([row[i] for row in parts], child) for i, child in enumerate(layout.children)]
    return own + [c for found in inner for c in found]


def _is_choice(value: object) -> TypeGuard[UnionValue]:
    return isinstance(value, UnionValue) and not isinstance(value, Reference)


def _holds_containers(layout: Layout) -> bool:
    """Return whether a layout has mutable containers that are made anew."""
    if isinstance(layout, Union):
        return any(map(_holds_containers, layout.options))
    if not isinstance(layout, Node) or is_reference(layout) or isinstance(layout.structure, DynamicArrayStructure):
        return False
    return layout.structure.mutable or (not layout.structure.flat and any(map(_holds_containers, layout.children)))
