"""The form in which a staged `for` counts over an iterable, if it does."""

from __future__ import annotations

import numpy as np

from anabranch.runtime.control.columnar.node_access import NodeItems
from anabranch.runtime.control.sequences import stacked_sequences, text_iteration
from anabranch.runtime.control.sequences.countable import AxisItems, Countable, Elements, HostItems, ItemsOfNode
from anabranch.runtime.control.sequences.countable_ranges import KnownRange
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import wrap
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.flat_iterator import FlatIterator
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.union import UnionValue


def is_countable(items: object) -> bool:
    """Return whether a `for` over the iterable is staged; outside of a trace none is."""
    if not tracing():
        return False
    if is_dynamic_list(items) or isinstance(items, RunTimeContainer) or stacked_sequences.form_of(items) is not None:
        return True
    if isinstance(items, HostTyped):
        return items._item_count is not None
    return isinstance(items, (Countable, Text, range, TracedArray, DynamicArray, FlatIterator)) or (
        isinstance(items, np.ndarray) and bool(items.ndim) and items.dtype.kind in "biufc"
    )


def countable(items: object) -> Countable | None:
    """The staged form of an iterable that is gone over now; None for what is iterated while tracing."""
    if isinstance(items, UnionValue):
        items = items.without_undefined()
        if isinstance(items, Reference):
            held = NodeItems.of(items)
            return None if held is None else ItemsOfNode(held)
        if isinstance(items, UnionValue) and items.stays_apart:
            known = text_iteration.characters(items)
            return text_iteration.run_time_text(items) if known is None else known
        items = items.resolve() if isinstance(items, UnionValue) else items
    if not tracing():
        return None
    if isinstance(items, Once):
        if items.under_way:
            return None
        items.take_up()
    if isinstance(items, Countable):
        return items.fresh()
    if isinstance(items, HostTyped) and items._item_count is not None:
        return HostItems(items)
    if isinstance(items, Text):
        return text_iteration.run_time_text(items)
    if isinstance(items, FlatIterator):
        return AxisItems(items.take_up())
    if isinstance(items, range):
        return KnownRange(items)
    if isinstance(items, RunTimeContainer):
        counted: Countable = items.countable_()
        return counted
    if is_dynamic_list(items):
        return Elements(items)
    if isinstance(items, (TracedArray, DynamicArray)):
        return AxisItems(items)
    if isinstance(items, np.ndarray) and items.ndim and items.dtype.kind in "biufc":
        return AxisItems(wrap.array_of(wrap.as_atom(items)))
    return stacked_sequences.stacked(items) or text_iteration.characters(items)
