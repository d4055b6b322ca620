"""The static shape of a value that crosses the edge of a branch, a loop body or a call.

A layout says which parts stay as they are (`Constant`), which are run-time leaves (`Leaf`), how containers hold them
(`Node`), and where a value is one of a few alternatives (`Union`). Control flow works with four functions: `describe`
a value, `join` two layouts to the least that holds both (`layout_join`), `pack` a value into atoms and `unpack` atoms
into a value (`pack_unpack`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeGuard

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import FULL, Interval, exactly
from anabranch.runtime.values import atoms, containers, number_union
from anabranch.runtime.values.abstract import (
    Abstract,
    Kind,
)
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees import node_reference, node_structures, padded_union
from anabranch.runtime.values.same_constants import is_same
from anabranch.runtime.values.tracer import Tracer, carried_abstract
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue


@frozen(eq=False)
class Constant:
    """The very object: nothing of it is known only at run time, or it belongs to the enclosing builder."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and same(self.value, other.value)

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
class Union:
    """One of a few alternatives; which one is known at run time."""

    options: tuple[Layout, ...]


Layout: TypeAlias = Constant | Leaf | Node | Union


def parts(layout: Layout) -> tuple[Layout, ...]:
    """The layouts that one is made of: those of a container's parts, or of alternatives."""
    match layout:
        case Node(_, children):
            return children
        case Union(options):
            return options
    return ()


def mapped(layout: Layout, change: Callable[[Layout], Layout]) -> Layout:
    """The layout with each of its parts changed."""
    match layout:
        case Node(structure, children, source):
            return Node(structure, tuple(map(change, children)), source)
        case Union(options):
            return Union(tuple(map(change, options)))
    return layout


def leaves(layout: Layout) -> Iterator[Leaf | None]:
    """The leaves in the order of the atoms that `pack` returns; None for the tag of alternatives."""
    if isinstance(layout, Leaf):
        yield layout
    elif isinstance(layout, Union):
        yield None
    for part in parts(layout):
        yield from leaves(part)


def same(a: Value, b: Value) -> bool:
    """Return whether two objects are interchangeable: the same one, equal constants, or handles on the same view."""
    if isinstance(a, TracedArray) and type(a) is type(b):
        return a.storage is b.storage and a.path == b.path
    if isinstance(a, slice) and isinstance(b, slice):
        return all(same(x, y) for x, y in zip((a.start, a.stop, a.step), (b.start, b.stop, b.step), strict=True))
    if isinstance(a, Undefined) and isinstance(b, Undefined):
        return a.name == b.name
    return is_same(a, b)


def describe(value: object, exists: Callable[[Any], bool] = lambda _: False) -> Layout:
    """The layout of a value as it is: run-time parts are held, and so are mutable objects that `exists` knows."""
    if isinstance(value, node_reference.Reference):
        return of_reference(node_structures.structure_of(value), value)
    if isinstance(value, UnionValue):
        return Union(tuple(describe(o, exists) for o in value.options))
    structure = containers.structure_of(value)
    if structure is None or (structure.mutable and exists(value)):
        return Constant(value)
    return Node(structure, tuple(describe(c, exists) for c in structure.children(value)), value)


def outline(value: object) -> Layout:
    """The layout of a value with lists, dicts and objects held, however deep they are."""
    return describe(value, lambda _: True)


def alternatives(layout: Layout) -> int:
    """How many things a value of the layout may be, each part of it and each item of its lists counted by itself."""
    match layout:
        case Union(options):
            return sum(map(alternatives, options))
        case Node(structure, children):
            return 1 + sum(map(alternatives, (*children, *structure.variants)))
        case _:
            return 1


def numeric(layout: Layout) -> Abstract | None:
    """The abstract value of a layout that is one number or array."""
    if isinstance(layout, Leaf):
        return layout.abstract
    if isinstance(layout, Constant):
        return carried_abstract(layout.value)
    return None


def interval(layout: Layout) -> Interval:
    """The interval that an int is known to lie in."""
    if isinstance(layout, Leaf):
        return layout.interval
    if isinstance(layout, Constant):
        if isinstance(layout.value, PythonScalar):
            return layout.value.interval if layout.value.word_ is None else Interval(0, 2**64 - 1)
        if type(layout.value) is int:
            return exactly(layout.value)
    return FULL


def traits(layout: Layout) -> memory_layout.Traits:
    """The traits of an array: what is known of it beyond its value."""
    if isinstance(layout, Leaf):
        return layout.traits
    return memory_layout.traits(layout.value) if isinstance(layout, Constant) else memory_layout.PLAIN


