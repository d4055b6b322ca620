"""Records: dicts and objects that a list of run-time length, or another run-time value, holds by their numbers.

A list of run-time length, a loop over many records, or a sort of these has the number of each one among the nodes of a
graph (`node_graphs`). So each stays the very object, and what is read of it comes from arrays of its fields.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import AliasError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import TableSite, demand
from anabranch.runtime.values import arena_classes, atoms, containers
from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.pytrees import layout as layouts, node_graphs, node_reference, node_structures
from anabranch.runtime.values.pytrees.node_graphs import NodeGraph, NodeKind
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.pytrees.node_structures import ReferenceStructure
from anabranch.runtime.values.union import UnionValue


def is_record(value: object) -> bool:
    """Return whether a value is a dict or an object that is known while tracing."""
    return not isinstance(value, (list, collections.deque)) and node_graphs.is_container(value)


def graph_of(items: Sequence[Value], is_one: Callable[[object], bool] = is_record) -> NodeGraph | None:
    """The graph of all records among the items, and of the caller's that are like them; None where there are none.

    With `is_one` of other containers than records, such as lists, which are known while tracing.
    """
    mine = [v for v in items if is_one(v)]
    if not mine:
        return None
    graphs: list[NodeGraph] = current().trace.identity.graphs
    found = next((g for g in reversed(graphs) if all(v in g for v in mine)), None)
    if found is not None:
        return found
    made = node_graphs.graph_of(*mine, *_like(mine), least=1)
    assert made is not None
    trace = current().trace
    if all(m is None or m in trace.identity.callers_objects for m in made.members):
        # A branch or a loop may change any of them, by the number.
        trace.heap.roots.append(made.members)
        for snapshot in trace.heap.snapshots:
            snapshot.extend(made.members)
    return made


def _like(records: Sequence[object]) -> Iterator[Value]:
    """Yield the caller's records of the classes of these, where one of these is the caller's."""
    callers = current().trace.identity.callers_objects
    if any(r in callers for r in records):
        classes = set(map(type, records))
        yield from (c for c in callers if type(c) in classes and is_record(c))


def reference(value: object, graph: NodeGraph) -> Reference:
    """A record as one of those of its class in a graph."""
    place = graph.places[value]
    return Reference(graph, atoms.literal(place, np.int32), graph.alike([graph.kinds[place]]))


# ---- items of lists of run-time length -------------------------------------------------------------------------------


def by_number(value: object) -> Value:
    """An item as a list of run-time length takes it: records from before what is under way by their numbers.

    Raises `UnsupportedOperationError` for what is one of several records of which some were made in what is under way.
    """
    if isinstance(value, Reference):
        return _widened(value)
    if isinstance(value, UnionValue):
        options = tuple(map(by_number, value.options))
        return value if _are_same(options, value.options) else UnionValue(value.tag, options, value.number)
    if is_record(value) and (graph := graph_outside(value)) is not None:
        return reference(value, graph)
    return _with_numbers(value)


def _with_numbers(value: object) -> Value:
    """A tuple, list or dict whose parts are as a list of run-time length takes them."""
    structure = containers.structure_of(value)
    if structure is None or structure.flat or structure.is_dynamic_list or structure.cls is not type(value):
        return value
    if not (issubclass(structure.cls, tuple) or structure.cls in (list, dict)):
        return value
    children = structure.children(value)
    made = tuple(map(by_number, children))
    return value if _are_same(made, children) else structure.build(made)


def _are_same(now: Sequence[object], before: Sequence[object]) -> bool:
    return all(a is b for a, b in zip(now, before, strict=True))


def graph_outside(value: object, is_held: bool = False) -> NodeGraph | None:
    """The graph of a record that is there before the outermost branch or loop; None for any other.

    With `is_held` it is there before the innermost one, which is at its end.
    """
    trace = current().trace
    if value in trace.identity.callers_objects:
        return graph_of([value])
    graphs: list[NodeGraph] = trace.identity.graphs
    found = next((g for g in reversed(graphs) if value in g and _is_outside(g)), None)
    is_there = trace.heap.snapshots[0].has_seen(value) if trace.heap.snapshots else is_held
    if found is not None or not is_there:
        return found
    if len(graphs) >= _MOST_GRAPHS and not trace.outside.is_outside(value):
        return None  # such as each step of an unrolled loop makes anew
    beside = (slot.target for heap in trace.heap.snapshots[:1] for slot in heap.slots)
    return graph_of([value, *(t for t in beside if type(t) is type(value) and is_record(t))])


# Where there are so many graphs, records that the function has made begin no further one.
_MOST_GRAPHS = 4


def _is_outside(graph: NodeGraph) -> bool:
    """Return whether all nodes of a graph are there before the outermost branch or loop."""
    trace = current().trace
    if not trace.heap.snapshots:
        return True
    outermost, found = trace.heap.snapshots[0], trace.heap.outside
    if found.get(graph) is not outermost and all(
        m is None or m in trace.identity.callers_objects or outermost.has_seen(m) for m in graph.members
    ):
        found[graph] = outermost
    return found.get(graph) is outermost


def _widened(value: Reference) -> Reference:
    """The same as any of the nodes of its classes."""
    graph = value.graph_
    if not _is_outside(graph):
        arena_classes.need_of(*graph.members)
        _demand_arenas(*graph.members)
        raise UnsupportedOperationError(_INSIDE)
    return Reference(graph, value.tag, graph.alike(value.kinds_))


_INSIDE = (
    "a dict or an object that was made in a branch or a loop, and is one of several by a run-time condition, is an "
    "item of a list whose length is known only at run time, which is not supported; append a tuple of its values"
)


def kind_of(layout: layouts.Layout) -> layouts.Layout | None:
    """The layout of a record's number, of a record that lists know by it; None for anything else."""
    match layout:
        case layouts.Node(ReferenceStructure() as structure):
            graph: NodeGraph = structure.extra
            return _numbered(graph, graph.alike(structure.kinds))
        case layouts.Constant(value) if is_record(value):
            known = graph_outside(value, is_held=True)
            if known is None:
                arena_classes.need_of(value)
                _demand_arenas(value)
                raise AliasError(_SHARED)
            one = reference(value, known)
            return _numbered(known, one.kinds_)
        case layouts.Node(_, _, value) if is_record(value) and (known := graph_outside(value)) is not None:
            one = reference(value, known)
            return _numbered(known, one.kinds_)
    return None


