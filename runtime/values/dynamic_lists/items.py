"""The elements of a list whose length is known only at run time, side by side in memory of a static capacity.

An `Items` never changes: what is done to the list gives another one. Each kind of element has memory of its own, one
array for each of the element's leaves; where there are several kinds, a tag says which an element is, so that each
keeps its type.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import ArrayType, Atom, Equation
from anabranch.runtime.tracing.builder import Builder, builder_or_none, current, tracing
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.values import atoms, attributes, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, python_abstract
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists import item_constants, item_kinds
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.interval import Interval
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import host_values, layout as layouts, pack_unpack
from anabranch.runtime.values.tracer import Traced
from anabranch.runtime.values.union import ChoiceValue

_INT = python_abstract(int)


class Buffer(Traced):
    """Memory that no name of the program stands for."""

    __slots__ = ("atom",)

    def __init__(self, atom: Atom) -> None:
        self.atom = atom

    @property
    def abstract(self) -> Abstract:
        return Abstract(self.atom.type.shape, self.atom.type.dtype, Kind.BUFFER)

    def _binary(self, ufunc: np.ufunc, left: Any, right: Any) -> Any:
        return NotImplemented

    def _unary(self, ufunc: np.ufunc) -> Any:
        return NotImplemented


wrap.register_class("buffer", Buffer)


class MayGrow:
    """The base of lists and deques that may come to have a length known only at run time: then they have `items`."""

    __slots__ = ()
    if TYPE_CHECKING:
        # A slot of each class that has one; and the built-in class that it stands for.
        items: Items | None
        site: Any
        home: Any  # the row of a table that it is
        native: Any
        is_grown: bool
        is_fixed: bool


attributes.register(MayGrow, lambda value: value.native())


def is_grown(value: object) -> bool:
    """Whether a value is a list or deque whose length is known only at run time."""
    return isinstance(value, MayGrow) and value.is_grown


def is_fixed(value: object) -> bool:
    """Return whether a value is a list of static length whose elements are side by side."""
    return isinstance(value, MayGrow) and value.is_fixed


class ListContents(tuple[Any, ...]):
    """What a list of static length holds at some moment, where it may come to have another length."""

    __slots__ = ()

    def __anabranch_structure__(self) -> Structure:
        return ContentsStructure(type(self), tuple(range(len(self))))


class DequeContents(ListContents):
    """The same of a deque."""

    __slots__ = ()


@frozen
class ContentsStructure(Structure):
    """That of `ListContents`; it meets one of another length in `Items`."""

    def build(self, children: Sequence[Any]) -> Any:
        return tuple.__new__(self.cls, children)

    @property
    def ring(self) -> bool:
        """Whether elements will come and go at both ends."""
        return self.cls is DequeContents

    def meet(self, mine: layouts.Node, other: layouts.Node) -> layouts.Layout | None:
        return joined(mine, other)


@frozen
class ItemsStructure(Structure):
    """What is static of `Items`.

    Attributes
    ----------
    variants : tuple of Layout
        The kinds of elements.
    capacity : int
        How many there is room for.
    room : Capacity, optional
        Where the room was asked for that must suffice; without it there is one place more for each element appended.
    ring : bool
        The first element may lie anywhere, and the last before it.
    fixed : bool
        There are always as many elements as there is room for, so that the length is no part.
    """

    variants: tuple[layouts.Layout, ...] = ()
    capacity: int = 0
    room: Capacity | None = None
    ring: bool = False
    fixed: bool = False

    @property
    def mutable(self) -> bool:
        return False

    @property
    def flat(self) -> bool:
        return True

    @property
    def rows(self) -> list[ArrayType]:
        """The types of one element's leaves, of all kinds."""
        return [t for v in self.variants for t in layouts.leaf_types(v)]

    @property
    def layout(self) -> layouts.Node:
        """All parts run-time values."""
        parts = [] if self.fixed else [_INT] * (2 if self.ring else 1)
        if len(self.variants) > 1:
            parts.append(Abstract((self.capacity,), atoms.INT32, Kind.BUFFER))
        parts += [Abstract((self.capacity, *t.shape), t.dtype, Kind.BUFFER) for t in self.rows]
        return layouts.Node(self, tuple(map(layouts.Leaf, parts)))

    def of_length(self, length: int) -> ItemsStructure:
        """That of so many elements, always."""
        return dataclasses.replace(self, capacity=length, room=None, ring=False, fixed=True)

    def with_kinds_of(self, other: ItemsStructure) -> ItemsStructure:
        """That of elements of these kinds, or of another's."""
        return dataclasses.replace(self, variants=tuple(distinct([*self.variants, *other.variants])))

    def children(self, value: Any) -> list[Any]:
        parts = as_items(value, self).parts
        return list(parts[1:] if self.fixed else parts)

    def build(self, children: Sequence[Any]) -> Any:
        parts = (self.capacity, *children) if self.fixed else children
        return Items(self, parts) if tracing() else _on_host(self, parts, ())

    def hosted(self, members: Mapping[int, int]) -> Structure:
        return dataclasses.replace(
            self, variants=tuple(host_values.hosted(v, {}, {}, members=members) for v in self.variants)
        )

    def on_host(self, children: Sequence[Any], members: Sequence[Any]) -> Any:
        return _on_host(self, (self.capacity, *children) if self.fixed else children, members)

    def meet(self, mine: layouts.Node, other: layouts.Node) -> layouts.Layout | None:
        return joined(mine, other)


