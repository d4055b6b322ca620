"""The layout of what a call gives back, in which the caller's own objects stand as such."""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Callable, Container, ItemsView, Iterator, ValuesView
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.grammar import a
from anabranch.runtime.control.calls.resumable_generators import Resumable
from anabranch.runtime.control.calls.user_functions import is_rewritten
from anabranch.runtime.control.iteration import progress_displays, push_iterator
from anabranch.runtime.control.sequences import countable
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.frontend.bind_arguments import BoundArguments
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import arena_contents, atoms, containers
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.array_flags import AnyStride, ArrayFlags
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.dynamic_shapes.valid_region import Front, Masked, Window
from anabranch.runtime.values.heap.snapshot import Heap
from anabranch.runtime.values.host_calls.results import Hidden
from anabranch.runtime.values.pytrees import (
    host_values,
    layout as layouts,
    node_graphs,
    node_reference,
    node_structures,
)
from anabranch.runtime.values.pytrees.host_values import hosted
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.undefined import Undefined, UnsetAttribute
from anabranch.runtime.values.union import UnionValue

Exists: TypeAlias = Callable[[Any], bool]  # whether an object was there before

# So many places of an axis are moved in less time than the host takes to do so.
_LONG = 64
# What loops are staged over.
_STAGED = (countable.Countable, push_iterator.PushIterator, progress_displays.Opaque)
# What holds others where neither a slot nor an attribute shows them.
_MADE_OF_OTHERS = (Iterator, ItemsView, ValuesView, functools.partial, types.MethodType)


def may_copy_items(layout: layouts.Node) -> bool:
    """Return whether lists of run-time length may hold copies of what eager code has there: arrays that are views.

    So may lists of the caller's, after the call, of objects and containers. The layout is of a result and these.
    """
    pending: list[tuple[layouts.Layout, bool, bool]] = [
        (part, place > 0, False) for place, part in enumerate(layout.children)
    ]
    while pending:
        match pending.pop():
            case layouts.Leaf(abstract), _, True if abstract.kind is Kind.ARRAY:
                return True
            case layouts.Node(structure), is_callers, True if structure.array_arena or (
                is_callers and (structure.mutable or structure.is_in_arena)
            ):
                return True
            case layouts.Node(ItemsStructure(variants=kinds)), is_callers, _:
                pending += [(kind, is_callers, True) for kind in kinds]
            case whole, is_callers, in_list:
                pending += [(part, is_callers, in_list) for part in layouts.parts(whole)]
    return False


def result_layout(value: object, contents: tuple[object, ...], outside: Heap, given: BoundArguments) -> layouts.Node:
    """The layout of the result and of what changed objects hold; the arguments' own parts are held."""
    exists = _existence(outside, given)
    structure = containers.structure_of((value, *contents))
    assert structure is not None
    if isinstance(value, host_values.ResultWithRecords):
        for part in (value.result, *value.members):
            _refuse_cycles(part, "the result", IdentityDict(), IdentitySet(), exists)
    else:
        _refuse_cycles(value, "the result", IdentityDict(), IdentitySet(), exists)
    for part in contents:
        _refuse_cycles(part, "what a changed object holds", IdentityDict(), IdentitySet(), exists)
    result = layouts.with_leaves(_of_made_nodes(layouts.describe(value, exists), exists), lambda _: False)
    described = [_of_made_nodes(layouts.describe(c, exists), exists) for c in contents]
    rest = [layouts.with_leaves(c, given.numbers.__contains__) for c in described]
    return layouts.Node(structure, (result, *rest))


def _existence(outside: Heap, given: BoundArguments) -> Exists:
    """Return whether a container is the caller's, or is there outside."""
    known = IdentitySet(given.containers)
    return lambda part: part in known or part in outside


def _refuse_cycles(
    value: object, where: str, around: IdentityDict[object, str], seen: IdentitySet[object], exists: Exists
) -> None:
    """Refuse a new container that holds itself; one that exists outside is returned as it is."""
    if isinstance(value, UnionValue) and not isinstance(value, node_reference.Reference):
        for option in value.options:
            _refuse_cycles(option, where, around, seen, exists)
        return
    structure = containers.structure_of(value)
    if structure is None or not structure.keys or exists(value):
        return
    if value in around:
        raise UnsupportedValueError(
            f"{around[value]} is {a(type(value).__name__)} that holds itself ({where}); return its other items, "
            "and put it together outside"
        )
    if seen.admit(value):
        around[value] = where
        for key, child in zip(structure.keys, structure.children(value), strict=True):
            _refuse_cycles(child, f"{where}[{key!r}]", around, seen, exists)
        del around[value]


