"""Reads of a node that a run-time condition has chosen, and writes to one: into the array of that field of all."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control.columnar import node_columns as columns
from anabranch.runtime.control.columnar.node_columns import UnlikeFieldsError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.slots import Slot, slot_of
from anabranch.runtime.values.heap.snapshot import Attempt
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.memory.item_memory import side_by_side
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, node_reference
from anabranch.runtime.values.pytrees.node_graphs import NodeGraph
from anabranch.runtime.values.pytrees.node_reference import Reference


def read(reference: Reference, operation: Callable[[Any], object], is_own: Callable[[BaseException], bool]) -> Value:
    """The operation on the node, which only reads; None is one of the nodes.

    It is done on each node while tracing. Where it computes something, or changes a node, the nodes have to be few:
    then this gives NotImplemented. Raises `UnsupportedOperationError` where the nodes are many.
    """
    # Not an `Attempt` for each read: it would go through all that the trace leads to.
    builder = current()
    trying = Attempt(operation) if _leads_on(operation) else None
    before = builder.checkpoint()
    members = reference.graph_.members
    slots = [s for m in members if m is not None and (s := slot_of(m)) is not None]
    found: dict[int, Any] = {}
    writes = _Writes(reference)
    why = node_reference.NOT_ONLY_READ
    try:
        for i in reference.possible_():
            try:
                found[i] = operation(members[i])
            except BaseException as error:
                if is_own(error):
                    raise
                found[i] = columns.Raised(error)
            if len(builder.equations) > before.equations:
                raise columns.UnlikeFieldsError
            writes.record(i)
        if any(s.changed for s in slots) or (trying is not None and trying.heap.has_changed_slots()):
            why = "is written to"
            raise columns.UnlikeFieldsError
        writes.emit()
        return columns.gathered(columns.NodeIndex(reference.graph_, reference.tag, len(members)), found)
    except (columns.UnlikeFieldsError, UnreachableError) as error:
        if isinstance(error, UnreachableError) and len(found) == len(reference.possible_()):
            raise
        for slot in slots:
            if slot.changed:
                slot.restore(slot.before)
        if trying is not None:
            trying.undo()
        builder.rollback(before)
        if str(error):
            why = str(error)
    if len(reference.possible_()) > node_reference.FEW:
        # Lists that lie in an arena may do what one of several nodes may not.
        chosen = [m for i in reference.possible_() if isinstance(m := members[i], Growable)]
        current().trace.lists.demand_arenas(site for one in chosen for site in one.origins)
        raise node_reference.refusal(reference, why)
    return NotImplemented


def _leads_on(operation: Callable[[Any], object]) -> bool:
    """Return whether an operation may change other objects than the node: it holds more than names and numbers."""
    if isinstance(operation, types.BuiltinFunctionType):
        return False
    if not isinstance(operation, types.FunctionType):
        return True
    return any(type(cell.cell_contents) not in _PLAIN for cell in operation.__closure__ or ())


_PLAIN = (str, int, float, bool, type(None))


class NodeItems:
    """The items of a list or tuple that is one of the nodes of a graph, as they are when they are read."""

    def __init__(self, reference: Reference, rows: dict[int, Any], native: type) -> None:
        self._reference, self._rows, self.native = reference, rows, native
        lengths = self._of_each(len)
        span = Interval(int(lengths.min()), int(lengths.max()))
        self.length: Value = python_scalar(node_reference.at(lengths, reference.tag), span)

    @staticmethod
    def of(reference: Reference) -> NodeItems | None:
        """Those of a reference; None where it may be anything but a list or tuple."""
        members = reference.graph_.members
        rows = {i: members[i] for i in reference.possible_()}
        classes = {r.native if isinstance(r, Growable) else type(r) for r in rows.values()}
        if len(classes) != 1 or not classes <= {list, tuple} or any(is_dynamic_list(r) for r in rows.values()):
            return None
        return NodeItems(reference, rows, classes.pop())

    def _of_each(self, number: Callable[[Any], int]) -> np.ndarray:
        found = np.zeros(len(self._reference.graph_.members), np.int64)
        for i, row in self._rows.items():
            found[i] = number(row)
        return found

    def at(self, place: Value) -> Value:
        """The item at a place that is in range."""
        items: list[Any] = []

        def start(row: Any) -> int:
            items.extend(row)
            return len(items) - len(row)

        starts = self._of_each(start)
        at = atoms.ufunc(np.add, node_reference.at(starts, self._reference.tag), wrap.as_atom(place, np.int64))
        where = columns.NodeIndex(self._reference.graph_, atoms.convert(at, np.int32), len(items))
        try:
            return columns.gathered(where, dict(enumerate(items)))
        except columns.UnlikeFieldsError as error:
            raise node_reference.refusal(self._reference, str(error)) from None


def is_(reference: Reference, other: object) -> Value:
    """`reference is other`, as a bool or an atom."""
    graph = reference.graph_
    if isinstance(other, Reference):
        if other.graph_ is graph:
            return atoms.ufunc(np.equal, reference.tag, other.tag)
        table = np.array([other.graph_.places.get(m, -1) for m in graph.members], np.int32)
        return atoms.ufunc(np.equal, node_reference.at(table, reference.tag), other.tag)
    place = graph.places.get(other)
    if place is None or graph.kinds[place] not in reference.kinds_:
        return False
    if len(reference.possible_()) == 1:
        return True
    return atoms.ufunc(np.equal, reference.tag, atoms.literal(place, np.int32))


_NEW = "is written to, and gets a new item, attribute or length, which only one of them would have"


class _Writes:
    """The writes of one operation, tried on each node that it may be."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._slots: dict[int, Slot] = {}
        for i in reference.possible_():
            slot = slot_of(reference.graph_.members[i])
            if slot is not None:
                self._slots[i] = slot
        self._fields: dict[Hashable, dict[int, Any]] = {}
        self._refused: list[int] = []  # the nodes that would get something new

    def record(self, number: int) -> None:
        """Note what the operation has changed in the node of this number, and put it back."""
        slot = self._slots.get(number)
        if slot is None or not slot.changed:
            return
        now, before = _fields(slot.contents()), _fields(slot.before)
        if now is None or before is None or list(now) != list(before):
            self._refused.append(number)
            slot.restore(slot.before)
            return
        for key, value in now.items():
            if value is not before[key]:
                self._fields.setdefault(key, {})[number] = value
        slot.restore(slot.before)

    def emit(self) -> None:
        """Give all nodes their fields after the write.

        Raises `UnlikeError` where these are not numbers of one type.
        """
        if self._refused and not self._fields:
            raise UnlikeFieldsError(_NEW)
        for key, new in self._fields.items():
            self._emit(key, new)
        if self._refused:
            table = np.zeros(len(self._reference.graph_.members), bool)
            table[self._refused] = True
            error = node_reference.refusal(self._reference, _NEW)
            run_time_checks.fail_if(node_reference.at(table, self._reference.tag), lambda _: error)

    def _emit(self, key: Hashable, new: dict[int, Value]) -> None:
        numbers = list(new)
        values = list(new.values())
        befores = [_fields(self._slots[i].before) for i in numbers]
        olds = [before[key] for before in befores if before is not None]
        abstract = _one_kind([*olds, *values])
        if any(not layouts.same(v, values[0]) for v in values):
            raise UnlikeFieldsError("is written to, and gets different values in different nodes")
        rows = [wrap.as_atom(v, abstract.dtype) for v in olds]
        places = np.full(len(self._reference.graph_.members), len(rows), np.int64)
        places[numbers] = np.arange(len(rows))
        # One place more is for nodes that the operation leaves as they are.
        spare = rows[:1] if len(rows) < len(self._reference.possible_()) else []
        memory = side_by_side([*rows, *spare], abstract.type)
        place = node_reference.at(places, self._reference.tag)
        made = item_memory.updated(memory, wrap.as_atom(values[0], abstract.dtype), place)
        spans = [layouts.interval(layouts.Constant(v)) for v in (*olds, values[0])]
        span = Interval(min(s.low for s in spans), max(s.high for s in spans))
        for row, i in enumerate(numbers):
            atom = atoms.literal(made.value[row], abstract.dtype) if isinstance(made, Literal) else None
            part = Part(abstract.type, made, row) if atom is None else atom
            value = python_scalar(part, span) if abstract.kind is Kind.PYTHON else wrap.from_abstract(abstract, part)
            slot = self._slots[i]
            contents = slot.contents()
            fields = {**(_fields(contents) or {}), key: value}
            slot.restore(fields if isinstance(contents, dict) else type(contents)(fields.values()))


