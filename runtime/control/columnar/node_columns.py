"""Values that are known for each of some places, by a place that is known at run time: arrays of them, and reads."""

from __future__ import annotations

import types
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import ByIdentity
from anabranch.base.frozen import frozen
from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.memory.item_memory import side_by_side
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import exceptions, layout as layouts, node_graphs, node_reference, node_structures
from anabranch.runtime.values.union import UnionValue


class UnlikeFieldsError(Exception):
    """Values cannot be put into arrays; the text says why, of a node that has them."""


@frozen
class Raised:
    """The stand-in of a value that is an exception when it is read."""

    error: BaseException


@frozen(eq=False)
class NodeIndex:
    """A place known at run time among `count`, where things are read that may be nodes of a graph."""

    graph: node_graphs.NodeGraph
    index: Atom
    count: int


@frozen
class _Group:
    """Nodes of which the same kind of thing is read: their numbers, and the value for each."""

    places: list[int]
    values: list[Any]


def gathered(place: NodeIndex, found: Mapping[int, object]) -> Value:
    """The value for the node that it is, with the failures of those for which there is none."""
    groups: dict[Hashable, _Group] = {}
    has_nodes = any(v is not None and not isinstance(v, Raised) and v in place.graph for v in found.values())
    for i, value in found.items():
        group = groups.setdefault(_key(place, value, has_nodes), _Group([], []))
        group.places.append(i)
        group.values.append(value)
    which = np.zeros(place.count, np.int32)
    for number, group in enumerate(groups.values()):
        which[group.places] = number
    if len(groups) == 1 and isinstance(first := next(iter(found.values())), Raised):
        raise first.error
    # Other nodes are not met: the tag is simplest where they count to the first group.
    tag = node_reference.at(which, place.index) if len(groups) > 1 else atoms.literal(0, np.int32)
    fine = []
    for number, group in enumerate(groups.values()):
        if isinstance(group.values[0], Raised):
            here = atoms.ufunc(np.equal, tag, atoms.literal(number, np.int32))
            error = group.values[0].error
            exceptions.record(here, error, run_time_checks.frames_of(error))
        else:
            fine.append((number, group))
    if not fine:
        raise UnreachableError
    options = [_column(place, group) for _, group in fine]
    if len(options) == 1:
        return options[0]
    renumbered = np.zeros(len(groups), np.int32)
    renumbered[[number for number, _ in fine]] = np.arange(len(fine))
    if len(fine) < len(groups):
        tag = node_reference.at(renumbered[which], place.index)
    return UnionValue(tag, tuple(options))


def _key(place: NodeIndex, value: object, has_nodes: bool) -> Hashable:
    """Return the key that values share if they can lie in one array."""
    if isinstance(value, Raised):
        plain = all(type(a) in (str, int, bool, type(None)) for a in value.error.args)
        args = tuple((type(a), repr(a)) for a in value.error.args) if plain else ByIdentity(value.error)
        return ("raised", type(value.error), args)
    if value is None:
        return "node" if has_nodes else "none"
    if isinstance(value, UnionValue):
        raise UnlikeFieldsError("holds a value that is one of several, depending on a run-time condition")
    if value in place.graph:
        return "node"
    abstract = layouts.numeric(layouts.Constant(value))
    if abstract is not None:
        if abstract.kind is Kind.PYTHON and type(value) is int and not -(2**63) <= value < 2**63:
            raise UnlikeFieldsError("holds an int beyond 64 bits")
        if abstract.kind is Kind.ARRAY:
            raise UnlikeFieldsError("holds an array, another one in each node")
        return abstract
    if isinstance(value, (str, bytes)):
        return (type(value), value)
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, np.dtype)) or value is Ellipsis:
        return ("constant", ByIdentity(value))
    if type(value) is tuple:
        return ("tuple", tuple(_key(place, v, has_nodes) for v in value))
    raise UnlikeFieldsError(f"holds {a(type(value).__name__)}, another one in each node")


def _column(place: NodeIndex, group: _Group) -> Value:
    """The value among those of a group that is the node's."""
    first = group.values[0]
    graph = place.graph
    if len(group.values) == 1 or all(v is first for v in group.values):
        return first
    if all(v is None or v in graph for v in group.values):
        table = np.zeros(place.count, np.int32)
        table[group.places] = [graph.places[v] for v in group.values]
        kinds = frozenset(graph.kinds[graph.places[v]] for v in group.values)
        return node_structures.structure_in(graph, kinds).build(
            [wrap.from_abstract(node_reference.INDEX, node_reference.at(table, place.index))]
        )
    abstract = layouts.numeric(layouts.Constant(first))
    if abstract is not None:
        return _number(place, group, abstract)
    if type(first) is tuple:
        lines = zip(*group.values, strict=True)
        return tuple([_column(place, _Group(group.places, list(line))) for line in lines])
    return first


def _number(place: NodeIndex, group: _Group, abstract: Abstract) -> Value:
    if all(layouts.same(v, group.values[0]) for v in group.values):
        return group.values[0]
    rows = [wrap.as_atom(v, abstract.dtype) for v in group.values]
    atom = _row(place, group.places, rows, abstract)
    if abstract.kind is not Kind.PYTHON:
        return wrap.from_abstract(abstract, atom)
    spans = [layouts.interval(layouts.Constant(v)) for v in group.values]
    return python_scalar(atom, Interval(min(s.low for s in spans), max(s.high for s in spans)))


def _row(place: NodeIndex, places: Sequence[int], rows: Sequence[Atom], abstract: Abstract) -> Atom:
    """The one of some atoms, one for each of these nodes, that is the node's."""
    count = place.count
    if not abstract.shape and all(isinstance(r, Literal) for r in rows):
        table = np.zeros(count, abstract.dtype)
        table[list(places)] = [r.value for r in rows if isinstance(r, Literal)]
        return node_reference.at(table, place.index)
    where = np.zeros(count, np.int64)
    first = rows[0]
    if isinstance(first, Part) and all(isinstance(r, Part) and r.whole is first.whole for r in rows):
        where[list(places)] = [r.place for r in rows if isinstance(r, Part)]
        own = first.type.shape
        whole = first.whole
        lead = whole.type.shape[: len(whole.type.shape) - len(own)]
        memory = atoms.reshape(whole, (int(np.prod(lead, dtype=np.int64)), *own))
    else:
        where[list(places)] = np.arange(len(rows))
        memory = side_by_side(rows, abstract.type)
    return item_memory.row(memory, node_reference.at(where, place.index))
