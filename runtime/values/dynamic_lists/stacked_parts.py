"""Values as parts of arrays: what lists, and loops that fill or go over them, hold side by side.

A `Form` says what values of one kind consist of: constants, numbers, arrays that nobody else has, and tuples, lists and
dicts of these. Values of one form are rows of some arrays, one array for each run-time leaf; what a row stands for is
made of `Part`s again, and costs no equation before it is read.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import ArrayType, Atom, Literal
from anabranch.runtime.tracing.trace import Part, current
from anabranch.runtime.values import atoms, containers, wrap
from anabranch.runtime.values.abstract import Abstract, Kind, abstract_of, python_abstract
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.items import is_grown
from anabranch.runtime.values.interval import FULL, Interval
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.memory.rows import side_by_side
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, node_graphs, node_reference, node_structures
from anabranch.runtime.values.tracer import Traced
from anabranch.runtime.values.union import ChoiceValue

# So many items at least, of one form, are one row of numbers in what holds them.
_LINE = 4
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


class UnlikeError(Exception):
    """Values have no common form, or one of them none at all."""


# ---- arrays ----------------------------------------------------------------------------------------------------------


def array_of(values: Sequence[Any], checked: bool = False) -> Atom | None:
    """The array of a list of numbers or arrays of one kind, or of such lists, of which some are parts; else None.

    With `checked` also of Python's ints, for which NumPy asks one by one whether they fit.
    """
    shape: list[int] = []
    first: Any = values
    while isinstance(first, (list, tuple)) and len(first):
        shape.append(len(first))
        first = first[0]
    rows: list[Atom] = []
    kinds: set[Abstract] = set()
    if not isinstance(first, Traced) or not _collect(values, tuple(shape), rows, kinds) or len(kinds) != 1:
        return None
    (kind,) = kinds
    if not any(isinstance(r, Part) for r in rows) or (checked and kind == python_abstract(int)):
        return None
    return atoms.reshape(side_by_side(rows, kind.type), (*shape, *kind.shape))


def _collect(values: Any, shape: tuple[int, ...], rows: list[Atom], kinds: set[Abstract]) -> bool:
    """Gather the atoms of nested lists of this shape; whether they are of this shape, and their items run-time ones."""
    if shape:
        if not isinstance(values, (list, tuple)) or is_grown(values) or len(values) != shape[0]:
            return False
        return all(_collect(v, shape[1:], rows, kinds) for v in values)
    if not isinstance(values, (PythonScalar, NumPyScalar, Array)):
        return False
    kinds.add(values.abstract)
    rows.append(values.atom)
    return len(kinds) == 1


def wholes(values: Sequence[Any], form: Form) -> list[Atom]:
    """The arrays that hold values of a form, one for each of its leaves."""
    columns: list[list[Atom]] = [[] for _ in form.bases]
    for value in values:
        form.collect(value, columns)
    return [
        atoms.reshape(side_by_side(column, base), (len(values), *dims, *base.shape))
        for column, (dims, base) in zip(columns, form.bases, strict=True)
    ]


# ---- forms -----------------------------------------------------------------------------------------------------------


class Form(abc.ABC):
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
    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        """Append the items of each leaf of a value to its column, in C order."""

    def leaves(self, value: Any) -> list[Atom]:
        """The atoms of a value, one for each of the types."""
        return [atoms.reshape(w, t.shape) for w, t in zip(wholes([value], self), self.types, strict=True)]

    @abc.abstractmethod
    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        """The value that lies at a place of arrays that hold such values."""

    @abc.abstractmethod
    def at(self, leaves: Iterator[Atom]) -> Any:
        """The value of atoms of the types."""

    @abc.abstractmethod
    def joined(self, other: Form) -> Form | None:
        """The form that values of either have; None where there is none."""


@frozen
class Constant(Form):
    """One immutable object, the same in each value."""

    value: Any

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return []

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        pass

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        return self.value

    def at(self, leaves: Iterator[Atom]) -> Any:
        return self.value

    def joined(self, other: Form) -> Form | None:
        if isinstance(other, Constant) and layouts.same(self.value, other.value):
            return self
        if isinstance(other, Numbered):
            return other.joined(self)
        return None if (number := _number(self.value)) is None else number.joined(other)


@frozen
class Known(Form):
    """A number that is known for each place."""

    values: tuple[Any, ...]

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return []

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        pass

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        return self.values[place]

    def at(self, leaves: Iterator[Atom]) -> Any:
        raise AssertionError("of no one place")

    def joined(self, other: Form) -> Form | None:
        return None


@frozen
class Number(Form):
    """A run-time number, Python's or NumPy's."""

    abstract: Abstract
    interval: Interval

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((), self.abstract.type)]

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        columns[0].append(wrap.held_as(value, self.abstract))

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        return self.at(iter([Part(self.abstract.type, wholes[0], place)]))

    def at(self, leaves: Iterator[Atom]) -> Any:
        if self.abstract.kind is Kind.PYTHON:
            return python_scalar(next(leaves), self.interval)
        return wrap.from_abstract(self.abstract, next(leaves))

    def joined(self, other: Form) -> Form | None:
        if isinstance(other, Constant):
            found = _number(other.value)
            return None if found is None else self.joined(found)
        if not isinstance(other, Number) or other.abstract != self.abstract:
            return None
        return Number(self.abstract, self.interval | other.interval)


@frozen
class Fresh(Form):
    """An array that nothing else leads to, whole and in memory of its own."""

    abstract: Abstract
    traits: memory_layout.Traits

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((), self.abstract.type)]

    @property
    def mutable(self) -> bool:
        return True

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        columns[0].append(current().read(value.storage))

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        return self.at(iter([Part(self.abstract.type, wholes[0], place)]))

    def at(self, leaves: Iterator[Atom]) -> Any:
        made = wrap.array_of(next(leaves))
        memory_layout.give(made, self.traits)
        return made

    def joined(self, other: Form) -> Form | None:
        return self if self == other else None


def _noted(structure: containers.Structure, made: Any) -> Any:
    """A container of an item; a tuple of each reading of an item is another one here, and one in Python."""
    (current().trace.bear if structure.mutable else current().trace.merge)(made)
    return made


@frozen
class Row(Form):
    """A tuple, list or dict of some parts."""

    structure: containers.Structure
    parts: tuple[Form, ...]

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [b for p in self.parts for b in p.bases]

    @property
    def mutable(self) -> bool:
        return self.structure.mutable or any(p.mutable for p in self.parts)

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        left = iter(columns)
        for part, child in zip(self.parts, self.structure.children(value), strict=True):
            part.collect(child, list(itertools.islice(left, len(part.bases))))

    def _made(self, children: list[Any]) -> Any:
        return _noted(self.structure, self.structure.build(children))

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        left = iter(wholes)
        return self._made([p.build(list(itertools.islice(left, len(p.types))), place) for p in self.parts])

    def at(self, leaves: Iterator[Atom]) -> Any:
        return self._made([p.at(leaves) for p in self.parts])

    def joined(self, other: Form) -> Form | None:
        if not isinstance(other, Row) or other.structure != self.structure:
            return None
        parts = [a.joined(b) for a, b in zip(self.parts, other.parts, strict=True)]
        return None if any(p is None for p in parts) else Row(self.structure, tuple(p for p in parts if p is not None))


@frozen
class Line(Form):
    """A list or tuple of items of one form, each of whose leaves is one array with an axis for them."""

    structure: containers.Structure
    item: Form
    count: int

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((self.count, *dims), base) for dims, base in self.item.bases]

    @property
    def mutable(self) -> bool:
        return self.structure.mutable or self.item.mutable

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        for child in self.structure.children(value):
            self.item.collect(child, columns)

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        items = [self.item.build(wholes, place * self.count + i) for i in range(self.count)]
        return _noted(self.structure, self.structure.build(items))

    def at(self, leaves: Iterator[Atom]) -> Any:
        # As if these were one row of arrays with one axis more.
        return self.build([atoms.reshape(a, (1, *a.type.shape)) for a in leaves], 0)

    def joined(self, other: Form) -> Form | None:
        if not isinstance(other, Line) or other.structure != self.structure:
            return None
        item = self.item.joined(other.item)
        return None if item is None else Line(self.structure, item, self.count)


@frozen
class Numbered(Form):
    """A record by its number among the nodes of a graph; None is one of them."""

    graph: node_graphs.Graph
    kinds: frozenset[Any]

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((), node_reference.INDEX.type)]

    @property
    def _structure(self) -> node_structures.ReferenceStructure:
        return node_structures.structure_in(self.graph, self.kinds)

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        (number,) = self._structure.children(value)
        columns[0].append(wrap.as_atom(number, np.int32))

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        whole = wholes[0]
        if isinstance(whole, Literal):
            return self.at(iter([atoms.literal(whole.value[place], np.int32)]))
        return self.at(iter([Part(node_reference.INDEX.type, whole, place)]))

    def at(self, leaves: Iterator[Atom]) -> Any:
        return self._structure.build([wrap.from_abstract(node_reference.INDEX, next(leaves))])

    def joined(self, other: Form) -> Form | None:
        if isinstance(other, Constant) and other.value is None:
            return Numbered(self.graph, self.kinds | {node_graphs.NONE})
        if not isinstance(other, Numbered) or other.graph is not self.graph:
            return None
        return Numbered(self.graph, self.kinds | other.kinds)


@frozen
class Alternatives(Form):
    """One of a few immutable kinds, as a tag says."""

    options: tuple[Form, ...]

    @property
    def bases(self) -> list[tuple[tuple[int, ...], ArrayType]]:
        return [((), ArrayType((), atoms.INT32)), *(((), t) for o in self.options for t in o.types)]

    def collect(self, value: Any, columns: Sequence[list[Atom]]) -> None:
        options = value.options if isinstance(value, ChoiceValue) else (value,)
        places = [self._place(o) for o in options]
        tag: Atom = atoms.literal(places[-1], np.int32)
        held: dict[int, list[Atom]] = {}
        for i in reversed(range(len(options))):
            row, place = self.options[places[i]].leaves(options[i]), places[i]
            if i < len(options) - 1:
                here = value.chosen(i)
                tag = atoms.select(here, atoms.literal(place, np.int32), tag)
                row = [atoms.select(here, a, b) for a, b in zip(row, held.get(place, row), strict=True)]
            held[place] = row
        rest = (held.get(k) or [atoms.unspecified(t) for t in o.types] for k, o in enumerate(self.options))
        for column, atom in zip(columns, [tag, *(a for row in rest for a in row)], strict=True):
            column.append(atom)

    def _place(self, value: Any) -> int:
        form = form_of(value, lambda _: False)
        return next(k for k, option in enumerate(self.options) if _holds(option, form))

    def build(self, wholes: Sequence[Atom], place: int) -> Any:
        return self.at(iter([Part(t, w, place) for t, w in zip(self.types, wholes, strict=True)]))

    def at(self, leaves: Iterator[Atom]) -> Any:
        tag = next(leaves)
        options = tuple([o.at(leaves) for o in self.options])
        return options[int(tag.value)] if isinstance(tag, Literal) else ChoiceValue(tag, options)

    def joined(self, other: Form) -> Form | None:
        if not isinstance(other, Alternatives) or len(other.options) != len(self.options):
            return None
        options = [a.joined(b) for a, b in zip(self.options, other.options, strict=True)]
        return None if None in options else Alternatives(tuple(o for o in options if o is not None))


def _holds(option: Form, form: Form) -> bool:
    joined = option.joined(form)
    return joined is not None and joined.types == option.types


def alternatives(forms: Sequence[Form]) -> Form:
    """The form of what is of any of these forms.

    Raises
    ------
    UnlikeError
        Where one of them has an identity.
    """
    options: list[Form] = []
    for form in forms:
        for k, option in enumerate(options):
            joined = option.joined(form)
            if joined is not None:
                options[k] = joined
                break
        else:
            options.append(form)
    if any(o.mutable for o in options) or len(options) > _MOST_KINDS:
        raise UnlikeError
    return options[0] if len(options) == 1 else Alternatives(tuple(options))


_MOST_KINDS = 4


def form_of(value: Any, is_new: Callable[[Any], bool]) -> Form:
    """The form of a value; `is_new` says of an array, list or dict that nothing else leads to it.

    Raises
    ------
    UnlikeError
        Where it has none.
    """
    if isinstance(value, PythonScalar):
        return Number(value.abstract, value.interval)
    if isinstance(value, NumPyScalar):
        return Number(value.abstract, FULL)
    if isinstance(value, Array):
        storage = value.storage
        if value.path or storage.links or value.is_readonly or not is_new(value):
            raise UnlikeError
        return Fresh(value.abstract, memory_layout.traits(value))
    if isinstance(value, node_reference.Reference):
        return Numbered(value.graph_, value.kinds_)
    if isinstance(value, ChoiceValue):
        value = value.without_undefined()
    if isinstance(value, ChoiceValue):
        return alternatives([form_of(o, lambda _: False) for o in value.options])
    if isinstance(value, Traced) or is_grown(value):
        raise UnlikeError
    if type(value) in _CONSTANTS or isinstance(value, (np.generic, np.dtype, type)):
        return Constant(value)
    structure = containers.structure_of(value)
    if structure is None or (structure.mutable and not (_is_native(structure) and is_new(value))):
        graph = records.graph_of([value]) if node_graphs.is_member(value) else None
        if graph is None:
            raise UnlikeError
        return Numbered(graph, frozenset([graph.kinds[graph.places[id(value)]]]))
    if not issubclass(structure.cls, (tuple, list, dict)):
        raise UnlikeError
    items = [form_of(v, is_new) for v in structure.children(value)]
    if type(value) is not dict and len(items) >= _LINE and not isinstance(items[0], Constant):
        try:
            return Line(structure, common(items), len(items))
        except UnlikeError:
            pass
    return Row(structure, tuple(items))


def common(forms: Sequence[Form]) -> Form:
    """The form that holds values of each of these.

    Raises
    ------
    UnlikeError
        Where there is none.
    """
    found: Form | None = forms[0]
    for form in forms[1:]:
        if form is not found:
            found = None if found is None else found.joined(form)
        if found is None:
            raise UnlikeError
    assert found is not None
    return found


def _is_native(structure: containers.Structure) -> bool:
    return structure.cls in (list, dict) or getattr(structure.cls, "native", None) is list


def _number(value: Any) -> Number | None:
    abstract = abstract_of(value)
    if abstract is None or abstract.shape:
        return None
    return Number(abstract, layouts.interval(layouts.Held(value)))
