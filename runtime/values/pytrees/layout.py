"""The static shape of a value that crosses the edge of a branch, a loop body or a call.

A layout says which parts stay as they are (`Held`), which are run-time leaves (`Leaf`), how containers hold them
(`Node`), and where a value is one of a few alternatives (`Choice`). Control flow works with four functions: `describe`
a value, `join` two layouts to the least that holds both, `pack` a value into atoms, `unpack` atoms into a value.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.errors import StructureMismatchError
from anabranch.runtime.ir.program import ArrayType, Atom, Literal
from anabranch.runtime.tracing.trace import Restart, current
from anabranch.runtime.values import atoms, containers, number_union, wrap
from anabranch.runtime.values.abstract import (
    Abstract,
    Kind,
    abstract_of,
    join as join_abstract,
    python_abstract,
)
from anabranch.runtime.values.arrays.dynamic_array import SizedStructure
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.dynamic_shapes.length_permission import of_known_lengths
from anabranch.runtime.values.interval import FULL, Interval, exactly
from anabranch.runtime.values.memory import aliasing, memory_layout
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import node_tables, padded_union
from anabranch.runtime.values.tracer import Traced
from anabranch.runtime.values.union import ChoiceValue

_MOST_OPTIONS = 16
_MOST_TEXTS = 1024


@frozen(eq=False)
class Held:
    """The very object: nothing of it is known only at run time, or it belongs to the enclosing builder."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and same(self.value, other.value)

    __hash__ = None  # type: ignore[assignment]


@frozen
class Leaf:
    """A run-time scalar or array."""

    abstract: Abstract
    interval: Interval = dataclasses.field(default=FULL, compare=False)
    traits: memory_layout.Traits = memory_layout.PLAIN


@frozen
class Node:
    """A container: how to build it, and the layouts of its parts."""

    structure: containers.Structure
    children: tuple[Layout, ...]
    source: Any = dataclasses.field(default=None, compare=False)


@frozen
class Choice:
    """One of a few alternatives; which one is known at run time."""

    options: tuple[Layout, ...]


Layout: TypeAlias = Held | Leaf | Node | Choice


@frozen
class Packed:
    """One atom of a packed value, and the array handle it came from, if any."""

    atom: Atom
    handle: Array | None = None


