"""The elements of a list whose length is known only at run time, side by side in memory of a static capacity.

An `Items` never changes: what is done to the list gives another one. Each kind of element has memory of its own, one
array for each of the element's leaves; where there are several kinds, a tag says which an element is, so that each
keeps its type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.tracing.computed import Computed
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists import item_constants, item_kinds
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure, distinct
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, pack_unpack
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


@frozen
class Read:
    """An element that has been read."""

    value: Any
    computed: Computed


@frozen
class Past:
    """The first elements, which were there before a loop or a branch, and the kinds that each step has appended."""

    contents: tuple[Any, ...] | Items
    length: int  # how many these are
    kinds: tuple[int, ...]  # empty where they are not known

    @property
    def objects(self) -> tuple[Value, ...]:
        """The first elements that are known as such."""
        return prefix_objects(self.contents)


@frozen
class Element:
    """An element that is in a list where `pred` holds: the object that it is; None: one that only the memory has."""

    value: object
    pred: Atom


class Items:
    """`length` elements; `parts` are the length, the first's place (if circular), tags (of several kinds), memory."""

    __slots__ = ("elements", "grown_from", "parts", "past", "read", "structure")

    def __init__(self, structure: ItemsStructure, parts: Sequence[object]) -> None:
        self.structure = structure
        # Of which these are with more at the end, and the kinds of those (None: one of several).
        self.grown_from: tuple[Items, tuple[int | None, ...]] | None = None
        self.past: Past | None = None
        # What may be in the list, in order; None where that is not known of each.
        self.elements: tuple[Element, ...] | None = None
        self.read: dict[int, Read] = {}
        length, *rest = parts
        if isinstance(length, Tracer):
            length = python_scalar(wrap.as_atom(length), Interval(0, min(interval_of(length).high, structure.capacity)))
        self.parts: tuple[Any, ...] = (length, *rest)

    @staticmethod
    def of(value: Value, structure: ItemsStructure) -> Items:
        """Contents of a list with the memory, and the kinds, that the structure says."""
        if not isinstance(value, Items):
            return _side_by_side(list(value), structure)
        if value.structure == structure:
            return value if value.structure is structure else Items(structure, value.parts)
        items = value if structure.fixed else value.resized(structure.capacity, structure.request)
        if items.structure.is_circular and not structure.is_circular:
            items = items.taken(item_memory.iota(structure.capacity), items.length)
        return _with_kinds(items, structure)

    def __anabranch_structure__(self) -> Structure:
        return self.structure

    # ---- parts -------------------------------------------------------------------------------------------------------

    @property
    def length(self) -> Value:
        """How many there are: a Python int, traced or not."""
        return self.parts[0]

    @property
    def first(self) -> Value:
        """Where the first one lies."""
        return self.parts[1] if self.structure.is_circular else 0

    @property
    def _head(self) -> int:
        return 2 if self.structure.is_circular else 1

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

    def _with(self, length: Bound, first: Bound, tags: Atom | None, buffers: Sequence[Atom], **changed: Any) -> Items:
        structure = dataclasses.replace(self.structure, **changed) if changed else self.structure
        head = [length, first] if structure.is_circular else [length]
        memory = [*([] if tags is None else [tags]), *buffers]
        return Items(structure, [*head, *map(ListBuffer, memory)])

    def with_dynamic_length(self) -> Items:
        """The same elements, of which the length may change."""
        return Items(dataclasses.replace(self.structure, fixed=False), self.parts) if self.structure.fixed else self

    def with_static_length(self) -> Items:
        """The same elements, of a length that is known and stays."""
        fitting = self.resized(self.length, None)
        return Items(dataclasses.replace(fitting.structure, fixed=True), fitting.parts)

    def cut(self, length: Bound) -> Items:
        """The first `length` of them."""
        return Items(dataclasses.replace(self.structure, fixed=False), (length, *self.parts[1:]))

    def without_first(self, length: Bound) -> Items:
        """All but the first, of a circular buffer."""
        return Items(self.structure, (length, self._around(self.first + 1), *self.parts[2:]))

    # ---- places ------------------------------------------------------------------------------------------------------

    def _around(self, place: Bound) -> Value:
        """A place of a circular buffer, which may have gone past its end once."""
        n = self.structure.capacity
        atom = wrap.as_atom(place, np.int64)
        past = atoms.ufunc(np.greater_equal, atom, atoms.literal(n, np.int64))
        less = atoms.ufunc(np.subtract, atom, atoms.literal(n, np.int64))
        return python_scalar(atoms.select(past, less, atom), Interval(0, max(n - 1, 0)))

    def place(self, position: Bound) -> Atom:
        """Where the element at a position lies."""
        place = self._around(self.first + position) if self.structure.is_circular else position
        return wrap.as_atom(place, np.int64)

    def places(self, positions: Atom) -> Atom:
        """The same for a vector of positions."""
        if not self.structure.is_circular:
            return positions
        n = atoms.literal(np.full(positions.type.shape, max(self.structure.capacity, 1)), np.int64)
        first = atoms.broadcast_to(wrap.as_atom(self.first, np.int64), positions.type.shape)
        return atoms.ufunc(np.remainder, atoms.ufunc(np.add, first, positions), n)

    # ---- elements ----------------------------------------------------------------------------------------------------

    def item(self, position: Bound) -> Value:
        """The element at a position that is in range."""
        past, kinds = self.past, self.structure.variants
        if not kinds:
            raise UnreachableError  # there never is one
        kind = 0 if len(kinds) == 1 else None
        if past is not None and type(position) is int:
            if position < past.length:
                contents = past.contents
                return contents.item(position) if isinstance(contents, Items) else contents[position]
            kind = past.kinds[(position - past.length) % len(past.kinds)] if past.kinds else kind
        known = self.read.get(position) if type(position) is int else None
        if known is not None and known.computed.is_there:
            return known.value
        place = self.place(position)
        memory = self.memory
        layout: layouts.Layout = layouts.Union(kinds)
        if kind is not None:
            first = len(memory) - len(self.structure.rows) + sum(len(layouts.leaf_types(k)) for k in kinds[:kind])
            layout = kinds[kind]
            memory = memory[first : first + len(layouts.leaf_types(layout))]
        leaves = [item_memory.row(b, place) for b in memory]
        made: list[TracedArray | None] = []
        value = pack_unpack.unpack(layout, iter(leaves), made)
        if isinstance(layout, layouts.Union) and isinstance(value, UnionValue):
            value.number = None  # elements of other kinds have left the memory of each kind as it was
        item_kinds.note_copied(value)
        builder = current()
        for array in made:
            if array is not None:
                builder.freeze(array.storage)
                # Another element may be the same array.
                builder.trace.identity.merge(array)
        if type(position) is int and builder.equations:
            self.read[position] = Read(value, Computed.now())
        return value

    def with_item(self, position: Bound, value: object) -> Items:
        """With another element at a position that is in range."""
        row = item_kinds.ItemRow.of(value, self.structure.variants)
        items = Items.of(self, dataclasses.replace(self.structure, variants=row.variants))
        return items._written(items.place(position), row)

    def _written(self, place: Atom, row: item_kinds.ItemRow) -> Items:
        tags = self.tags
        if tags is not None:
            tags = item_memory.updated(tags, row.tag, place)
        pairs = zip(self.buffers, row.leaves, strict=True)
        buffers = [b if a is None else item_memory.updated(b, a, place) for b, a in pairs]
        return self._with(self.length, self.first, tags, buffers)

    def pushed(self, value: object, front: bool = False) -> Items:
        """With one element more at the end, or (of a circular buffer) at the front."""
        row = item_kinds.ItemRow.of(value, self.structure.variants)
        items = self._with_room(1, row.variants)
        first = items.first
        if front:
            first = items._around(items.first + (items.structure.capacity - 1))
        place = wrap.as_atom(first, np.int64) if front else items.place(items.length)
        made = items._written(place, row)._longer(1, first)
        return made if front else self._noting(made, (value,), row.kind)

    def extended(self, values: Sequence[Value], kind: layouts.Layout) -> Items:
        """With several elements of one kind more at the end, of a buffer that is not circular: as one block."""
        count, variants = len(values), tuple(distinct([*self.structure.variants, kind]))
        items, place = self._with_room(count, variants), wrap.as_atom(self.length, np.int64)
        block = _side_by_side(list(values), ItemsStructure(Items, (), None, (kind,), count)).buffers
        number = variants.index(kind)
        first = sum(len(layouts.leaf_types(k)) for k in variants[:number])
        buffers, tags = items.buffers, items.tags
        for k, line in enumerate(block, first):
            buffers[k] = item_memory.block_updated(buffers[k], line, place)
        if tags is not None:
            tags = item_memory.block_updated(tags, item_memory.filled((count,), atoms.INT32, number), place)
        made = items._with(items.length, 0, tags, buffers)._longer(count, 0)
        return self._noting(made, values, number)

    def _with_room(self, count: int, variants: tuple[layouts.Layout, ...]) -> Items:
        """The same elements, of these kinds, with room for more of them."""
        structure = dataclasses.replace(self.structure, variants=variants, fixed=False)
        if structure.request is None:
            structure = dataclasses.replace(structure, capacity=structure.capacity + count)
        elif interval_of(self.length).high > structure.capacity - count:
            length = wrap.as_atom(self.length, np.int64)
            full = atoms.ufunc(np.greater, length, atoms.literal(structure.capacity - count, np.int64))
            capacity_requests.exceeded(full, structure.request)
        return Items.of(self, structure)

    def _longer(self, count: int, first: Bound) -> Items:
        """The same with so many elements more, which are there."""
        longest = Interval(0, min(interval_of(self.length).high + count, self.structure.capacity))
        length = wrap.as_atom(self.length, np.int64)
        more = python_scalar(atoms.ufunc(np.add, length, atoms.literal(count, np.int64)), longest)
        head = (more, first) if self.structure.is_circular else (more,)
        return Items(self.structure, (*head, *self.parts[len(head) :]))

    def _noting(self, made: Items, values: Sequence[Value], kind: int | None) -> Items:
        """The elements `made`, with what is known of them: they are these and then those values, of one kind."""
        source, kinds = self.grown_from or (self, ())
        made.grown_from = (source, (*kinds, *[kind] * len(values)))
        made.past = self.past
        if self.elements is not None:
            kept = [v if isinstance(v, (TracedArray, np.ndarray)) else None for v in values]
            made.elements = (*self.elements, *(Element(value, atoms.literal(True)) for value in kept))
        if type(self.length) is int:
            made.past = Past(self, self.length, () if kind is None else (kind,))
        return made

    def followed_by(self, other: Items) -> Items:
        """These elements and then others; the lengths of both stay."""
        return one_after_another([self, other])

    def at(self, places: range) -> Items:
        """The elements at some places, of static length."""
        if places.step == 1 and len(places):
            memory = [atoms.cut(m, places.start, places.stop) for m in self.memory]
            structure = dataclasses.replace(self.structure, capacity=len(places))
            return Items(structure, (len(places), *map(ListBuffer, memory)))
        return self.taken(atoms.literal(np.array(places, np.int64)), len(places)).with_static_length()

    def taken(self, positions: Atom, length: Bound) -> Items:
        """The elements at these positions (an int64 vector), of which the first `length` count."""
        places = self.places(positions)
        memory = [item_memory.gathered(b, places) for b in self.buffers]
        tags = None if self.tags is None else item_memory.gathered(self.tags, places)
        (capacity,) = positions.type.shape
        request = self.structure.request if capacity == self.structure.capacity else None
        return self._with(length, 0, tags, memory, capacity=capacity, request=request, fixed=False)

    def resized(self, capacity: int, request: Capacity | None) -> Items:
        """The same elements with another capacity."""
        items, old = self.with_dynamic_length(), self.structure.capacity
        if capacity == old:
            return Items(dataclasses.replace(items.structure, request=request), self.parts)
        if self.structure.is_circular:
            items = self.taken(item_memory.iota(old), self.length)
        if capacity < old and request is not None:
            length = wrap.as_atom(self.length, np.int64)
            over = atoms.ufunc(np.greater, length, atoms.literal(capacity, np.int64))
            capacity_requests.exceeded(over, request, length)
        memory = [item_memory.fitted(b, capacity) for b in items.buffers]
        tags = None if items.tags is None else item_memory.fitted(items.tags, capacity)
        return items._with(items.length, items.first, tags, memory, capacity=capacity, request=request)


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
    head = (items.length, items.first) if structure.is_circular else (items.length,)
    return Items(structure, (*head, *map(ListBuffer, ([] if tags is None else [tags]) + buffers)))


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


