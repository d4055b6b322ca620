"""The structures of elements that lie side by side, and how those of two lengths join."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.values import arena_classes, atoms
from anabranch.runtime.values.abstract import Abstract, Kind, python_abstract
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists import item_kinds
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.pytrees import host_values, layout as layouts

_INT = python_abstract(int)


@frozen
class ElementsStructure(Structure):
    """The structure of a list's elements: where those of two lengths meet, they join as elements side by side."""

    @property
    def is_circular(self) -> bool:
        """Return whether elements come and go at both ends."""
        raise NotImplementedError

    @property
    def fixed(self) -> bool:
        """Return whether the length is static."""
        raise NotImplementedError

    @property
    def items_class(self) -> type:
        """The class of elements that lie side by side."""
        raise NotImplementedError

    def join(self, mine: layouts.Node, other: layouts.Node) -> layouts.Layout | None:
        return joined(mine, other, self.items_class)


@frozen
class ItemsStructure(ElementsStructure):
    """The structure of `Items`."""

    variants: tuple[layouts.Layout, ...] = ()  # the kinds of elements
    capacity: int = 0  # how many elements fit
    # Where the capacity was asked for that must suffice; without it there is one place more for each element that is
    # appended.
    request: Capacity | None = None
    is_circular: bool = False  # the first element may lie anywhere, and the last before it
    fixed: bool = False  # there are always as many elements as the capacity, so that the length is no part

    mutable = False
    flat = True

    @property
    def items_class(self) -> type:
        return self.cls

    @property
    def rows(self) -> list[ArrayType]:
        """The types of one element's leaves, of all kinds."""
        return [t for v in self.variants for t in layouts.leaf_types(v)]

    @property
    def layout(self) -> layouts.Node:
        """The layout in which all parts are run-time values."""
        parts = [] if self.fixed else [_INT] * (2 if self.is_circular else 1)
        if len(self.variants) > 1:
            parts.append(Abstract((self.capacity,), atoms.INT32, Kind.BUFFER))
        parts += [Abstract((self.capacity, *t.shape), t.dtype, Kind.BUFFER) for t in self.rows]
        return layouts.Node(self, tuple(map(layouts.Leaf, parts)))

    @property
    def number(self) -> Abstract | None:
        """The type of each element, where all are numbers of one kind, and the first lies first; else None."""
        kind = self.variants[0] if len(self.variants) == 1 and not self.is_circular else None
        if isinstance(kind, layouts.Leaf) and kind.abstract.kind in (Kind.PYTHON, Kind.SCALAR):
            return kind.abstract
        return None

    @property
    def kinds_of_numbers(self) -> Sequence[Kind] | None:
        """The kinds of elements, where they are numbers of several kinds, and the first lies first; else None."""
        kinds = [v.abstract.kind for v in self.variants if isinstance(v, layouts.Leaf)]
        are_numbers = len(kinds) == len(self.variants) > 1 and set(kinds) <= {Kind.PYTHON, Kind.SCALAR}
        return kinds if are_numbers and not (self.is_circular or self.fixed) else None

    def of_length(self, length: int) -> ItemsStructure:
        """The structure of so many elements, always."""
        return dataclasses.replace(self, capacity=length, request=None, is_circular=False, fixed=True)

    def with_kinds_of(self, other: ItemsStructure) -> ItemsStructure:
        """The structure of elements of these kinds, or of another's."""
        return dataclasses.replace(self, variants=tuple(distinct([*self.variants, *other.variants])))

    def children(self, value: Value) -> list[Value]:
        items: Any = self.cls
        parts = items.of(value, self).parts
        return list(parts[1:] if self.fixed else parts)

    def build(self, children: Sequence[object]) -> Value:
        parts = (self.capacity, *children) if self.fixed else children
        items: Any = self.cls
        return items(self, parts) if tracing() else _on_host(self, parts, ())

    def hosted(self, members: Mapping[object, int]) -> Structure:
        variants = (host_values.hosted(v, IdentityDict(), IdentityDict(), members=members) for v in self.variants)
        return dataclasses.replace(self, variants=tuple(variants))

    def on_host(self, children: Sequence[object], members: Sequence[object]) -> Value:
        return _on_host(self, (self.capacity, *children) if self.fixed else children, members)


