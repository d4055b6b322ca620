"""Graphs: the containers of one static structure (a tree, a linked list of dicts or objects) as numbered nodes."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from anabranch.base.by_identity import IdentityDict, IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import containers
from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue

# Structures of up to so many nodes stay alternatives, each of which keeps what is known of it.
SMALL = 8
# Nodes are told apart by their keys where there are up to so many sets of these.
_MOST_KINDS = 8


# The class of a node; its keys, of a list its length, where these tell few kinds of that class apart; and of a list
# whether it has held other nodes at first, as the rows of a table do not.
NodeKind: TypeAlias = tuple[type, tuple[Any, ...] | int | None, bool]


@frozen(eq=False)
class NodeGraph:
    """The nodes of a static structure: None first, then the containers."""

    members: tuple[Any, ...]
    places: IdentityDict[Any, int]  # from a member to its number
    kinds: tuple[NodeKind, ...]  # of each member its class, and its keys where these tell few kinds of that class apart
    coarse: frozenset[type]  # the classes of which members are not told apart by their keys

    @staticmethod
    def of(members: Sequence[Value]) -> NodeGraph:
        """The graph of these members."""
        fine = list(map(_kind, members))
        count = collections.Counter(kind[0] for kind in set(fine))
        coarse = frozenset(cls for cls, n in count.items() if n > _MOST_KINDS)
        kinds = [(cls, None if cls in coarse else keys, holds_nodes) for cls, keys, holds_nodes in fine]
        places = IdentityDict((m, i) for i, m in enumerate(members))
        return NodeGraph(tuple(members), places, tuple(kinds), coarse)

    @property
    def fine(self) -> bool:
        """Return whether all members are told apart by their keys."""
        return not self.coarse

    def __contains__(self, value: object) -> bool:
        return value in self.places

    def among(self, kinds: frozenset[NodeKind]) -> list[int]:
        """The numbers of the members of these kinds."""
        return [i for i, kind in enumerate(self.kinds) if kind in kinds]

    def kinds_in(self, other: NodeGraph, kinds: frozenset[NodeKind]) -> frozenset[NodeKind]:
        """The kinds that members of these kinds have in a graph that has all the members."""
        if other.coarse == self.coarse:
            return kinds
        return frozenset(other.kinds[other.places[self.members[i]]] for i in self.among(kinds))

    def alike(self, kinds: Iterable[NodeKind]) -> frozenset[NodeKind]:
        """All kinds of the classes of these kinds, which hold other nodes where these do."""
        sorts = {(cls, holds_nodes) for cls, _, holds_nodes in kinds}
        return frozenset(kind for kind in self.kinds if (kind[0], kind[2]) in sorts)


def _kind(member: Value) -> NodeKind:
    structure = None if member is None else containers.structure_of(member)
    if structure is None:
        return (type(member), None, False)
    if not isinstance(member, list):
        return (type(member), structure.keys, False)
    return (type(member), len(structure.keys), any(map(is_container, structure.children(member))))


def graph_of(*values: Value, least: int = SMALL + 1) -> NodeGraph | None:
    """The graph that has these containers; None where it would have fewer than `least`."""
    graphs: list[NodeGraph] = current().trace.identity.graphs
    for graph in reversed(graphs):
        if all(v in graph for v in values):
            return graph
    members = IdentitySet[Any]([None])
    for base in graphs:
        if any(v in base for v in values):
            members.update(base.members)
    members.update(_reached(values))
    if len(members) - 1 < least:
        return None
    graph = NodeGraph.of(list(members))
    graphs.append(graph)
    return graph


def leads_to_its_kind(value: object) -> bool:
    """Return whether a container leads to others of its class with its keys, as the nodes of a tree do.

    A square table, of as many rows as columns, does not: its rows hold no rows.
    """
    reached = _reached([value])
    first = _kind(next(reached, None))
    return any(type(v) is first[0] and _kind(v) == first for v in reached)


def _reached(values: Iterable[object]) -> Iterator[Value]:
    """Yield the containers that some lead to, these first."""
    pending, seen = collections.deque(values), IdentitySet[object]()
    while pending:
        value = pending.popleft()
        if value in seen or not is_container(value):
            continue
        seen.add(value)
        yield value
        structure = containers.structure_of(value)
        assert structure is not None
        pending += structure.children(value)


def is_container(value: object) -> bool:
    """Return whether a value is a container that has an identity, and is known while tracing."""
    if value is None or isinstance(value, (UnionValue, Undefined)):
        return False
    if isinstance(value, ContainerStandIn) and isinstance(value, (list, collections.deque)):
        growing: Any = value  # its structure would take all of its items to make
        return not growing.is_dynamic
    structure = containers.structure_of(value)
    if structure is None or structure.flat or structure.is_dynamic_list:
        return False
    return structure.mutable and not isinstance(value, BaseException)


# The kind of None.
NONE: NodeKind = (type(None), None, False)


def is_member(value: object) -> bool:
    """Return whether a container is one of the nodes of a graph."""
    return any(value in graph for graph in current().trace.identity.graphs)


def may_be_node(value: object) -> bool:
    """Return whether a value that is known while tracing may be a member of a graph: None, or a container."""
    return value is None or is_container(value)
