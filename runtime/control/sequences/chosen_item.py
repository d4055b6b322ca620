"""One item of several, at a position known only at run time, and the items of a sequence that is one of several."""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.columnar import array_lists
from anabranch.runtime.control.columnar.node_access import NodeItems
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.values import atoms, containers, registry, text_tables, wrap
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import item_constants
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.static_requests import is_of_run_time
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_operations import UNKNOWN
from anabranch.runtime.values.union_operators import are_texts


def chosen(items: Sequence[Value], position: int | PythonScalar, key: Value) -> Value:
    """The item at a position known only at run time; which is in range."""
    if not items:
        raise UnreachableError  # the check that there is such a key has failed for sure
    if not isinstance(position, PythonScalar):
        return items[position]
    if any(isinstance(item, (str, bytes, tuple, enum.Enum)) for item in items) and all(
        map(text_tables.is_constant, items)
    ):
        found = text_tables.entry(position.atom, items)
        if found is not UNKNOWN:
            return found
    alike = one_kind(items)
    memory = item_constants.memory_of(items, (layouts.Leaf(alike),)) if alike is not None else None
    if memory is not None and alike is not None:
        return merged(wrap.from_abstract(alike, item_memory.row(memory[0], wrap.as_atom(position, np.int64))))
    if alike is not None:
        vector = registry.FUNCTIONS[np.array]([wrap.from_abstract(alike, wrap.atom_as(i, alike)) for i in items])
        item = indexing.get(
            vector if isinstance(vector, TracedArray) else wrap.array_of(wrap.as_atom(vector)), position
        )
        return merged(wrap.from_abstract(alike, wrap.as_atom(item, alike.dtype)))
    if not all(map(are_texts, items)) and not all(
        _has_a_type(i) or (callable(i) and is_of_run_time(key)) for i in items
    ):
        key.__index__()  # what holds for each of them is found out where the index is known
    thunks = [functools.partial(_itself, item) for item in items]
    return stage_branches.stage(atoms.convert(position.atom, np.int32), thunks, "an item by a run-time index")


def merged(number: object) -> Value:
    """Note that a NumPy scalar is one of several, and which is known only at run time; returns the number."""
    return current().trace.identity.merge(number) if isinstance(number, Tracer) else number


def _itself(value: object) -> Value:
    return value


def one_kind(items: Sequence[object]) -> Abstract | None:
    """The abstract value of all items, where they are numbers of one kind."""
    kinds = [layouts.numeric(layouts.outline(i)) for i in items]
    first = kinds[0] if kinds else None
    if first is None or first.kind is Kind.ARRAY or any(k != first for k in kinds):
        return None
    return first


def _has_a_type(item: object) -> bool:
    known = isinstance(item, (Tracer, UnionValue)) or containers.structure_of(item) is not None
    return known or item is None or layouts.numeric(layouts.outline(item)) is not None


def iterated(choice: UnionValue) -> list[Value] | None:
    """The items, where they are the very ones whichever it is; None where each of the alternatives has its own.

    That there are as many as names that they are unpacked to is checked at run time. Raises `Restart` where lists of
    several lengths could have been such as have a length known only at run time.
    """
    expected = unpacking.targets()
    if not isinstance(choice, Reference):
        if expected is None:
            array_lists.demand_arena(choice.options)
        return None
    items = None if expected is None else NodeItems.of(choice)
    if items is None or expected is None:
        return None
    unpacking.check_length(items.length, expected)
    return [items.at(place) for place in range(expected)]