def _refers(layout: layouts.Layout) -> bool:
    """Return whether a value holds one of the nodes of a structure."""
    return layouts.is_reference(layout) or any(map(_refers, layouts.parts(layout)))


def _of_made_nodes(layout: layouts.Layout, exists: Exists) -> layouts.Layout:
    """The layout with nodes that the function itself has made as alternatives, where they are few.

    Raises `UnsupportedOperationError` where they are many.
    """
    match layout:
        case layouts.Node(node_structures.ReferenceStructure() as structure, _, source):
            members = [structure.extra.members[i] for i in structure.extra.among(structure.kinds)]
            if all(_is_apart(m, exists) for m in members):
                return layout
            options = [layouts.describe(m, exists) for m in members] if len(members) <= node_reference.FEW else []
            if not options or any(map(_refers, options)):
                raise node_reference.refusal(source, _MADE_HERE)
            return layouts.Union(tuple(options))
        case layouts.Node(structure):
            for variant in structure.variants:
                for numbered in records.structures_in(variant):
                    _check_apart(numbered, exists)
    return layouts.mapped(layout, lambda part: _of_made_nodes(part, exists))


_MADE_HERE = "is returned, but was made by the function itself"


def _check_apart(structure: node_structures.ReferenceStructure, exists: Exists) -> None:
    graph = structure.extra
    if not all(_is_apart(graph.members[i], exists) for i in graph.among(structure.kinds)):
        some = node_reference.Reference(graph, atoms.literal(0, np.int32), structure.kinds)
        raise node_reference.refusal(some, _MADE_HERE)


def with_elements_packed(value: object) -> Any:
    """The result with the elements that a mask has selected of long axes side by side: the host need not move them."""
    made: IdentityDict[object, object] = IdentityDict()

    def packed(part: object) -> object:
        if not isinstance(part, DynamicArray):
            return part
        rows = zip(part.capacity, part.extents, strict=True)
        axes = [i for i, (n, extent) in enumerate(rows) if type(extent) is Masked and n >= _LONG]
        if axes and part not in made:
            front = part.packed_alone(*axes)
            extents = tuple([Front(e.start, e.stop) if isinstance(e, Window) else e for e in front.extents])
            made[part] = DynamicArray(front.memory, extents, part.origin)
        return made.get(part, part)

    return tuple(map(packed, value)) if type(value) is tuple else packed(value)


def with_nodes(value: object, contents: tuple[object, ...], outside: Heap, given: BoundArguments) -> Any:
    """The result with the nodes beside it that parts of it, or of changed objects, are by their numbers."""
    lists = current().trace.lists
    if not (current().trace.identity.graphs or lists.arenas):
        return value
    exists = _existence(outside, given)
    described = layouts.describe((value, *contents), exists)
    # Nodes may have lists and dicts that lie in arenas, which are built before them.
    members: list[Any] = [arena_contents.ArenaContents(a, a.callers) for a in arena_contents.arenas_in(described)]
    # In the order in which `hosted_result` comes to them.
    graphs = _kinds_by_graph(layouts.describe((*members, value, *contents), exists))
    members += [m for g, kinds in graphs.items() for m in _members(g, kinds, exists)]
    return host_values.ResultWithRecords(tuple(members), value) if members else value


def _kinds_by_graph(layout: layouts.Layout) -> dict[node_graphs.NodeGraph, set[Any]]:
    found: dict[node_graphs.NodeGraph, set[Any]] = {}
    for structure in records.structures_in(layout):
        found.setdefault(structure.extra, set()).update(structure.kinds)
    return found


def _members(graph: node_graphs.NodeGraph, kinds: set[Any], exists: Exists) -> Iterator[Any]:
    """Yield the nodes of a graph, with None for those that are of other kinds, or cannot stand beside a result."""
    for member, kind in zip(graph.members, graph.kinds, strict=True):
        yield member if kind in kinds and _is_apart(member, exists) else None