@frozen
class Read:
    """An element that has been read: which builder has the equations for it, and the last of them."""

    value: Any
    builder: Builder
    place: int
    equation: Equation

    @property
    def is_there(self) -> bool:
        """Return whether the current builder can still use the element: nothing has been rolled back since."""
        equations, builder = self.builder.equations, builder_or_none()
        while builder is not None and builder is not self.builder:
            builder = builder.parent
        return builder is not None and self.place < len(equations) and equations[self.place] is self.equation


@frozen
class Past:
    """The first elements, which were there before a loop or a branch, and the kinds that each step has appended.

    Attributes
    ----------
    contents : tuple or Items
    length : int
        How many these are.
    kinds : tuple of int
        Empty where they are not known.
    """

    contents: Any
    length: int
    kinds: tuple[int, ...]

    @property
    def objects(self) -> tuple[Any, ...]:
        """The first elements that are known as such."""
        return _head(self.contents)


class Items:
    """`length` elements; `parts` are the length, where the first is (of a ring), tags (of several kinds), memory."""

    __slots__ = ("grown_from", "parts", "past", "read", "structure")

    def __init__(self, structure: ItemsStructure, parts: Sequence[Any]) -> None:
        self.structure = structure
        # Of which these are with more at the end, and the kinds of those (None: one of several).
        self.grown_from: tuple[Items, tuple[int | None, ...]] | None = None
        self.past: Past | None = None
        self.read: dict[int, Read] = {}
        length, *rest = parts
        if isinstance(length, Traced):
            length = python_scalar(wrap.as_atom(length), Interval(0, min(interval_of(length).high, structure.capacity)))
        self.parts: tuple[Any, ...] = (length, *rest)

    def __anabranch_structure__(self) -> Structure:
        return self.structure

    # ---- parts -------------------------------------------------------------------------------------------------------

    @property
    def length(self) -> Any:
        """How many there are: a Python int, traced or not."""
        return self.parts[0]

    @property
    def first(self) -> Any:
        """Where the first one lies."""
        return self.parts[1] if self.structure.ring else 0

    @property
    def _head(self) -> int:
        return 2 if self.structure.ring else 1

    @property
    def tags(self) -> Atom | None:
        """The kind of each element, where there are several."""
        return wrap.as_atom(self.parts[self._head]) if len(self.structure.variants) > 1 else None

    @property
    def memory(self) -> list[Atom]:
        """The tags, where there are several kinds, and the memory of each leaf of each kind."""
        return [*([] if self.tags is None else [self.tags]), *self.buffers]

    @property
    def buffers(self) -> list[Atom]:
        """The memory of each leaf of each kind."""
        return [wrap.as_atom(b) for b in self.parts[self._head + (len(self.structure.variants) > 1) :]]

    def _with(self, length: Any, first: Any, tags: Atom | None, buffers: Sequence[Atom], **changed: Any) -> Items:
        structure = dataclasses.replace(self.structure, **changed) if changed else self.structure
        head = [length, first] if structure.ring else [length]
        memory = [*([] if tags is None else [tags]), *buffers]
        return Items(structure, [*head, *map(Buffer, memory)])

    def loosened(self) -> Items:
        """The same elements, of which the length may change."""
        return Items(dataclasses.replace(self.structure, fixed=False), self.parts) if self.structure.fixed else self

    def fastened(self) -> Items:
        """The same elements, of a length that is known and stays."""
        fitting = self.resized(self.length, None)
        return Items(dataclasses.replace(fitting.structure, fixed=True), fitting.parts)

    def cut(self, length: Any) -> Items:
        """The first `length` of them."""
        return Items(dataclasses.replace(self.structure, fixed=False), (length, *self.parts[1:]))

    def without_first(self, length: Any) -> Items:
        """All but the first, of a ring."""
        return Items(self.structure, (length, self._around(self.first + 1), *self.parts[2:]))

    # ---- places ------------------------------------------------------------------------------------------------------

    def _around(self, place: Any) -> Any:
        """A place of a ring, which may have gone past its end once."""
        n = self.structure.capacity
        atom = wrap.as_atom(place, np.int64)
        past = atoms.ufunc(np.greater_equal, atom, atoms.literal(n, np.int64))
        less = atoms.ufunc(np.subtract, atom, atoms.literal(n, np.int64))
        return python_scalar(atoms.select(past, less, atom), Interval(0, max(n - 1, 0)))

    def place(self, position: Any) -> Atom:
        """Where the element at a position lies."""
        place = self._around(self.first + position) if self.structure.ring else position
        return wrap.as_atom(place, np.int64)

    def places(self, positions: Atom) -> Atom:
        """The same for a vector of positions."""
        if not self.structure.ring:
            return positions
        n = atoms.literal(np.full(positions.type.shape, max(self.structure.capacity, 1)), np.int64)
        first = atoms.broadcast_to(wrap.as_atom(self.first, np.int64), positions.type.shape)
        return atoms.ufunc(np.remainder, atoms.ufunc(np.add, first, positions), n)

    # ---- elements ----------------------------------------------------------------------------------------------------

    def item(self, position: Any) -> Any:
        """The element at a position that is in range."""
        past, kinds = self.past, self.structure.variants
        kind = 0 if len(kinds) == 1 else None
        if past is not None and type(position) is int:
            if position < past.length:
                contents = past.contents
                return contents.item(position) if isinstance(contents, Items) else contents[position]
            kind = past.kinds[(position - past.length) % len(past.kinds)] if past.kinds else kind
        known = self.read.get(position) if type(position) is int else None
        if known is not None and known.is_there:
            return known.value
        place = self.place(position)
        memory = self.memory
        layout: layouts.Layout = layouts.Choice(kinds)
        if kind is not None:
            first = len(memory) - len(self.structure.rows) + sum(len(layouts.leaf_types(k)) for k in kinds[:kind])
            layout = kinds[kind]
            memory = memory[first : first + len(layouts.leaf_types(layout))]
        leaves = [item_memory.row(b, place) for b in memory]
        made: list[Array | None] = []
        value = pack_unpack.unpack(layout, iter(leaves), made)
        if isinstance(layout, layouts.Choice) and isinstance(value, ChoiceValue):
            value.number = None  # elements of other kinds have left the memory of each kind as it was
        item_kinds.note_copied(value)
        builder = current()
        for array in made:
            if array is not None:
                builder.keep(array.storage)
                # Another element may be the same array.
                builder.trace.identity.merged[id(array)] = array
        if type(position) is int and builder.equations:
            last = len(builder.equations) - 1
            self.read[position] = Read(value, builder, last, builder.equations[last])
        return value

    def with_item(self, position: Any, value: Any) -> Items:
        """With another element at a position that is in range."""
        row = item_kinds.Row.of(value, self.structure.variants)
        items = as_items(self, dataclasses.replace(self.structure, variants=row.variants))
        return items._written(items.place(position), row)

    def _written(self, place: Atom, row: item_kinds.Row) -> Items:
        tags = self.tags
        if tags is not None:
            tags = item_memory.updated(tags, row.tag, place)
        pairs = zip(self.buffers, row.leaves, strict=True)
        buffers = [b if a is None else item_memory.updated(b, a, place) for b, a in pairs]
        return self._with(self.length, self.first, tags, buffers)

    def pushed(self, value: Any, front: bool = False) -> Items:
        """With one element more at the end, or (of a ring) at the front."""
        row = item_kinds.Row.of(value, self.structure.variants)
        structure = dataclasses.replace(self.structure, variants=row.variants, fixed=False)
        if structure.room is None:
            structure = dataclasses.replace(structure, capacity=structure.capacity + 1)
        items = as_items(self, structure)
        length = wrap.as_atom(items.length, np.int64)
        most = interval_of(items.length).high
        if structure.room is not None and most >= structure.capacity:
            full = atoms.ufunc(np.greater_equal, length, atoms.literal(structure.capacity, np.int64))
            capacity_requests.exceeded(full, structure.room)
        first = items.first
        if front:
            first = items._around(items.first + (structure.capacity - 1))
        place = wrap.as_atom(first, np.int64) if front else items.place(items.length)
        written = items._written(place, row)
        longest = Interval(0, min(most + 1, structure.capacity))
        more = python_scalar(atoms.ufunc(np.add, length, atoms.literal(1, np.int64)), longest)
        head = (more, first) if structure.ring else (more,)
        made = Items(structure, (*head, *written.parts[len(head) :]))
        if not front:
            source, kinds = self.grown_from or (self, ())
            made.grown_from = (source, (*kinds, row.kind))
            made.past = self.past
            if type(self.length) is int:
                made.past = Past(self, self.length, () if row.kind is None else (row.kind,))
        return made

    def followed_by(self, other: Items) -> Items:
        """These elements and then others; the lengths of both stay."""
        return one_after_another([self, other])

    def at(self, places: range) -> Items:
        """The elements at some places, of static length."""
        if places.step == 1 and len(places):
            memory = [item_memory.between(m, places.start, places.stop) for m in self.memory]
            structure = dataclasses.replace(self.structure, capacity=len(places))
            return Items(structure, (len(places), *map(Buffer, memory)))
        return self.taken(atoms.literal(np.array(places, np.int64)), len(places)).fastened()

    def taken(self, positions: Atom, length: Any) -> Items:
        """The elements at these positions (an int64 vector), of which the first `length` count."""
        places = self.places(positions)
        memory = [item_memory.gathered(b, places) for b in self.buffers]
        tags = None if self.tags is None else item_memory.gathered(self.tags, places)
        (capacity,) = positions.type.shape
        room = self.structure.room if capacity == self.structure.capacity else None
        return self._with(length, 0, tags, memory, capacity=capacity, room=room, fixed=False)

    def resized(self, capacity: int, room: Capacity | None) -> Items:
        """The same elements with other room."""
        items, old = self.loosened(), self.structure.capacity
        if capacity == old:
            return Items(dataclasses.replace(items.structure, room=room), self.parts)
        if self.structure.ring:
            items = self.taken(item_memory.iota(old), self.length)
        if capacity < old and room is not None:
            length = wrap.as_atom(self.length, np.int64)
            over = atoms.ufunc(np.greater, length, atoms.literal(capacity, np.int64))
            capacity_requests.exceeded(over, room, length)
        memory = [item_memory.fitted(b, capacity) for b in items.buffers]
        tags = None if items.tags is None else item_memory.fitted(items.tags, capacity)
        return items._with(items.length, items.first, tags, memory, capacity=capacity, room=room)