def of_reference(structure: node_structures.ReferenceStructure, source: object = None) -> Node:
    """The layout of a reference to a node of a graph."""
    return Node(structure, (Leaf(node_reference.INDEX),), source)


def is_reference(layout: Layout) -> bool:
    """Return whether a layout is that of a reference to a node of a graph."""
    return isinstance(layout, Node) and isinstance(layout.structure, node_structures.ReferenceStructure)


def is_dynamic_array(layout: Layout) -> bool:
    """Return whether a layout is that of an array of run-time size."""
    return isinstance(layout, Node) and isinstance(layout.structure, DynamicArrayStructure)


def sizes(layout: Layout) -> padded_union.Sizes | None:
    """The size of an array, as far as it is known; None for anything else."""
    if isinstance(layout, Node) and isinstance(layout.structure, DynamicArrayStructure):
        abstract = numeric(layout.children[0])
        run_time = tuple(kind != "whole" for kind in layout.structure.kinds)
        structure = layout.structure
        requests = structure.requests if isinstance(structure, padded_union.PaddedStructure) else ()
        return None if abstract is None else padded_union.Sizes(abstract, run_time, structure.origin, requests)
    abstract = numeric(layout)
    if abstract is None or abstract.kind is not Kind.ARRAY:
        return None
    return padded_union.Sizes(abstract, (False,) * len(abstract.shape))


def is_text(layout: Layout) -> TypeGuard[Constant]:
    """Return whether a layout is that of a known text, which has no parts and joins with nothing but itself."""
    return isinstance(layout, Constant) and type(layout.value) in (str, bytes)


def is_unset(layout: Layout) -> bool:
    """Return whether a layout is that of a name without a value."""
    return isinstance(layout, Constant) and isinstance(layout.value, Undefined)


def leaf_types(layout: Layout) -> list[ArrayType]:
    """The types of the atoms that `pack` returns."""
    return [ArrayType((), atoms.INT32) if leaf is None else leaf.abstract.type for leaf in leaves(layout)]


def leaf_kinds(layout: Layout) -> list[Kind]:
    """The values of these; which of a few options there is, is a number of Python's."""
    return [Kind.PYTHON if leaf is None else leaf.abstract.kind for leaf in leaves(layout)]


def depth(layout: Layout) -> int:
    """How many containers lie in one another."""
    return isinstance(layout, Node) + max(map(depth, parts(layout)), default=0)


def self_nested(layout: Layout, within: frozenset[type] = frozenset()) -> Iterator[type]:
    """The classes of which one container lies in another one."""
    match layout:
        case Node(structure, children):
            if structure.cls in within:
                yield structure.cls
            for child in children:
                yield from self_nested(child, within | {structure.cls})
        case Union(options):
            for option in options:
                yield from self_nested(option, within)


def with_leaves(layout: Layout, stays: Callable[[Tracer], bool]) -> Layout:
    """The layout with each held run-time value for which `stays` is false made a leaf."""
    if isinstance(layout, Constant) and isinstance(layout.value, Tracer) and not stays(layout.value):
        abstract = numeric(layout)
        assert abstract is not None
        return Leaf(abstract, interval(layout), traits(layout))
    return mapped(layout, lambda part: with_leaves(part, stays))


def initial_abstraction(layout: Layout) -> Layout:
    """The layout that a loop's carry is taken for before its body has been traced: every number changes.

    Of a number of one of a few kinds only that of one kind does at first, mostly: one that is there already stays.
    """
    match layout:
        case Constant():
            abstract = numeric(layout)
            return Leaf(abstract, traits=traits(layout)) if abstract is not None else layout
        case Node(structure, source=source) if structure.mutable:
            return Constant(source)
        case Union(options):
            both = number_union.common([a for a in map(numeric, options) if a is not None])
            return Union(tuple([o if _is_narrower(o, both) else initial_abstraction(o) for o in options]))
    return mapped(layout, initial_abstraction)


def _is_narrower(layout: Layout, both: Abstract | None) -> bool:
    """Return whether a number is known that is of another kind than the one that is worth the same as all."""
    known = numeric(layout) if isinstance(layout, Constant) else None
    return known is not None and both is not None and known.kind is Kind.PYTHON and known != both


def by_identity(layout: Layout) -> Layout:
    """The layout that a carry is taken for whose arrays and containers are known: those very objects."""
    if isinstance(layout, Node) and layout.structure.mutable:
        return Constant(layout.source)
    return mapped(layout, by_identity)


def widened(layout: Layout) -> Layout:
    """The layout without intervals: the result of one step says little of the next."""
    return Leaf(layout.abstract, traits=layout.traits) if isinstance(layout, Leaf) else mapped(layout, widened)