def _demand_arenas(*records: object) -> None:
    """Have dicts and sets that are items lie in arenas, where they could have done so since they were made."""
    trace = current().trace
    stand_ins = [record for record in records if isinstance(record, ContainerStandIn)]
    trace.lists.demand_arenas({site for one in stand_ins for site in getattr(one, "origins", ())})
    dicts = [record for record in records if isinstance(record, dict)]
    if dicts:
        trace.tables.ask_for_places()
        made = {TableSite(site, type(d)) for d in dicts if (site := trace.tables.made.get(d)) is not None}
        demand(trace.lists.arena_sites, trace.lists.copied_sites | made)


_SHARED = (
    "a dict or an object that was made before a run-time condition is an item of a list whose length is known only "
    "at run time, and could be changed through its own name; append a copy, or make it where it is appended"
)


def _numbered(graph: NodeGraph, kinds: frozenset[NodeKind]) -> layouts.Layout:
    return layouts.Node(node_structures.structure_in(graph, kinds), (layouts.Leaf(node_reference.INDEX),))


# ---- results ---------------------------------------------------------------------------------------------------------


def members(items: Value) -> tuple[tuple[Value, ...], ...]:
    """The nodes that elements of a list of run-time length are, by their numbers."""
    return tuple([s.extra.members for kind in items.structure.variants for s in structures_in(kind)])


def refers_to_members(structure: containers.Structure) -> bool:
    """Return whether what is built on the host may be one of the nodes beside a result."""
    return structure.is_beside or any(map(_has_members, structure.variants))


def _has_members(layout: layouts.Layout) -> bool:
    has_own = isinstance(layout, layouts.Node) and refers_to_members(layout.structure)
    return has_own or any(map(_has_members, layouts.parts(layout)))


# ---- layouts of items ------------------------------------------------------------------------------------------------


def structures_in(layout: layouts.Layout) -> Iterator[ReferenceStructure]:
    """Yield the structures of the numbers in a value, those of the items of lists of run-time length among them."""
    if isinstance(layout, layouts.Node) and isinstance(layout.structure, ReferenceStructure):
        yield layout.structure
        return
    variants = layout.structure.variants if isinstance(layout, layouts.Node) else ()
    for part in (*layouts.parts(layout), *variants):
        yield from structures_in(part)
