"""Static structures of nodes (trees, linked lists, graphs of dicts and objects) that are walked at run time.

All containers that lie in one structure are the nodes of a `Graph`. A name that is one of them by a run-time condition
is a `Reference`: the number of the node. What is read from it is read from arrays that hold that of each node, so that
the computation has the same size for any number of nodes.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing import source_frames
from anabranch.runtime.tracing.trace import current, tracing
from anabranch.runtime.values import atoms, attributes, containers, union as choices, union_operations, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.tracer import SHOWN, shown_to_tools
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import ChoiceValue

# Structures of up to so many nodes stay alternatives, each of which keeps what is known of it.
SMALL = 8
# So many containers that lead to none of their kind stay alternatives.
_MOST_APART = 4
# Nodes are told apart by their keys where there are up to so many sets of these.
_MOST_KINDS = 8
INDEX = Abstract((), np.dtype(np.int32), Kind.SCALAR)


@frozen(eq=False)
class Graph:
    """The nodes of a static structure: None first, then the containers.

    Attributes
    ----------
    members : tuple
    places : dict
        From the identity of a member to its number.
    kinds : tuple
        Of each member its class, and its keys where these tell few kinds of that class apart.
    coarse : frozenset
        The classes of which members are not told apart by their keys.
    """

    members: tuple[Any, ...]
    places: dict[int, int]
    kinds: tuple[Any, ...]
    coarse: frozenset[type]

    @staticmethod
    def of(members: Sequence[Any]) -> Graph:
        """The graph of these members."""
        fine = [_kind(m, True) for m in members]
        count = collections.Counter(kind[0] for kind in set(fine))
        coarse = frozenset(cls for cls, n in count.items() if n > _MOST_KINDS)
        kinds = [kind[:1] if kind[0] in coarse else kind for kind in fine]
        return Graph(tuple(members), {id(m): i for i, m in enumerate(members)}, tuple(kinds), coarse)

    @property
    def fine(self) -> bool:
        """Return whether all members are told apart by their keys."""
        return not self.coarse

    def __contains__(self, value: Any) -> bool:
        return id(value) in self.places

    def among(self, kinds: frozenset[Any]) -> list[int]:
        """The numbers of the members of these kinds."""
        return [i for i, kind in enumerate(self.kinds) if kind in kinds]

    def kinds_in(self, other: Graph, kinds: frozenset[Any]) -> frozenset[Any]:
        """The kinds that members of these kinds have in a graph that has all the members."""
        if other.coarse == self.coarse:
            return kinds
        return frozenset(other.kinds[other.places[id(self.members[i])]] for i in self.among(kinds))

    def alike(self, kinds: Iterable[Any]) -> frozenset[Any]:
        """All kinds of the classes of these kinds."""
        classes = {kind[0] for kind in kinds}
        return frozenset(kind for kind in self.kinds if kind[0] in classes)


def _kind(member: Any, fine: bool) -> Any:
    if not fine or member is None:
        return (type(member),)
    structure = containers.structure_of(member)
    keys = None if structure is None else structure.keys
    return (type(member), keys if not isinstance(member, list) or keys is None else len(keys))


def graph_of(*values: Any, least: int = SMALL + 1) -> Graph | None:
    """The graph that has these containers; None where it would have fewer than `least`."""
    graphs: list[Graph] = current().trace.graphs
    for graph in reversed(graphs):
        if all(v in graph for v in values):
            return graph
    members: dict[int, Any] = {id(None): None}
    for base in graphs:
        if any(v in base for v in values):
            members.update((id(m), m) for m in base.members)
    members.update((id(v), v) for v in _reached(values))
    found = list(members.values())
    if len(found) - 1 < least:
        return None
    graph = Graph.of(found)
    graphs.append(graph)
    return graph


def leads_to_its_kind(value: Any) -> bool:
    """Return whether a container leads to others of its class with its keys, as the nodes of a tree do."""
    reached = _reached([value])
    kind = _kind(next(reached, None), True)
    return any(type(v) is kind[0] and _kind(v, True) == kind for v in reached)


def _reached(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the containers that some lead to, these first."""
    pending, seen = collections.deque(values), set[int]()
    while pending:
        value = pending.popleft()
        if id(value) in seen or not is_container(value):
            continue
        seen.add(id(value))
        yield value
        structure = containers.structure_of(value)
        assert structure is not None
        pending += structure.children(value)


def is_container(value: Any) -> bool:
    """Return whether a value is a container that has an identity, and is known while tracing."""
    if value is None or isinstance(value, (ChoiceValue, Undefined)):
        return False
    structure = containers.structure_of(value)
    if structure is None or structure.flat or structure.grown:
        return False
    return structure.mutable and not isinstance(value, BaseException)


# ---- references ------------------------------------------------------------------------------------------------------