def _side_by_side(values: list[Value], structure: ItemsStructure) -> Items:
    start: list[int] = [len(values), 0] if structure.is_circular else [len(values)]
    constant = item_constants.memory_of(values, structure.variants)
    if constant is not None:
        return Items(structure, [*start, *(ListBuffer(item_memory.fitted(m, structure.capacity)) for m in constant)])
    # An object that is there several times has one row.
    row_of = IdentityDict((v, item_kinds.ItemRow.of(v, structure.variants)) for v in IdentitySet(values))
    rows = [row_of[v] for v in values]
    types = structure.rows
    buffers: list[Atom] = []
    for k, type in enumerate(types):
        lines = [item_memory.zeros(type.shape, type.dtype) if r.leaves[k] is None else r.leaves[k] for r in rows]
        buffers.append(item_memory.stacked([a for a in lines if a is not None], type, structure.capacity))
    tags = None
    if len(structure.variants) > 1:
        tags = item_memory.stacked([r.tag for r in rows], ArrayType((), atoms.INT32), structure.capacity)
    return Items(structure, [*start, *map(ListBuffer, ([] if tags is None else [tags]) + buffers)])


def one_after_another(parts: Sequence[Items]) -> Items:
    """The elements of several, of which the lengths stay, as one."""
    kinds = tuple(distinct([kind for part in parts for kind in part.structure.variants]))
    alike = [Items.of(part, dataclasses.replace(part.structure, variants=kinds)) for part in parts]
    memory = [atoms.op("concatenate", *rows, axis=0) for rows in zip(*(a.memory for a in alike), strict=True)]
    length = sum(part.length for part in parts)
    return Items(
        parts[0].structure.of_length(length).with_kinds_of(alike[0].structure), (length, *map(ListBuffer, memory))
    )


def prefix_objects(contents: object) -> tuple[Value, ...]:
    """Return the first elements that are known as objects."""
    if isinstance(contents, Items):
        return () if contents.past is None else contents.past.objects
    return tuple(contents) if isinstance(contents, tuple) else ()
