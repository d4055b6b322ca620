"""The structures of references to nodes: what of one is static, and what holds any of several."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import containers, wrap
from anabranch.runtime.values.pytrees.node_graphs import NONE, NodeGraph, NodeKind, graph_of, leads_to_its_kind
from anabranch.runtime.values.pytrees.node_reference import INDEX, Reference

# So many containers that lead to none of their kind stay alternatives.
_MOST_APART = 4
# So many lists do, which may get longer: there can be no more alternatives.
_MOST_LISTS = 16


@frozen
class ReferenceStructure(containers.Structure):
    """That of a reference: which graph's node it is (`extra`), and of which kinds. Its part is the number."""

    kinds: frozenset[NodeKind] = dataclasses.field(default=frozenset())

    mutable = False
    flat = True

    def children(self, value: Value) -> list[Value]:
        if isinstance(value, Reference):
            return [wrap.from_abstract(INDEX, value.index_in_(self.extra))]
        return [np.int32(self.extra.places[value])]

    def hosted(self, members: Mapping[object, int]) -> containers.Structure:
        return MemberStructure(Reference, ("number",), members[self.extra])

    def has(self, member: object) -> bool:
        """Return whether a node known while tracing is one of these."""
        place = self.extra.places.get(member)
        return place is not None and self.extra.kinds[place] in self.kinds

    @property
    def nodes(self) -> list[Value]:
        """The nodes that it may be of."""
        return [self.extra.members[i] for i in self.extra.among(self.kinds)]

    def build(self, children: Sequence[object]) -> Value:
        index = wrap.as_atom(children[0], np.int32)
        if isinstance(index, Literal):
            return self.extra.members[int(index.value)]
        return Reference(self.extra, index, self.kinds)


@frozen
class MemberStructure(containers.Structure):
    """That of a reference on the host: its part is the number, and `extra` the place of the graph's first node."""

    mutable = False
    flat = True
    is_beside = True

    def on_host(self, children: Sequence[Value], members: Sequence[Value]) -> Value:
        return members[self.extra + int(children[0])]


def structure_in(graph: NodeGraph, kinds: frozenset[NodeKind]) -> ReferenceStructure:
    """The structure of a reference to a node of these kinds."""
    return ReferenceStructure(Reference, ("number",), graph, kinds)


def structure_of(reference: Reference) -> ReferenceStructure:
    """The structure of a reference."""
    return structure_in(reference.graph_, reference.kinds_)


def joined(options: Sequence[object]) -> ReferenceStructure | None:
    """The structure that holds what any of these is: structures of references, containers, None.

    None where they had better stay alternatives.
    """
    given = [x for x in options if isinstance(x, ReferenceStructure)]
    held = [x for x in options if x is not None and not isinstance(x, ReferenceStructure)]
    lists = [x for x in held if isinstance(x, list)]
    if len(lists) == len(held):  # lists of several lengths are rather one list that grows
        are_many = len(held) > _MOST_LISTS and len(set(map(len, lists))) == 1
    else:
        are_many = len(held) > _MOST_APART
    if not tracing() or not (given or are_many or any(map(leads_to_its_kind, held))):
        return None
    graph = graph_of(*[g.extra.members[1] for g in given], *held)
    if graph is None:
        return None
    found: set[NodeKind] = {NONE} if None in [x for x in options if x is None] else set()
    for g in given:
        found |= g.extra.kinds_in(graph, g.kinds)
    return structure_in(graph, graph.alike([*found, *(graph.kinds[graph.places[x]] for x in held)]))