class Reference(ChoiceValue):
    """One of the nodes of a graph: its number, and the kinds of nodes that it may be."""

    __slots__ = ("graph_", "kinds_")

    def __init__(self, graph: Graph, index: Atom, kinds: frozenset[Any]) -> None:
        super().__init__(index, graph.members)
        object.__setattr__(self, "graph_", graph)
        object.__setattr__(self, "kinds_", kinds)

    graph_: Graph
    kinds_: frozenset[Any]

    def __copy__(self) -> Any:
        copied = self.copied_()
        return self.plain_().__copy__() if copied is NotImplemented else copied

    def __deepcopy__(self, memo: dict[int, Any]) -> ChoiceValue:
        return self.plain_().__deepcopy__(memo)

    def possible_(self) -> list[int]:
        """The numbers of the nodes that it may be."""
        return self.graph_.among(self.kinds_)

    def apart_(self) -> list[tuple[Atom, Reference]]:
        """The node as one of each kind, with when it is that."""
        graph = self.graph_
        found = []
        for kind in dict.fromkeys(graph.kinds[i] for i in self.possible_()):
            table = np.array([k == kind for k in graph.kinds])
            found.append((at(table, self.tag), Reference(graph, self.tag, frozenset([kind]))))
        return found

    @property
    def kind_(self) -> type:
        """The class of a node of one kind."""
        (kind,) = self.kinds_
        cls: type = kind[0]
        return cls

    @property
    def keys_(self) -> tuple[Any, ...]:
        """The keys of a dict of one kind."""
        return tuple(self.graph_.members[self.possible_()[0]])

    def index_in_(self, graph: Graph) -> Atom:
        """The number in a graph that has all the members of this one's."""
        if graph is self.graph_:
            return self.tag
        places = [graph.places.get(id(m), 0) for m in self.graph_.members]
        return at(np.array(places, np.int32), self.tag)

    def plain_(self) -> ChoiceValue:
        """The same as one of a few alternatives.

        Raises
        ------
        UnsupportedOperationError
            Where they are many.
        """
        possible = self.possible_()
        if len(possible) > FEW:
            raise refusal(self, "is used in a way that is not staged for structures of many nodes")
        which = np.zeros(len(self.graph_.members), np.int32)
        which[possible] = np.arange(len(possible))
        return ChoiceValue(at(which, self.tag), tuple(self.graph_.members[i] for i in possible))

    def without_undefined(self, error: Callable[[Undefined], NameError] = Undefined.error) -> Any:
        return self

    def resolve(self, operation: Callable[[Any], Any] = choices.unknown_operation) -> Any:
        return self.through(operation)

    def through(self, operation: Callable[[Any], Any]) -> Any:
        return union_operations.operations().decide(self, operation)

    each = through
    in_place = through

    @property
    def has_several_types(self) -> bool:
        return False

    @property
    def has_several_dtypes(self) -> bool:
        return False

    @property
    def of_objects(self) -> bool:
        return True

    @property
    def worth(self) -> Abstract | None:
        return None

    def merges_with(self, other: Any) -> bool:
        return False

    def cast(self, dtype: np.dtype[Any]) -> Any:
        return None

    def _compared(self, operation: Callable[[Any, Any], Any], other: Any) -> Any:
        if isinstance(other, Reference):
            return self.plain_()._compared(operation, other.plain_())
        return self.through(lambda v: operation(v, other))

    def copied_(self) -> Any:
        """A new dict of what the node holds, where it is a dict with known keys; NotImplemented of anything else."""
        if len(self.kinds_) != 1 or self.kind_ is not dict or dict in self.graph_.coarse:
            return NotImplemented
        return {key: self[key] for key in self.keys_}

    def __anabranch_read__(self, name: str) -> Any:
        copied = self.copied_() if name in _OF_ALL else NotImplemented
        if copied is not NotImplemented:
            return getattr(copied, name)
        methods = self._methods(name)
        if not methods:
            return self.through(lambda v: attributes.read(v, name))
        itself = self.through(lambda v: getattr(None, name) if v is None else v)
        if not isinstance(itself, Reference):
            return attributes.read(itself, name)
        found = list(dict.fromkeys(methods.values()))
        ways = []
        for method in found:
            kinds = frozenset(k for k in itself.kinds_ if methods[k[0]] is method)
            one = Reference(itself.graph_, itself.tag, kinds)
            ways.append(types.MethodType(method, one) if isinstance(method, types.FunctionType) else Method(one, name))
        if len(ways) == 1:
            return ways[0]
        which = [found.index(methods[k[0]]) if k in itself.kinds_ else 0 for k in self.graph_.kinds]
        return ChoiceValue(at(np.array(which, np.int32), itself.tag), tuple(ways))

    def _methods(self, name: str) -> dict[type, Any]:
        """By class, the method of this name that the nodes have; empty where some have something else."""
        found: dict[type, Any] = {}
        for i in self.possible_():
            member = self.graph_.members[i]
            cls = type(member)
            if member is not None and cls not in found:
                found[cls] = inspect.getattr_static(cls, name, None)
            if member is not None and name in getattr(member, "__dict__", ()):
                return {}
        kinds = (types.FunctionType, types.MethodDescriptorType)
        return found if all(isinstance(m, kinds) for m in found.values()) else {}

    def __hash__(self) -> int:
        return super().__hash__()

    def __repr__(self) -> str:
        return shown_to_tools(f"{SHOWN}one of {len(self.possible_())} nodes>")