# ---- meeting of lengths ----------------------------------------------------------------------------------------------


def kinds_of(node: layouts.Layout) -> list[layouts.Layout]:
    """The kinds of a list's elements, from the layout of its contents."""
    assert isinstance(node, layouts.Node)
    if isinstance(node.structure, ItemsStructure):
        return list(node.structure.variants)
    found = [c.options if isinstance(c, layouts.Choice) else (c,) for c in node.children]
    return [item_kinds.general(kind) for options in found for kind in options]


def joined(a: layouts.Node, b: layouts.Node) -> layouts.Layout | None:
    """Contents of two lengths as one of a run-time length; None where lists keep their lengths."""
    if not all(isinstance(n.structure, (ContentsStructure, ItemsStructure)) for n in (a, b)):
        return None
    found = [n.structure for n in (a, b) if isinstance(n.structure, ItemsStructure)]
    same_length = all(isinstance(n.structure, ContentsStructure) or n.structure.fixed for n in (a, b))  # type: ignore[attr-defined]
    if same_length and found and capacity_of(a) == capacity_of(b):
        return _of_one_length(a, b)
    if all(s.fixed for s in found) and not may_grow():
        return None
    kinds = distinct(kinds_of(a) + kinds_of(b))
    fixed = next((s for s in found if s.room is not None), None)
    most = max(capacity_of(a), capacity_of(b))
    ring = any(n.structure.ring for n in (a, b) if isinstance(n.structure, (ContentsStructure, ItemsStructure)))
    if fixed is not None:
        return ItemsStructure(Items, (), None, tuple(kinds), fixed.capacity, fixed.room, ring).layout
    return ItemsStructure(Items, (), None, tuple(kinds), most, None, ring).layout