def _fields(contents: Value) -> dict[Any, Value] | None:
    """The parts of a node by names, keys or places; None for a list of run-time length."""
    if isinstance(contents, dict):
        return contents
    return dict(enumerate(contents)) if isinstance(contents, tuple) else None


def _one_kind(values: list[Value]) -> Abstract:
    kinds = [layouts.numeric(layouts.Constant(v)) for v in values]
    first = kinds[0]
    if first is None or first.kind is Kind.ARRAY or first.shape:
        raise UnlikeFieldsError("is written to, and gets something other than a number in place of a number")
    if any(k != first for k in kinds):
        raise UnlikeFieldsError("is written to, and gets a number of another type than it had")
    if any(type(v) is int and not -(2**63) <= v < 2**63 for v in values):
        raise UnlikeFieldsError("holds an int beyond 64 bits")
    return first


def end(first: int, exists: Callable[[Any], bool], value: Value) -> Value:
    """Forget the graphs since the first one of a branch or loop body that have nodes made in it.

    Parameters
    ----------
    first
        How many graphs there were before.
    exists
        Whether a node was there before.
    value
        What the branch or body gives.

    Returns
    -------
    object
        The same, with one of a few alternatives in place of a reference to a node of such a graph.

    Raises
    ------
    UnsupportedOperationError
        Where the alternatives are many.
    """
    graphs: list[NodeGraph] = current().trace.identity.graphs
    ended = IdentitySet(g for g in graphs[first:] if not all(m is None or exists(m) for m in g.members))
    if not ended:
        return value
    graphs[first:] = [g for g in graphs[first:] if g not in ended]

    def outlived(part: Value) -> Value:
        return part.plain_() if isinstance(part, Reference) and part.graph_ in ended else part

    return type(value)(map(outlived, value)) if type(value) in (list, tuple) else outlived(value)