# Methods of dicts that only read, and look at all items.
_OF_ALL = ("keys", "values", "items", "copy", "__or__")
# The kind of None.
NONE = (type(None),)


class Method:
    """A method of a built-in container that is a node."""

    __slots__ = ("name", "node")

    def __init__(self, node: Reference, name: str) -> None:
        self.node, self.name = node, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.node.through(lambda v: getattr(v, self.name)(*args, **kwargs))


# Of nodes that are few, what is not staged for many is done to each.
FEW = 16


def at(table: np.ndarray[Any, Any], index: Atom) -> Atom:
    """The element of a constant vector at a place."""
    if isinstance(index, Literal):
        return atoms.literal(table[int(index.value)], table.dtype)
    first = table[0]
    if (table == first).all():
        return atoms.literal(first, table.dtype)
    return item_memory.row(atoms.literal(table), atoms.convert(index, np.int64))


def refusal(reference: Reference, what: str) -> UnsupportedOperationError:
    """Return the error for what cannot be done with a reference."""
    name = _name_of(reference)
    return UnsupportedOperationError(
        f"{f'{name!r} is ' if name else ''}one of {len(reference.possible_())} nodes of a tree, list or graph of dicts "
        f"or objects, chosen by a run-time condition, {'and ' if name else ''}{what}; keep the structure in arrays, "
        "one for each field (feature[], threshold[], left[], right[]), and walk it by the number of the node"
    )


def _name_of(reference: Reference) -> str | None:
    """The name by which the user's code has a reference."""
    for frame in source_frames.users(sys._getframe(1)):
        for name, value in frame.f_locals.items():
            if isinstance(value, Reference) and value.tag is reference.tag:
                return name
    return None


# ---- layouts ---------------------------------------------------------------------------------------------------------


@frozen
class ReferenceStructure(containers.Structure):
    """That of a reference: which graph's node it is (`extra`), and of which kinds. Its part is the number."""

    kinds: frozenset[Any] = dataclasses.field(default=frozenset())

    @property
    def mutable(self) -> bool:
        return False

    @property
    def flat(self) -> bool:
        return True

    def children(self, value: Any) -> list[Any]:
        if isinstance(value, Reference):
            return [wrap.from_abstract(INDEX, value.index_in_(self.extra))]
        return [np.int32(self.extra.places[id(value)])]

    def hosted(self, members: Mapping[int, int]) -> containers.Structure:
        return MemberStructure(Reference, ("number",), members[id(self.extra)])

    def has(self, member: Any) -> bool:
        """Return whether a node known while tracing is one of these."""
        place = self.extra.places.get(id(member))
        return place is not None and self.extra.kinds[place] in self.kinds

    def build(self, children: Sequence[Any]) -> Any:
        index = wrap.as_atom(children[0], np.int32)
        if isinstance(index, Literal):
            return self.extra.members[int(index.value)]
        return Reference(self.extra, index, self.kinds)


@frozen
class MemberStructure(containers.Structure):
    """That of a reference on the host: its part is the number, and `extra` the place of the graph's first node."""

    @property
    def mutable(self) -> bool:
        return False

    @property
    def flat(self) -> bool:
        return True

    def on_host(self, children: Sequence[Any], members: Sequence[Any]) -> Any:
        return members[self.extra + int(children[0])]


def structure_in(graph: Graph, kinds: frozenset[Any]) -> ReferenceStructure:
    """The structure of a reference to a node of these kinds."""
    return ReferenceStructure(Reference, ("number",), graph, kinds)


def structure_of(reference: Reference) -> ReferenceStructure:
    """The structure of a reference."""
    return structure_in(reference.graph_, reference.kinds_)


def joined(options: Sequence[Any]) -> ReferenceStructure | None:
    """The structure that holds what any of these is: structures of references, containers, None.

    None where they had better stay alternatives.
    """
    given = [x for x in options if isinstance(x, ReferenceStructure)]
    held = [x for x in options if x is not None and not isinstance(x, ReferenceStructure)]
    # Lists of several lengths are rather one list that grows.
    are_many = len(held) > _MOST_APART and not all(isinstance(x, list) for x in held)
    if not tracing() or not (given or are_many or any(map(leads_to_its_kind, held))):
        return None
    graph = graph_of(*[g.extra.members[1] for g in given], *held)
    if graph is None:
        return None
    found: set[Any] = {NONE} if None in [x for x in options if x is None] else set()
    for g in given:
        found |= g.extra.kinds_in(graph, g.kinds)
    return structure_in(graph, graph.alike([*found, *(graph.kinds[graph.places[id(x)]] for x in held)]))


def is_member(value: Any) -> bool:
    """Return whether a container is one of the nodes of a graph."""
    return any(value in graph for graph in current().trace.graphs)


def may_be_node(value: Any) -> bool:
    """Return whether a value that is known while tracing may be a member of a graph: None, or a container."""
    return value is None or is_container(value)
