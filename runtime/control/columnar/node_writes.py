"""Writes to a node that a run-time condition has chosen: into the array of that field of all nodes.

The write is tried on each node while tracing. Where it gives each of them the same number in place of one of the same
type, the array of these numbers has the new one at the place of the node that it is, and each node a part of it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.columnar.node_columns import UnlikeFieldsError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Literal
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.heap.slots import Slot, slot_of
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.memory.item_memory import side_by_side
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import layout as layouts, node_reference
from anabranch.runtime.values.pytrees.node_reference import Reference

_NEW = "is written to, and gets a new item, attribute or length, which only one of them would have"


class Writes:
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

        Raises
        ------
        UnlikeError
            Where these are not numbers of one type.
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