def same(a: Any, b: Any) -> bool:
    """Whether two objects are interchangeable: the same one, equal constants, or handles on the same view."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Array):
        return a.storage is b.storage and a.path == b.path
    if isinstance(a, (bool, int, str, bytes, np.dtype)):
        return bool(a == b)
    if isinstance(a, (float, complex, np.generic)):
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, slice):
        return all(same(x, y) for x, y in zip((a.start, a.stop, a.step), (b.start, b.stop, b.step), strict=True))
    if getattr(a, "name", None) is not None and type(a).__name__ == "Undefined":
        return bool(a.name == b.name)
    return False


def describe(value: Any, exists: Callable[[Any], bool] = lambda _: False) -> Layout:
    """The layout of a value as it is: run-time parts are held, and so are mutable objects that `exists` knows."""
    if isinstance(value, node_tables.Reference):
        return _of_reference(node_tables.structure_of(value), value)
    if isinstance(value, ChoiceValue):
        return Choice(tuple(describe(o, exists) for o in value.options))
    structure = containers.structure_of(value)
    if structure is None or (structure.mutable and exists(value)):
        return Held(value)
    return Node(structure, tuple(describe(c, exists) for c in structure.children(value)), value)


def outline(value: Any) -> Layout:
    """The layout of a value with lists, dicts and objects held, however deep they are."""
    return describe(value, lambda _: True)


def numeric(layout: Layout) -> Abstract | None:
    """The abstract value of a layout that is one number or array."""
    if isinstance(layout, Leaf):
        return layout.abstract
    if isinstance(layout, Held):
        return layout.value.abstract if isinstance(layout.value, Traced) else abstract_of(layout.value)
    return None


def interval(layout: Layout) -> Interval:
    """What is known of an int."""
    if isinstance(layout, Leaf):
        return layout.interval
    if isinstance(layout, Held):
        if isinstance(layout.value, PythonScalar):
            return layout.value.interval
        if type(layout.value) is int:
            return exactly(layout.value)
    return FULL


def traits(layout: Layout) -> memory_layout.Traits:
    """What is known of an array beyond its value."""
    if isinstance(layout, Leaf):
        return layout.traits
    return memory_layout.traits(layout.value) if isinstance(layout, Held) else memory_layout.PLAIN


def join(a: Layout, b: Layout, opening: bool = False) -> Layout:
    """The least layout that holds what either holds.

    An existing object and another one are a choice. With `opening`, an existing container `a` and a new one of its
    structure `b` are a container with values of its own.
    """
    if a == b:
        _note_objects(a, b)
        return a if not isinstance(a, Leaf) else Leaf(a.abstract, a.interval | interval(b), a.traits)
    if isinstance(a, Choice) or isinstance(b, Choice):
        return _join_options(a, b, opening)
    node = _as_node([a, b])
    if node is not None:
        return node
    sized = _joined_sizes(a, b)
    if sized is not None:
        return sized
    x, y = numeric(a), numeric(b)
    if x is not None and y is not None:
        both = join_abstract(x, y)
        if both is not None:
            return Leaf(both, interval(a) | interval(b), traits(a) | traits(b))
    p = _opened(a) if opening else a
    if isinstance(p, Node) and isinstance(b, Node) and p.structure == b.structure:
        pairs = zip(p.children, b.children, strict=True)
        return Node(p.structure, tuple([join(c, d, opening) for c, d in pairs]))
    met = p.structure.meet(p, b) if isinstance(p, Node) and isinstance(b, Node) else None
    return Choice((a, b)) if met is None else met


def _of_reference(structure: node_tables.ReferenceStructure, source: Any = None) -> Node:
    return Node(structure, (Leaf(node_tables.INDEX),), source)


def _as_node(options: Sequence[Layout]) -> Node | None:
    """The layout of a reference to what any of these is; None where they stay apart."""
    given = [_node_or_member(o) for o in options]
    if any(g is _NOTHING for g in given):
        return None
    structure = node_tables.joined(given)
    return None if structure is None else _of_reference(structure)


_NOTHING = object()


def _is_reference(layout: Layout) -> bool:
    return isinstance(layout, Node) and isinstance(layout.structure, node_tables.ReferenceStructure)


def _node_or_member(layout: Layout) -> Any:
    if isinstance(layout, Node) and isinstance(layout.structure, node_tables.ReferenceStructure):
        return layout.structure
    if isinstance(layout, Held) and node_tables.may_be_node(layout.value):
        return layout.value
    return _NOTHING


def _with_one_node(options: list[Layout]) -> list[Layout]:
    """The options, with those that are nodes of one structure as one reference."""
    mine = [o for o in options if _node_or_member(o) is not _NOTHING]
    one = _as_node(mine) if len(mine) > 1 else None
    if one is None:
        return options
    rest = iter([one])
    return [o for x in options for o in ((x,) if not any(x is m for m in mine) else rest)]


def _note_objects(a: Layout, b: Layout) -> None:
    """Two handles on the same memory are taken for one, so that `is` cannot tell them apart any more."""
    match a, b:
        case Held(Array() as one), Held(Array() as other) if one is not other:
            current().trace.ambiguous.update({id(one): one, id(other): other})
        case Node(), Node():
            for c, d in zip(a.children, b.children, strict=True):
                _note_objects(c, d)
        case Choice(), Choice():
            for c, d in zip(a.options, b.options, strict=True):
                _note_objects(c, d)


def _joined_sizes(a: Layout, b: Layout) -> Layout | None:
    """Two arrays of which one is of run-time size, unless their capacities and extents go together as they are."""
    if not (_is_sized(a) or _is_sized(b)):
        return None
    x, y = sizes(a), sizes(b)
    if x is None or y is None:
        return None
    if _is_sized(a) and _is_sized(b) and a.structure == b.structure and x.abstract == y.abstract:  # type: ignore[union-attr]
        return None
    # The memory of one is not of the dtype of the other: they stay two arrays.
    return padded(x, y) or Choice((a, b))


def padded(a: padded_union.Sizes, b: padded_union.Sizes) -> Node | None:
    """What holds arrays of either size; None where there is nothing."""
    both = padded_union.joined(a, b)
    return None if both is None else of_padded(*both)


def of_padded(structure: padded_union.PaddedStructure, abstract: Abstract) -> Node:
    """The layout of such arrays: all parts are run-time values."""
    abstract = Abstract(structure.extra, abstract.dtype, abstract.kind)
    parts = [Leaf(python_abstract(int), Interval(0, n)) for n in structure.layout_sizes]
    return Node(structure, (Leaf(abstract), *parts))


def _is_sized(layout: Layout) -> bool:
    return isinstance(layout, Node) and isinstance(layout.structure, SizedStructure)


def sizes(layout: Layout) -> padded_union.Sizes | None:
    """What is known of the size of an array; None for anything else."""
    if isinstance(layout, Node) and isinstance(layout.structure, SizedStructure):
        abstract = numeric(layout.children[0])
        run_time = tuple(kind != "whole" for kind in layout.structure.kinds)
        rooms = getattr(layout.structure, "rooms", ())
        return None if abstract is None else padded_union.Sizes(abstract, run_time, layout.structure.origin, rooms)
    abstract = numeric(layout)
    if abstract is None or abstract.kind is not Kind.ARRAY:
        return None
    return padded_union.Sizes(abstract, (False,) * len(abstract.shape))


def _opened(layout: Layout) -> Layout:
    """A held container as a node, its parts held: it is not one object any more."""
    if isinstance(layout, Held):
        structure = containers.structure_of(layout.value)
        if structure is not None:
            children = structure.children(layout.value)
            return Node(structure, tuple([presumed(outline(c)) for c in children]), layout.value)
    return layout


def _join_options(a: Layout, b: Layout, opening: bool) -> Layout:
    options: list[Layout] = list(a.options) if isinstance(a, Choice) else [a]
    texts = {o.value for o in options if is_text(o)}
    for new in b.options if isinstance(b, Choice) else (b,):
        if is_text(new):
            if new.value not in texts:
                options.append(new)
                texts.add(new.value)
            continue
        for i, old in enumerate(options):
            if is_text(old):
                continue
            merged = join(old, new, opening)
            if not isinstance(merged, Choice):
                options[i] = merged
                break
        else:
            options.append(new)
    options = _with_one_node(options)
    if len(texts) > _MOST_TEXTS:
        raise StructureMismatchError(
            f"a text is one of more than {_MOST_TEXTS}, depending on run-time values; append its parts to a list and "
            "join them at the end, or use codes: np.frombuffer(text.encode(), np.uint8)"
        )
    if len(options) - len(texts) > _MOST_OPTIONS:
        _restart_with_lists(options)
        raise StructureMismatchError(f"a value has more than {_MOST_OPTIONS} different structures")
    return Choice(tuple(options)) if len(options) > 1 else options[0]


def is_text(layout: Layout) -> TypeGuard[Held]:
    """Return whether a layout is that of a known text, which has no parts and joins with nothing but itself."""
    return isinstance(layout, Held) and type(layout.value) in (str, bytes)


def _restart_with_lists(options: Sequence[Layout]) -> None:
    """Where lists of many lengths are among the options, start again with such as have a length known at run time."""
    trace = current().trace
    cut = [o for o in options if isinstance(o, Node) and issubclass(o.structure.cls, list)]
    if len(cut) < 2:
        return
    if trace.lists_grow and not trace.lists:
        raise Restart(lists=True)
    trace.wants_growth |= not trace.lists_grow


def staged(layout: Layout, stays: Callable[[Any], bool]) -> Layout:
    """The layout with each held run-time value for which `stays` is false made a leaf."""
    match layout:
        case Held(value) if isinstance(value, Traced) and not stays(value):
            abstract = numeric(layout)
            assert abstract is not None
            return Leaf(abstract, interval(layout), traits(layout))
        case Node(structure, children, source):
            return Node(structure, tuple(staged(c, stays) for c in children), source)
        case Choice(options):
            return Choice(tuple(staged(o, stays) for o in options))
    return layout


def presumed(layout: Layout) -> Layout:
    """The layout that a loop's carry is taken for before its body has been traced: every number changes.

    Of a number of one of a few kinds only that of one kind does at first, mostly: one that is there already stays.
    """
    match layout:
        case Held():
            abstract = numeric(layout)
            return Leaf(abstract, traits=traits(layout)) if abstract is not None else layout
        case Node(structure, children, source):
            if structure.mutable:
                return Held(source)
            return Node(structure, tuple(map(presumed, children)), source)
        case Choice(options):
            both = number_union.common([a for a in map(numeric, options) if a is not None])
            return Choice(tuple([o if _is_narrower(o, both) else presumed(o) for o in options]))
    return layout


def _is_narrower(layout: Layout, both: Abstract | None) -> bool:
    """Return whether a number is known that is of another kind than the one that is worth the same as all."""
    known = numeric(layout) if isinstance(layout, Held) else None
    return known is not None and both is not None and known.kind is Kind.PYTHON and known != both


def held(layout: Layout) -> Layout:
    """What a carry is taken for whose arrays and containers are known: those very objects."""
    match layout:
        case Node(structure, children, source):
            return Held(source) if structure.mutable else Node(structure, tuple(map(held, children)), source)
        case Choice(options):
            return Choice(tuple(map(held, options)))
    return layout


def widened(layout: Layout) -> Layout:
    """The layout without intervals: what one step of a loop gives says little of the next."""
    match layout:
        case Leaf(abstract, _, what):
            return Leaf(abstract, traits=what)
        case Node(structure, children, source):
            return Node(structure, tuple(map(widened, children)), source)
        case Choice(options):
            return Choice(tuple(map(widened, options)))
    return layout


def leaf_types(layout: Layout) -> list[ArrayType]:
    """The types of the atoms that `pack` gives."""
    match layout:
        case Leaf(abstract):
            return [abstract.type]
        case Node(_, children):
            return [t for c in children for t in leaf_types(c)]
        case Choice(options):
            return [ArrayType((), atoms.INT32), *(t for o in options for t in leaf_types(o))]
    return []


def depth(layout: Layout) -> int:
    """How many containers lie in one another."""
    match layout:
        case Node(_, children):
            return 1 + max(map(depth, children), default=0)
        case Choice(options):
            return max(map(depth, options))
    return 0


def unspecified(layout: Layout) -> list[Packed]:
    """Atoms of a value that is never looked at."""
    return [Packed(atoms.unspecified(t)) for t in leaf_types(layout)]


def pack(value: Any, layout: Layout) -> list[Packed]:
    """The run-time parts of a value as atoms, cast to what the layout says; `join(describe(value), layout)` fits."""
    match layout:
        case Leaf(abstract):
            if isinstance(value, ChoiceValue):
                value = value.resolve()
            atom = wrap.held_as(value, abstract)
            return [Packed(atom, value if isinstance(value, Array) else None)]
        case Node(structure, children):
            if isinstance(value, ChoiceValue) and not isinstance(value, node_tables.Reference):
                return _pack_merged(value, layout)
            parts = structure.children(value)
            return [p for part, child in zip(parts, children, strict=True) for p in pack(part, child)]
        case Choice(options):
            return _pack_choice(value, options)
    return []


def option_index(value: Any, options: Sequence[Layout]) -> int:
    """Which option holds a value: the very object before one that is like it."""
    for i, option in enumerate(options):
        if isinstance(option, Held) and same(option.value, value):
            return i
        if isinstance(option, Node) and option.source is value is not None:
            return i
        node = _node_or_member(option)
        if isinstance(node, node_tables.ReferenceStructure) and node_tables.may_be_node(value) and node.has(value):
            return i
    layout = describe(value, node_tables.is_member)
    number = numeric(layout)
    for i, option in enumerate(options):
        if number is not None and isinstance(option, Leaf) and option.abstract == number:
            return i  # its own type before one that it would be converted to
    for i, option in enumerate(options):
        with of_known_lengths():
            merged = join(option, layout)
        if merged == option or not (isinstance(merged, Choice) or isinstance(option, Held) or _is_sized(merged)):
            return i
    raise StructureMismatchError(
        "a list, dict or object from before a run-time condition is one of several things after it; copy it where it "
        "is chosen, or change it in place"
    )


def _pack_choice(value: Any, options: tuple[Layout, ...]) -> list[Packed]:
    if isinstance(value, node_tables.Reference) and not any(map(_is_reference, options)):
        value = value.plain_()
    if not isinstance(value, ChoiceValue) or isinstance(value, node_tables.Reference):
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


def _with_worth(tag: Packed, value: Any, options: Sequence[Layout], rows: list[list[Packed]]) -> list[Packed]:
    """The atoms of alternatives, with one number that is worth the same as the chosen one where one can be."""
    place = _place_of_worth(options)
    if place is not None:
        kind = numeric(options[place])
        assert kind is not None
        rows[place] = [Packed(value.number_as(kind) if isinstance(value, ChoiceValue) else _number_as(value, kind))]
    return [tag, *(p for row in rows for p in row)]


def _number_as(value: Any, kind: Abstract) -> Atom:
    is_number = numeric(Held(value)) is not None
    return wrap.held_as(value, kind) if is_number else atoms.unspecified(kind.type)


def _place_of_worth(options: Sequence[Layout]) -> int | None:
    """The option whose atom is worth the same as the number that is chosen, whichever it is; None where none is.

    There is no such number where its kind is none of theirs, as float64 is for an int64 and a float32.
    """
    known = [(a, o) for o in options if (a := numeric(o)) is not None]
    both = number_union.common([a for a, _ in known]) if len(known) > 1 else None
    if both is None or not all(number_union.converts(a, getattr(o, "value", None), both) for a, o in known):
        return None
    return next((i for i, o in enumerate(options) if isinstance(o, Leaf) and o.abstract == both), None)


def either(pred: Atom, on_true: Any, on_false: Any) -> Any:
    """`on_true if pred else on_false` of values that stay what they are."""
    options: list[Any] = []
    tag: Atom = atoms.literal(0, np.int32)
    for value, here in ((on_false, None), (on_true, pred)):
        inner = value.options if isinstance(value, ChoiceValue) else (value,)
        first = atoms.literal(len(options), np.int32)
        place = atoms.ufunc(np.add, value.tag, first) if isinstance(value, ChoiceValue) else first
        tag = place if here is None else atoms.select(here, place, tag)
        options += inner
    return options[int(tag.value)] if isinstance(tag, Literal) else ChoiceValue(tag, tuple(options))


def _pack_merged(value: ChoiceValue, layout: Layout) -> list[Packed]:
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
    made: Array = wrap.array_of(atom)
    for holds, handle in ((pred, a.handle), (atoms.logical_not(pred), b.handle)):
        if handle is not None:
            aliasing.link(made.storage, holds, handle)
    return Packed(atom, made)


def unpack(
    layout: Layout, values: Iterator[Atom], made: list[Array | None], reuse: Mapping[int, Array] | None = None
) -> Any:
    """The value with these atoms; `made` gets, for each atom, the array handle created for it (or None).

    `reuse` has, by the position of the atom, handles to take instead of new ones.
    """
    return Unpacking(made, reuse).unpack(layout, values)


class Unpacking:
    """Makes values of atoms: arrays into `made`, mutable containers into `containers`, each in order.

    `twins` has, for each mutable container outside of choices, the first one that is the same object.
    """

    def __init__(
        self, made: list[Array | None], reuse: Mapping[int, Array] | None = None, twins: Sequence[int] = ()
    ) -> None:
        self.made = made
        self.containers: list[Any] = []
        self._reuse = reuse or {}
        self._twins = twins

    def unpack(self, layout: Layout, values: Iterator[Atom]) -> Any:
        """The value with these atoms."""
        match layout:
            case Held(value):
                return value
            case Leaf():
                return self._leaf(layout, next(values))
            case Node(structure, children):
                return self._node(structure, children, values)
            case Choice(options):
                return self._choice(options, values)

    def _leaf(self, layout: Leaf, atom: Atom) -> Any:
        if len(self.made) in self._reuse:
            self.made.append(self._reuse[len(self.made)])
            return self.made[-1]
        if layout.abstract.kind is Kind.PYTHON:
            self.made.append(None)
            return python_scalar(atom, layout.interval)
        result = wrap.from_abstract(layout.abstract, atom)
        if isinstance(result, Array):
            memory_layout.give(result, layout.traits)
        else:
            current().trace.merge(result)
        self.made.append(result if isinstance(result, Array) else None)
        return result

    def _node(self, structure: containers.Structure, children: Sequence[Layout], values: Iterator[Atom]) -> Any:
        place = len(self.containers)
        if structure.mutable:
            self.containers.append(None)
        made = structure.build([self.unpack(c, values) for c in children])
        if structure.mutable:
            first = self._twins[place] if place < len(self._twins) else place
            made = self.containers[place] = made if first == place else self.containers[first]
            current().trace.bear(made)
        elif structure.cls is not type(None) and not isinstance(structure, node_tables.ReferenceStructure):
            current().trace.merge(made)
        return made

    def _choice(self, options: Sequence[Layout], values: Iterator[Atom]) -> Any:
        self.made.append(None)
        tag = next(values)
        # The containers of options are numbered apart: which of them there are differs from value to value.
        apart = Unpacking(self.made, self._reuse)
        inner = tuple(apart.unpack(o, values) for o in options)
        if isinstance(tag, Literal):
            return inner[int(tag.value)]
        place = _place_of_worth(options)
        return ChoiceValue(tag, inner, None if place is None else wrap.as_atom(inner[place]))


def size(layout: Layout) -> int:
    """How many elements the atoms hold in all."""
    return sum(math.prod(t.shape) for t in leaf_types(layout))
