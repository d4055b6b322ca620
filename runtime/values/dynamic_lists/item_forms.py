"""The forms of values that lie side by side in arrays.

An `ItemForm` says what values of one kind consist of: constants, numbers, arrays that nobody else has, and tuples,
lists and dicts of these. Values of one form are rows of some arrays, one array for each run-time leaf; what a row
stands for is made of `Part`s again, and costs no equation before it is read.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms, containers, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, abstract_of
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.memory.item_memory import side_by_side
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, node_graphs, node_reference, node_structures
from anabranch.runtime.values.union import UnionValue


def wholes(values: Sequence[object], form: ItemForm) -> list[Atom]:
    """The arrays that hold values of a form, one for each of its leaves."""
    columns: list[list[Atom]] = [[] for _ in form.bases]
    for value in values:
        form.collect(value, columns)
    return [
        atoms.reshape(side_by_side(column, base), (len(values), *dims, *base.shape))
        for column, (dims, base) in zip(columns, form.bases, strict=True)
    ]


class ItemForm(abc.ABC):
    """The form of values of one kind: the parts that they consist of."""

    @property
    @abc.abstractmethod
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        """Of each run-time leaf the axes that it has for items of lists, and the type of one item."""

    @property
    def types(self) -> list[ArrayType]:
        """The types of the run-time leaves of one value."""
        return [ArrayType((*dims, *base.shape), base.dtype) for dims, base in self.bases]

    @property
    def mutable(self) -> bool:
        """Return whether something in a value has an identity, so that each value must have its own."""
        return False

    @abc.abstractmethod
    def collect(self, value: object, columns: Sequence[list[Atom]]) -> None:
        """Append the items of each leaf of a value to its column, in C order."""

    def leaves(self, value: Value) -> list[Atom]:
        """The atoms of a value, one for each of the types."""
        return [atoms.reshape(w, t.shape) for w, t in zip(wholes([value], self), self.types, strict=True)]

    @abc.abstractmethod
    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        """The value that lies at a place of arrays that hold such values."""

    @abc.abstractmethod
    def at(self, leaves: Iterator[Atom]) -> Value:
        """The value of atoms of the types."""

    @abc.abstractmethod
    def joined(self, other: ItemForm) -> ItemForm | None:
        """The form that values of either have; None where there is none."""


class _KnownForm(ItemForm):
    """The base of forms of what is known while tracing, and in no array."""

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return []

    def collect(self, value: object, columns: Sequence[list[Atom]]) -> None:
        pass


@frozen
class _LeafForm(ItemForm):
    """The base of forms of one leaf."""

    abstract: Abstract

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((), self.abstract.type)]

    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        return self.at(iter([Part(self.abstract.type, wholes[0], place)]))


@frozen
class ConstantForm(_KnownForm):
    """One immutable object, the same in each value."""

    value: Any

    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        return self.value

    def at(self, leaves: Iterator[Atom]) -> Value:
        return self.value

    def joined(self, other: ItemForm) -> ItemForm | None:
        if isinstance(other, ConstantForm) and layouts.same(self.value, other.value):
            return self
        if isinstance(other, Numbered):
            return other.joined(self)
        return None if (number := _number(self.value)) is None else number.joined(other)


@frozen
class StaticNumbersForm(_KnownForm):
    """A number that is known for each place."""

    values: tuple[Any, ...]

    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        return self.values[place]

    def at(self, leaves: Iterator[Atom]) -> Value:
        raise AssertionError("of no one place")

    def joined(self, other: ItemForm) -> ItemForm | None:
        return None


@frozen
class Number(_LeafForm):
    """A run-time number, Python's or NumPy's."""

    interval: Interval

    def collect(self, value: object, columns: Sequence[list[Atom]]) -> None:
        columns[0].append(wrap.atom_as(value, self.abstract))

    def at(self, leaves: Iterator[Atom]) -> Value:
        if self.abstract.kind is Kind.PYTHON:
            return python_scalar(next(leaves), self.interval)
        return wrap.from_abstract(self.abstract, next(leaves))

    def joined(self, other: ItemForm) -> ItemForm | None:
        if isinstance(other, ConstantForm):
            found = _number(other.value)
            return None if found is None else self.joined(found)
        if not isinstance(other, Number) or other.abstract != self.abstract:
            return None
        return Number(self.abstract, self.interval | other.interval)


@frozen
class Fresh(_LeafForm):
    """An array that nothing else leads to, whole and in memory of its own."""

    traits: memory_layout.Traits

    mutable = True

    def collect(self, value: Value, columns: Sequence[list[Atom]]) -> None:
        columns[0].append(current().read(value.storage))

    def at(self, leaves: Iterator[Atom]) -> Value:
        made = wrap.array_of(next(leaves))
        memory_layout.set_traits(made, self.traits)
        return made

    def joined(self, other: ItemForm) -> ItemForm | None:
        return self if self == other else None


def _noted(structure: containers.Structure, made: object) -> Value:
    """A container of an item; a tuple of each reading of an item is another one here, and one in Python."""
    (current().trace.identity.created.add if structure.mutable else current().trace.identity.merge)(made)
    return made


@frozen
class StructureForm(ItemForm):
    """A tuple, list or dict of some parts."""

    structure: containers.Structure
    parts: tuple[ItemForm, ...]

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [b for p in self.parts for b in p.bases]

    @property
    def mutable(self) -> bool:
        return self.structure.mutable or any(p.mutable for p in self.parts)

    def collect(self, value: object, columns: Sequence[list[Atom]]) -> None:
        left = iter(columns)
        for part, child in zip(self.parts, self.structure.children(value), strict=True):
            part.collect(child, list(itertools.islice(left, len(part.bases))))

    def _made(self, children: list[Value]) -> Value:
        return _noted(self.structure, self.structure.build(children))

    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        left = iter(wholes)
        return self._made([p.build(list(itertools.islice(left, len(p.types))), place) for p in self.parts])

    def at(self, leaves: Iterator[Atom]) -> Value:
        return self._made([p.at(leaves) for p in self.parts])

    def joined(self, other: ItemForm) -> ItemForm | None:
        if not isinstance(other, StructureForm) or other.structure != self.structure:
            return None
        parts = [a.joined(b) for a, b in zip(self.parts, other.parts, strict=True)]
        return (
            None
            if any(p is None for p in parts)
            else StructureForm(self.structure, tuple(p for p in parts if p is not None))
        )


@frozen
class SequenceForm(ItemForm):
    """A list or tuple of items of one form, each of whose leaves is one array with an axis for them."""

    structure: containers.Structure
    item: ItemForm
    count: int

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((self.count, *dims), base) for dims, base in self.item.bases]

    @property
    def mutable(self) -> bool:
        return self.structure.mutable or self.item.mutable

    def collect(self, value: object, columns: Sequence[list[Atom]]) -> None:
        for child in self.structure.children(value):
            self.item.collect(child, columns)

    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        items = [self.item.build(wholes, place * self.count + i) for i in range(self.count)]
        return _noted(self.structure, self.structure.build(items))

    def at(self, leaves: Iterator[Atom]) -> Value:
        # As if these were one row of arrays with one axis more.
        return self.build([atoms.reshape(a, (1, *a.type.shape)) for a in leaves], 0)

    def joined(self, other: ItemForm) -> ItemForm | None:
        if not isinstance(other, SequenceForm) or other.structure != self.structure:
            return None
        item = self.item.joined(other.item)
        return None if item is None else SequenceForm(self.structure, item, self.count)


@frozen
class Numbered(ItemForm):
    """A record by its number among the nodes of a graph; None is one of them."""

    graph: node_graphs.NodeGraph
    kinds: frozenset[node_graphs.NodeKind]

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((), node_reference.INDEX.type)]

    @property
    def _structure(self) -> node_structures.ReferenceStructure:
        return node_structures.structure_in(self.graph, self.kinds)

    def collect(self, value: object, columns: Sequence[list[Atom]]) -> None:
        columns[0].append(self._number(value))

    def _number(self, value: object) -> Atom:
        if isinstance(value, UnionValue):
            value = value.without_undefined()
        if not isinstance(value, UnionValue) or isinstance(value, node_reference.Reference):
            return wrap.as_atom(self._structure.children(value)[0], np.int32)
        first, *others = map(self._number, value.options)
        for place, other in enumerate(others, 1):
            here = atoms.ufunc(np.equal, value.tag, atoms.literal(place, np.int32))
            first = atoms.select(here, other, first)
        return first

    def build(self, wholes: Sequence[Atom], place: int) -> Value:
        whole = wholes[0]
        if isinstance(whole, Literal):
            return self.at(iter([atoms.literal(whole.value[place], np.int32)]))
        return self.at(iter([Part(node_reference.INDEX.type, whole, place)]))

    def at(self, leaves: Iterator[Atom]) -> Value:
        return self._structure.build([wrap.from_abstract(node_reference.INDEX, next(leaves))])

    def joined(self, other: ItemForm) -> ItemForm | None:
        if isinstance(other, ConstantForm) and other.value is None:
            return Numbered(self.graph, self.kinds | {node_graphs.NONE})
        if not isinstance(other, Numbered) or other.graph is not self.graph:
            return None
        return Numbered(self.graph, self.kinds | other.kinds)


def _number(value: object) -> Number | None:
    abstract = abstract_of(value)
    if abstract is None or abstract.shape:
        return None
    return Number(abstract, layouts.interval(layouts.Constant(value)))