def _is_apart(member: object, exists: Exists) -> bool:
    """Return whether a node is the caller's, or leads to no others of its kind."""
    if member is None or exists(member):
        return True
    return not node_graphs.leads_to_its_kind(member) and not _refers(layouts.describe(member, exists))


def hosted_result(layout: layouts.Node, given: BoundArguments, arrays: Container[object]) -> layouts.Node:
    """The layout with the caller's own objects as such, and of what objects hold the arrays that were there before."""
    places = IdentityDict((c, i) for i, c in enumerate(given.containers))
    for arena in current().trace.lists.arenas.values():
        places.update((one, places[one.stand_in]) for one in arena.callers)
    members: dict[object, int] = {}
    result, *contents = layout.children
    if isinstance(result, layouts.Node) and isinstance(result.structure, host_values.BesideStructure):
        for place, beside in enumerate(result.children[0].children):  # type: ignore[union-attr]
            if isinstance(beside, layouts.Node) and isinstance(beside.source, arena_contents.ArenaContents):
                members[beside.source.arena] = place
    first = len(members)
    for graph in _kinds_by_graph(layout):
        members[graph] = first
        first += len(graph.members)
    kept = [hosted(c, places, given.numbers, arrays, members) for c in contents]
    given_back = hosted(result, places, given.numbers, members=members)
    whole = layouts.Node(layout.structure.hosted(members), (given_back, *kept), layout.source)
    names = ("the result", *["the new content of an object"] * (len(whole.children) - 1))
    for part, where in zip(whole.children, names, strict=True):
        _check_result(part, where)
    return whole


def _check_result(layout: layouts.Layout, where: str) -> None:
    match layout:
        case layouts.Node(structure) if structure.flat:
            return
        case layouts.Node(structure) if issubclass(structure.cls, Resumable):
            raise UnsupportedValueError(
                f"{where} is a generator, which holds run-time values but is not a pytree; return a list of its items"
            )
        case layouts.Node(structure, children):
            for key, child in zip(structure.keys, children, strict=True):
                _check_result(child, f"{where}[{key!r}]")
        case layouts.Union(options):
            for option in options:
                # Which one it is, is known when the call is done.
                if not layouts.is_unset(option):
                    _check_result(option, where)
        case layouts.Constant(UnsetAttribute()):
            return
        case layouts.Constant((Undefined() | AnyStride()) as unknown):
            raise unknown.error()
        case layouts.Constant(Hidden() as part):
            part.refuse(where)
        case layouts.Constant(value):
            inside = Heap((value,))
            hidden = any(isinstance(p, (Tracer, UnionValue)) for s in inside.slots for p in s.parts())
            made_here = isinstance(value, types.FunctionType) and is_rewritten(value.__code__)
            if hidden or made_here or _yields_traced(value) or isinstance(value, ArrayFlags):
                raise UnsupportedValueError(
                    f"{where} is {a(_name(value))}, which holds run-time values but is not a pytree; {_instead(value)}"
                )


def _yields_traced(value: object) -> bool:
    """Return whether an iterable made of other objects leads to values of the trace."""
    if isinstance(value, _STAGED):
        return True
    if not isinstance(value, _MADE_OF_OTHERS):
        return False
    pending: list[Any] = [value]
    seen = IdentitySet[object]([value])
    while pending:
        for part in gc.get_referents(pending.pop()):
            if isinstance(part, (Tracer, *_STAGED)):
                return True
            if isinstance(part, (tuple, list, dict, *_MADE_OF_OTHERS)) and seen.admit(part):
                pending.append(part)
    return False


def _instead(value: object) -> str:
    if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
        return "return the values that it uses, and make it outside"
    if isinstance(value, ArrayFlags):
        return "return single flags"
    if isinstance(value, progress_displays.Opaque):
        return "make it outside and pass it"
    return "return a list of its items"


def _name(value: object) -> str:
    """The class that Python's own value is of."""
    if isinstance(value, progress_displays.Opaque):
        return value.name
    return "generator" if isinstance(value, _STAGED) else type(value).__name__