def distinct(kinds: Sequence[layouts.Layout]) -> list[layouts.Layout]:
    """Each kind once, in order."""
    found: list[layouts.Layout] = []
    for kind in kinds:
        found += [kind] if kind not in found else []
    return found


def _of_one_length(a: layouts.Node, b: layouts.Node) -> layouts.Layout:
    """Contents of one static length, of which those of `a` or `b` are side by side."""
    kinds = distinct(kinds_of(a) + kinds_of(b))
    return ItemsStructure(Items, (), None, tuple(kinds), capacity_of(a), fixed=True).layout


def capacity_of(node: layouts.Node) -> int:
    """How many elements there are at most."""
    return node.structure.capacity if isinstance(node.structure, ItemsStructure) else len(node.children)


def as_items(value: Any, structure: ItemsStructure) -> Items:
    """Contents of a list with the memory, and the kinds, that the structure says."""
    if not isinstance(value, Items):
        return _side_by_side(list(value), structure)
    if value.structure == structure:
        return value if value.structure is structure else Items(structure, value.parts)
    items = value if structure.fixed else value.resized(structure.capacity, structure.room)
    if items.structure.ring and not structure.ring:
        items = items.taken(item_memory.iota(structure.capacity), items.length)
    return _with_kinds(items, structure)


