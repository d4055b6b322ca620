"""Values taken apart into atoms by a layout, and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import StructureMismatchError, UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.storage import ElsewhereStorage
from anabranch.runtime.values import atoms, containers, number_union, wrap
from anabranch.runtime.values.abstract import (
    Abstract,
    Kind,
)
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes.length_permission import of_known_lengths
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.memory import aliasing, memory_layout
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import node_graphs, node_reference, node_structures
from anabranch.runtime.values.pytrees.layout import (
    Constant,
    Layout,
    Leaf,
    Node,
    Union,
    depth,
    describe,
    is_dynamic_array,
    is_reference,
    is_text,
    is_unset,
    leaf_types,
    numeric,
    same,
)
from anabranch.runtime.values.pytrees.layout_join import join, node_or_member
from anabranch.runtime.values.union import UnionValue

# Texts made of others to such a depth have parts of all depths below it, whose number doubles with each.
_DEEPEST_TEXT = 4


@frozen
class Packed:
    """One atom of a packed value, and the array handle it came from, if any; or what is never looked at."""

    atom: Atom
    handle: TracedArray | None = None
    is_specified: bool = True


def unspecified(layout: Layout) -> list[Packed]:
    """Atoms of a value that is never looked at."""
    return [Packed(atoms.unspecified(t), is_specified=False) for t in leaf_types(layout)]


def pack(value: object, layout: Layout) -> list[Packed]:
    """The run-time parts of a value as atoms, cast to what the layout says; `join(describe(value), layout)` fits."""
    match layout:
        case Leaf(abstract):
            if isinstance(value, UnionValue):
                value = value.resolve()
            atom = wrap.atom_as(value, abstract)
            if isinstance(value, TracedArray) and current().parent is not None:
                check_memory(value)
            return [Packed(atom, value if isinstance(value, TracedArray) else None)]
        case Node(structure, children):
            if isinstance(value, UnionValue) and not isinstance(value, node_reference.Reference):
                return _pack_merged(value, layout)
            parts = structure.children(value)
            return [p for part, child in zip(parts, children, strict=True) for p in pack(part, child)]
        case Union(options):
            return _pack_choice(value, options)
    return []


def check_memory(array: TracedArray) -> None:
    """Refuse a view of an array in an arena: what is made of it here would not change with it."""
    if isinstance(array.storage, ElsewhereStorage):
        raise UnsupportedOperationError(
            "a view of an array that is an item of a list of run-time length, a dict or an object leaves a branch or a "
            "step of a loop, or becomes an item itself; take a copy of it (view.copy()), or the view anew where it is "
            "used"
        )


def option_index(value: object, options: Sequence[Layout]) -> int:
    """Which option holds a value: the very object before one that is like it."""
    for i, option in enumerate(options):
        if isinstance(option, Constant) and same(option.value, value):
            return i
        if isinstance(option, Node) and option.source is value is not None:
            return i
        node = node_or_member(option)
        if isinstance(node, node_structures.ReferenceStructure) and node_graphs.may_be_node(value) and node.has(value):
            return i
    layout = describe(value, node_graphs.is_member)
    number = numeric(layout)
    for i, option in enumerate(options):
        if number is not None and isinstance(option, Leaf) and option.abstract == number:
            return i  # its own type before one that it would be converted to
    if isinstance(value, Text) and depth(layout) <= _DEEPEST_TEXT and layout in options:
        return options.index(layout)  # before one that is made of fewer parts
    with of_known_lengths():
        merged = [join(option, layout) for option in options]
    for holds in (_holds_all, _holds):
        for i, option in enumerate(options):
            if holds(option, merged[i]):
                return i
    if isinstance(value, (str, Text)):
        raise StructureMismatchError(
            "a text that is an item of a list is made of other items in a run-time loop; keep numbers in the list, "
            "and make the text of them after the loop"
        )
    raise StructureMismatchError(
        "a list, dict or object made before a run-time condition is one of several after it; copy it where it is "
        "chosen, or change it in place"
    )


def _holds_all(option: Layout, merged: Layout) -> bool:
    """Return whether an option holds a value, with whose layout it has been joined, in all its parts."""
    if isinstance(option, Node) and isinstance(merged, Node) and len(option.children) == len(merged.children):
        return all(map(_holds_all, option.children, merged.children))
    return _holds(option, merged)


def _holds(option: Layout, merged: Layout) -> bool:
    return merged == option or not (
        isinstance(merged, Union) or isinstance(option, Constant) or is_dynamic_array(merged)
    )


def _pack_choice(value: object, options: tuple[Layout, ...]) -> list[Packed]:
    if isinstance(value, node_reference.Reference) and not any(map(is_reference, options)):
        value = value.plain_()
    if isinstance(value, UnionValue) and not any(map(is_unset, options)):
        value = value.without_undefined()
    if not isinstance(value, UnionValue) or isinstance(value, node_reference.Reference):
        index = option_index(value, options)
        rows = [pack(value, o) if i == index else unspecified(o) for i, o in enumerate(options)]
        return _with_worth(Packed(atoms.literal(index, np.int32)), value, options, rows)
    if all(type(o) in (str, bytes) for o in value.options):
        codes = {option.value: i for i, option in enumerate(options) if is_text(option)}
        if all(o in codes for o in value.options):
            tag = atoms.coded(value.tag, [codes[o] for o in value.options])
            return [Packed(tag), *(p for option in options for p in unspecified(option))]
    places = [option_index(o, options) for o in value.options]
    if places == list(range(len(places))):
        rows = [pack(inner, option) for inner, option in zip(value.options, options, strict=False)]
        rows += [unspecified(option) for option in options[len(places) :]]
        return _with_worth(Packed(value.tag), value, options, rows)
    tag = atoms.literal(places[-1], np.int32)
    rows = [unspecified(option) for option in options]
    for i, (inner, place) in reversed(list(enumerate(zip(value.options, places, strict=True)))):
        here = value.chosen(i)
        tag = atoms.select(here, atoms.literal(place, np.int32), tag)
        row = pack(inner, options[place])
        rows[place] = row if places.count(place) == 1 else _selected(here, row, rows[place])
    return _with_worth(Packed(tag), value, options, rows)


def _with_worth(tag: Packed, value: object, options: Sequence[Layout], rows: list[list[Packed]]) -> list[Packed]:
    """The atoms of alternatives, with one number that is worth the same as the chosen one where one can be."""
    place = _place_of_worth(options)
    if place is not None:
        kind = numeric(options[place])
        assert kind is not None
        rows[place] = [Packed(value.number_as(kind) if isinstance(value, UnionValue) else _number_as(value, kind))]
    return [tag, *(p for row in rows for p in row)]


def _number_as(value: object, kind: Abstract) -> Atom:
    is_number = numeric(Constant(value)) is not None
    return wrap.atom_as(value, kind) if is_number else atoms.unspecified(kind.type)


def _place_of_worth(options: Sequence[Layout]) -> int | None:
    """The option whose atom is worth the same as the number that is chosen, whichever it is; None where none is.

    There is no such number where its kind is none of theirs, as float64 is for an int64 and a float32.
    """
    known = [(a, o) for o in options if (a := numeric(o)) is not None]
    both = number_union.common([a for a, _ in known]) if len(known) > 1 else None
    if both is None or not all(
        number_union.converts(a, o.value if isinstance(o, Constant) else None, both) for a, o in known
    ):
        return None
    return next((i for i, o in enumerate(options) if isinstance(o, Leaf) and o.abstract == both), None)


def either(pred: Atom, on_true: object, on_false: object) -> Value:
    """`on_true if pred else on_false` of values that stay what they are."""
    options: list[Any] = []
    tag: Atom = atoms.literal(0, np.int32)
    for value, here in ((on_false, None), (on_true, pred)):
        inner = value.options if isinstance(value, UnionValue) else (value,)
        first = atoms.literal(len(options), np.int32)
        place = atoms.ufunc(np.add, value.tag, first) if isinstance(value, UnionValue) else first
        tag = place if here is None else atoms.select(here, place, tag)
        options += inner
    return options[int(tag.value)] if isinstance(tag, Literal) else UnionValue(tag, tuple(options))


def _pack_merged(value: UnionValue, layout: Layout) -> list[Packed]:
    """One of a few containers of one structure, as a container of one of a few values."""
    merged = pack(value.options[-1], layout)
    for i in reversed(range(len(value.options) - 1)):
        merged = _selected(value.chosen(i), pack(value.options[i], layout), merged)
    return merged


def _selected(pred: Atom, on_true: list[Packed], on_false: list[Packed]) -> list[Packed]:
    return [_chosen(pred, a, b) for a, b in zip(on_true, on_false, strict=True)]


def _chosen(pred: Atom, a: Packed, b: Packed) -> Packed:
    atom = atoms.select(pred, a.atom, b.atom)
    if a.handle is b.handle:
        return Packed(atom, a.handle)
    made: TracedArray = wrap.standing_for(atom)
    for holds, handle in ((pred, a.handle), (atoms.logical_not(pred), b.handle)):
        if handle is not None:
            aliasing.add_edge(made.storage, holds, handle)
    made.storage.is_another = a.handle is not None and b.handle is not None
    return Packed(atom, made)


def unpack(
    layout: Layout,
    values: Iterator[Atom],
    made: list[TracedArray | None],
    reuse: Mapping[int, TracedArray] | None = None,
) -> Value:
    """The value with these atoms; `made` gets, for each atom, the array handle created for it (or None).

    `reuse` has, by the position of the atom, handles to take instead of new ones.
    """
    return Unpacking(made, reuse).unpack(layout, values)


class Unpacking:
    """Makes values of atoms: arrays into `made`, mutable containers into `containers`, each in order.

    `places` has those of the options of choices, too: the numbers of places are as in `containers_by_place`. `firsts`
    has, for each mutable container outside of choices, the first one that is the same object; `same` has, by the
    positions of atoms, earlier ones of the same array.
    """

    def __init__(
        self,
        made: list[TracedArray | None],
        reuse: Mapping[int, TracedArray] | None = None,
        firsts: Sequence[int] = (),
        same: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self.made = made
        self.containers: list[Any] = []
        self.places: list[Any] = []
        self._reuse = reuse or {}
        self._firsts, self._same = firsts, same

    def unpack(self, layout: Layout, values: Iterator[Atom]) -> Value:
        """The value with these atoms."""
        match layout:
            case Constant(value):
                return value
            case Leaf():
                return self._leaf(layout, next(values))
            case Node(structure, children):
                return self._node(structure, children, values)
            case Union(options):
                return self._choice(options, values)

    def _leaf(self, layout: Leaf, atom: Atom) -> Value:
        if len(self.made) in self._reuse:
            self.made.append(self._reuse[len(self.made)])
            return self.made[-1]
        if len(self.made) in self._same:
            self.made.append(self.made[self._same[len(self.made)]])
            return self.made[-1]
        if layout.abstract.kind is Kind.PYTHON:
            self.made.append(None)
            return python_scalar(atom, layout.interval)
        result = wrap.from_abstract(layout.abstract, atom)
        if isinstance(result, TracedArray):
            memory_layout.set_traits(result, layout.traits)
        else:
            current().trace.identity.merge(result)
        self.made.append(result if isinstance(result, TracedArray) else None)
        return result

    def _node(self, structure: containers.Structure, children: Sequence[Layout], values: Iterator[Atom]) -> Value:
        place, everywhere = len(self.containers), len(self.places)
        if structure.mutable:
            self.containers.append(None)
            self.places.append(None)
        made = structure.build([self.unpack(c, values) for c in children])
        if structure.mutable:
            first = self._firsts[place] if place < len(self._firsts) else place
            made = self.containers[place] = made if first == place else self.containers[first]
            self.places[everywhere] = made
            current().trace.identity.created.add(made)
        elif structure.cls is not type(None) and not isinstance(structure, node_structures.ReferenceStructure):
            current().trace.identity.merge(made)
        return made

    def _choice(self, options: Sequence[Layout], values: Iterator[Atom]) -> Value:
        self.made.append(None)
        tag = next(values)
        # The containers of options are numbered apart: which of them there are differs from value to value.
        apart = Unpacking(self.made, self._reuse, same=self._same)
        apart.places = self.places
        inner = tuple(apart.unpack(o, values) for o in options)
        if isinstance(tag, Literal):
            return inner[int(tag.value)]
        place = _place_of_worth(options)
        return UnionValue(tag, inner, None if place is None else wrap.as_atom(inner[place]))
