"""Reads of a node that a run-time condition has chosen: the value of each node, found while tracing, lies in arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.columnar import node_columns as columns, node_writes
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_dynamic_list
from anabranch.runtime.values.heap.slots import slot_of
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import node_reference
from anabranch.runtime.values.pytrees.node_reference import Reference


def read(reference: Reference, operation: Callable[[Any], object], is_own: Callable[[BaseException], bool]) -> Value:
    """The operation on the node, which only reads; None is one of the nodes.

    It is done on each node while tracing. Where it computes something, or changes a node, the nodes have to be few:
    then this gives NotImplemented.

    Raises
    ------
    UnsupportedOperationError
        Where the nodes are many.
    """
    # Not an `Attempt`: for each read it would go through all that the nodes lead to.
    builder = current()
    before = builder.checkpoint()
    members = reference.graph_.members
    slots = [s for m in members if m is not None and (s := slot_of(m)) is not None]
    found: dict[int, Any] = {}
    writes = node_writes.Writes(reference)
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
        if any(s.changed for s in slots):
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
        builder.rollback(before)
        if str(error):
            why = str(error)
    if len(reference.possible_()) > node_reference.FEW:
        # Lists that lie in an arena may do what one of several nodes may not.
        chosen = [m for i in reference.possible_() if isinstance(m := members[i], Growable)]
        current().trace.lists.demand_arenas(site for one in chosen for site in one.origins)
        raise node_reference.refusal(reference, why)
    return NotImplemented


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