def _with_kinds(items: Items, structure: ItemsStructure) -> Items:
    old = items.structure.variants
    memory: dict[int, list[Atom]] = {}
    left = iter(items.buffers)
    for kind in old:
        memory[structure.variants.index(kind)] = [next(left) for _ in layouts.leaf_types(kind)]
    buffers: list[Atom] = []
    for k, kind in enumerate(structure.variants):
        rows = layouts.leaf_types(kind)
        buffers += memory.get(k) or [item_memory.zeros((structure.capacity, *t.shape), t.dtype) for t in rows]
    tags = None
    if len(structure.variants) > 1:
        tags = _tags(items, [structure.variants.index(kind) for kind in old], structure.capacity)
    head = (items.length, items.first) if structure.ring else (items.length,)
    return Items(structure, (*head, *map(Buffer, ([] if tags is None else [tags]) + buffers)))


def _tags(items: Items, places: Sequence[int], capacity: int) -> Atom:
    """The elements' kinds, by where they are among others now."""
    if items.tags is None:
        return item_memory.filled((capacity,), np.int32, places[0] if places else 0)
    if list(places) == list(range(len(places))):
        return items.tags
    made = item_memory.filled((capacity,), np.int32, places[-1])
    for old, new in enumerate(places[:-1]):
        here = atoms.ufunc(np.equal, items.tags, item_memory.filled((capacity,), np.int32, old))
        made = atoms.select(here, item_memory.filled((capacity,), np.int32, new), made)
    return made


def _side_by_side(values: list[Any], structure: ItemsStructure) -> Items:
    start: list[Any] = [len(values), 0] if structure.ring else [len(values)]
    constant = item_constants.memory_of(values, structure.variants)
    if constant is not None:
        return Items(structure, [*start, *(Buffer(item_memory.fitted(m, structure.capacity)) for m in constant)])
    rows = [item_kinds.Row.of(v, structure.variants) for v in values]
    types = structure.rows
    buffers: list[Atom] = []
    for k, type in enumerate(types):
        lines = [item_memory.zeros(type.shape, type.dtype) if r.leaves[k] is None else r.leaves[k] for r in rows]
        buffers.append(item_memory.stacked([a for a in lines if a is not None], type, structure.capacity))
    tags = None
    if len(structure.variants) > 1:
        tags = item_memory.stacked([r.tag for r in rows], ArrayType((), atoms.INT32), structure.capacity)
    return Items(structure, [*start, *map(Buffer, ([] if tags is None else [tags]) + buffers)])


def element_kinds(contents: Sequence[Any]) -> list[layouts.Layout] | None:
    """The kinds of a list's elements; None where some are neither numbers nor tuples of such, or there are many."""
    kinds = item_constants.kinds_of(contents)
    if kinds is None:
        described = list(map(layouts.describe, contents))
        options = [o for d in described for o in (d.options if isinstance(d, layouts.Choice) else (d,))]
        if not all(map(item_constants.is_plain, options)):
            return None
        kinds = distinct(list(map(item_kinds.general, options)))
    return kinds if 0 < len(kinds) <= item_constants.MOST_KINDS else None


