"""References: a name that is one of the nodes of a static structure, which is walked at run time.

All containers that lie in one structure (a tree, a linked list) are the nodes of a `NodeGraph`. A name that is one of
them by a run-time condition is a `Reference`: the number of the node. An attribute is read from an array that holds
that of each node, so that the computation has the same size for any number of nodes.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing import source_frames
from anabranch.runtime.values import atoms, attributes, union_operations
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.pytrees.node_graphs import NodeGraph, NodeKind
from anabranch.runtime.values.tracer import SHOWN, shown_to_tools
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue, unknown_operation

INDEX = Abstract((), np.dtype(np.int32), Kind.SCALAR)


class Reference(UnionValue):
    """One of the nodes of a graph: its number, and the kinds of nodes that it may be."""

    __slots__ = ("graph_", "kinds_")

    def __init__(self, graph: NodeGraph, index: Atom, kinds: frozenset[NodeKind]) -> None:
        super().__init__(index, graph.members)
        object.__setattr__(self, "graph_", graph)
        object.__setattr__(self, "kinds_", kinds)

    graph_: NodeGraph
    kinds_: frozenset[NodeKind]

    def __copy__(self) -> Value:
        copied = self.copied_()
        return self.plain_().__copy__() if copied is NotImplemented else copied

    def __deepcopy__(self, memo: dict[int, Value]) -> UnionValue:
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
    def keys_(self) -> tuple[Value, ...]:
        """The keys of a dict of one kind; of a list, the items of one."""
        return tuple(self.graph_.members[self.possible_()[0]])

    def index_in_(self, graph: NodeGraph) -> Atom:
        """The number in a graph that has all the members of this one's."""
        if graph is self.graph_:
            return self.tag
        places = [graph.places.get(m, 0) for m in self.graph_.members]
        return at(np.array(places, np.int32), self.tag)

    def plain_(self) -> UnionValue:
        """The same as one of a few alternatives.

        Raises `UnsupportedOperationError` where they are many.
        """
        possible = self.possible_()
        if len(possible) > FEW:
            raise refusal(self, NOT_ONLY_READ)
        which = np.zeros(len(self.graph_.members), np.int32)
        which[possible] = np.arange(len(possible))
        return UnionValue(at(which, self.tag), tuple(self.graph_.members[i] for i in possible))

    def without_undefined(self, error: Callable[[Undefined], Exception] = Undefined.error) -> Value:
        return self

    def resolve(self, operation: Callable[[Any], object] = unknown_operation) -> Value:
        return self.through(operation)

    def through(self, operation: Callable[[Any], object]) -> Value:
        return union_operations.operations().decide(self, operation)

    each = through
    in_place = through

    has_several_types = False
    has_several_dtypes = False
    of_objects = True

    @property
    def worth(self) -> Abstract | None:
        return None

    def merges_with(self, other: object) -> bool:
        return False

    def cast(self, dtype: np.dtype) -> Value:
        return None

    def _compared(self, operation: Callable[[Any, Any], object], other: object) -> Value:
        if isinstance(other, Reference):
            return self.plain_()._compared(operation, other.plain_())
        return self.through(lambda v: operation(v, other))

    def copied_(self) -> Value:
        """A new dict or list of what the node holds, of known keys or length; NotImplemented of anything else."""
        if len(self.kinds_) != 1 or self.kind_ in self.graph_.coarse:
            return NotImplemented
        if issubclass(self.kind_, list):
            return [self[place] for place in range(len(self.keys_))]
        return {key: self[key] for key in self.keys_} if self.kind_ is dict else NotImplemented

    def held_(self) -> Value:
        held = self.copied_()
        return held if isinstance(held, list) else NotImplemented

    def __anabranch_read__(self, name: str) -> Value:
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
        return UnionValue(at(np.array(which, np.int32), itself.tag), tuple(ways))

    def _methods(self, name: str) -> dict[type, Value]:
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


class Method:
    """A method of a built-in container that is a node."""

    __slots__ = ("name", "node")

    def __init__(self, node: Reference, name: str) -> None:
        self.node, self.name = node, name

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        return self.node.through(lambda v: getattr(v, self.name)(*args, **kwargs))


# Of nodes that are few, what is not staged for many is done to each.
FEW = 16


def at(table: np.ndarray, index: Atom) -> Atom:
    """The element of a constant vector at a place."""
    if isinstance(index, Literal):
        return atoms.literal(table[int(index.value)], table.dtype)
    first = table[0]
    if (table == first).all():
        return atoms.literal(first, table.dtype)
    return item_memory.row(atoms.literal(table), atoms.convert(index, np.int64))


# Why a reference to one of many nodes is refused where nothing more is known.
NOT_ONLY_READ = "is used for more than reading or writing the numbers that it holds"


def refusal(reference: Reference, what: str) -> UnsupportedOperationError:
    """Return the error for what cannot be done with a reference."""
    name = _name_of(reference)
    return UnsupportedOperationError(
        f"{f'{name!r} is ' if name else ''}one of {len(reference.possible_())} nodes of a tree, list or graph of "
        f"dicts or objects, chosen by a run-time condition, {'and ' if name else ''}{what}; keep the structure in "
        "arrays, one for each field (feature[], threshold[], left[], right[]), and refer to nodes by number"
    )


def _name_of(reference: Reference) -> str | None:
    """The name by which the user's code has a reference."""
    for frame in source_frames.users(sys._getframe(1)):
        for name, value in frame.f_locals.items():
            if isinstance(value, Reference) and value.tag is reference.tag:
                return name
    return None