def kinds_of(node: layouts.Layout) -> list[layouts.Layout]:
    """The kinds of a list's elements, from the layout of its contents."""
    assert isinstance(node, layouts.Node)
    if isinstance(node.structure, ItemsStructure):
        return list(node.structure.variants)
    kinds = map(item_kinds.general, node.children)
    return [kind for found in kinds for kind in (found.options if isinstance(found, layouts.Union) else (found,))]


def joined(a: layouts.Node, b: layouts.Node, items_class: type) -> layouts.Layout | None:
    """Contents of two lengths as one of a run-time length; None where lists keep their lengths."""
    x, y = a.structure, b.structure
    if not (isinstance(x, ElementsStructure) and isinstance(y, ElementsStructure)):
        return None
    found = [s for s in (x, y) if isinstance(s, ItemsStructure)]
    if x.fixed and y.fixed and found and capacity_of(a) == capacity_of(b):
        return _of_one_length(a, b, items_class)
    if all(s.fixed for s in found) and not may_grow():
        return None
    kinds = tuple(distinct(kinds_of(a) + kinds_of(b)))
    requested = next((s for s in found if s.request is not None), None)
    most = max(capacity_of(a), capacity_of(b))
    ring = x.is_circular or y.is_circular
    if requested is not None:
        return ItemsStructure(items_class, (), None, kinds, requested.capacity, requested.request, ring).layout
    return ItemsStructure(items_class, (), None, kinds, most, None, ring).layout


def distinct(kinds: Sequence[layouts.Layout]) -> list[layouts.Layout]:
    """Each kind once, in order; what lies in arenas lies in one."""
    found: list[layouts.Layout] = []
    for kind in kinds:
        found += [kind] if kind not in found else []
    arena_classes.join(kind.structure for kind in found if isinstance(kind, layouts.Node))
    return found


def _of_one_length(a: layouts.Node, b: layouts.Node, items_class: type) -> layouts.Layout:
    """Contents of one static length, of which those of `a` or `b` are side by side."""
    kinds = distinct(kinds_of(a) + kinds_of(b))
    return ItemsStructure(items_class, (), None, tuple(kinds), capacity_of(a), fixed=True).layout


def capacity_of(node: layouts.Node) -> int:
    """How many elements there are at most."""
    return node.structure.capacity if isinstance(node.structure, ItemsStructure) else len(node.children)


def _on_host(structure: ItemsStructure, parts: Sequence[Value], members: Sequence[Value]) -> list[Value]:
    """The elements, from the outputs of a run; `members` are the nodes of graphs, which some may be."""
    length, *rest = parts
    first = int(rest.pop(0)) if structure.is_circular else 0
    count = int(length)
    places: Any = slice(count) if not first else (first + np.arange(count)) % max(structure.capacity, 1)
    memory = iter([np.asarray(part)[places] for part in rest])
    if len(structure.variants) > 1:
        return host_values.chosen(structure.variants, next(memory), memory, members)
    return host_values.column(structure.variants[0], memory, count, members) if structure.variants else []


class _HostList:
    """The class that structures of such lists name; there are no instances."""


@frozen
class HostListStructure(Structure):
    """That of a list or deque of one part, its elements; `extra` is the built-in class, and a deque's `maxlen`."""

    @property
    def is_dynamic_list(self) -> bool:
        """True: its length is known only at run time, or its elements are side by side."""
        return True

    def is_plain_list_of(self, part: layouts.Layout) -> bool:
        """Return whether it is a list, and what is built of its part is one that nobody else has."""
        is_built = isinstance(part, layouts.Node) and isinstance(part.structure, ItemsStructure)
        return self.extra == (list, None) and is_built

    def build(self, children: Sequence[object]) -> Value:
        native, maxlen = self.extra
        if native is list and type(children[0]) is list:
            return children[0]  # it has just been made
        return native(children[0]) if maxlen is None else native(children[0], maxlen)


def host_list_structure(native: type, keys: tuple[object, ...], maxlen: int | None) -> HostListStructure:
    """Return the structure of a list or deque that the caller gets."""
    return HostListStructure(_HostList, keys, (native, maxlen))


class HostTuple:
    """The class that structures of such tuples name; there are no instances."""


@frozen
class HostTupleStructure(Structure):
    """The structure of a tuple on the host; its one part is the list of its items."""

    mutable = False

    def build(self, children: Sequence[Value]) -> Value:
        return tuple(children[0])