def one_after_another(parts: Sequence[Items]) -> Items:
    """The elements of several, of which the lengths stay, as one."""
    kinds = tuple(distinct([kind for part in parts for kind in part.structure.variants]))
    alike = [as_items(part, dataclasses.replace(part.structure, variants=kinds)) for part in parts]
    memory = [atoms.op("concatenate", *rows, axis=0) for rows in zip(*(a.memory for a in alike), strict=True)]
    length = sum(part.length for part in parts)
    return Items(parts[0].structure.of_length(length).with_kinds_of(alike[0].structure), (length, *map(Buffer, memory)))


def side_by_side(contents: Sequence[Any], fixed: bool) -> Items | None:
    """The contents of a list as `Items`; None where `element_kinds` has none."""
    kinds = element_kinds(contents)
    if kinds is None:
        return None
    return as_items(tuple(contents), ItemsStructure(Items, (), None, tuple(kinds), len(contents), fixed=fixed))


# ---- on the host -----------------------------------------------------------------------------------------------------


def _on_host(structure: ItemsStructure, parts: Sequence[Any], members: Sequence[Any]) -> list[Any]:
    """The elements, from the outputs of a run; `members` are the nodes of graphs, which some may be."""
    length, *rest = parts
    first = int(rest.pop(0)) if structure.ring else 0
    tags = np.asarray(rest.pop(0)) if len(structure.variants) > 1 else None
    builders: list[Callable[[int], Any]] = []
    for kind in structure.variants:
        memory = [np.asarray(rest.pop(0)) for _ in layouts.leaf_types(kind)]
        builders.append(_builder(kind, memory, members))
    places = [(first + i) % max(structure.capacity, 1) for i in range(int(length))]
    return [builders[0 if tags is None else int(tags[p])](p) for p in places]


def _builder(
    kind: layouts.Layout, memory: Sequence[np.ndarray[Any, Any]], members: Sequence[Any]
) -> Callable[[int], Any]:
    if isinstance(kind, layouts.Leaf) and kind.abstract.kind is Kind.PYTHON:
        numbers: list[Any] = memory[0].tolist()
        return numbers.__getitem__
    return lambda place: host_values.build(kind, iter([np.array(m[place]) for m in memory]), members)


# ---- as results ------------------------------------------------------------------------------------------------------


class Headed(Items):
    """The elements of a list that is a result: first those that are objects from before a loop or a branch."""

    __slots__ = ("head",)

    def __init__(self, items: Items, head: Sequence[Any]) -> None:
        super().__init__(items.structure, items.parts)
        self.head = tuple(head)

    def __anabranch_structure__(self) -> Structure:
        return HeadedStructure(type(self), tuple(range(len(self.head) + 1)))


@frozen
class HeadedStructure(Structure):
    """That of `Headed`: the objects, then all elements side by side, those objects among them."""

    @property
    def mutable(self) -> bool:
        return False

    def children(self, value: Any) -> list[Any]:
        return [*value.head, Items(value.structure, value.parts)]

    def build(self, children: Sequence[Any]) -> list[Any]:
        *head, items = children
        return [*head, *items[len(head) :]]


def note_head(items: Items, ways: Sequence[Any]) -> None:
    """Note which objects a list begins with after branches, where each of them has left the same ones there.

    Parameters
    ----------
    items : Items
        The list's elements after the branches.
    ways : sequence of tuple or Items
        The elements after each branch.
    """
    heads = [_head(way) for way in ways]
    same = [row[0] for row in itertools.takewhile(_is_one_object, zip(*heads, strict=False))]
    if same and items.past is None:
        items.past = Past(tuple(same), len(same), ())
        current().trace.lists.has_heads = True


def _head(contents: Any) -> tuple[Any, ...]:
    """Return the first elements that are known as objects."""
    if isinstance(contents, Items):
        return () if contents.past is None else contents.past.objects
    return tuple(contents) if isinstance(contents, tuple) else ()


def _is_one_object(row: Sequence[Any]) -> bool:
    return all(value is row[0] for value in row)


def with_heads(lists: Iterable[Any]) -> None:
    """Let lists that are given back have the very arrays that were in them before a loop or a branch."""
    for found in lists:
        # A row of a table has no elements of its own.
        if not isinstance(found, MayGrow) or found.home is not None:
            continue
        if found.items is None or found.items.past is None:
            continue
        head = found.items.past.objects
        if any(isinstance(v, (Array, np.ndarray)) for v in head):
            found.become(Headed(found.items, head))  # type: ignore[attr-defined]
