"""The form in which a staged `for` counts over an iterable, if it does."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.runtime.control.sequences import stacked_sequences, text_iteration
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.countable_ranges import KnownRange
from anabranch.runtime.control.sequences.elements import Elements, Rows
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import wrap
from anabranch.runtime.values.arrays.dynamic_array import Sized
from anabranch.runtime.values.arrays.traced_array import Array
from anabranch.runtime.values.dynamic_lists.items import is_grown
from anabranch.runtime.values.union import ChoiceValue


def is_countable(items: Any) -> bool:
    """Return whether a `for` over the iterable is staged; outside of a trace none is."""
    if not tracing():
        return False
    if is_grown(items) or stacked_sequences.form_of(items) is not None:
        return True
    return isinstance(items, (Countable, range, Array, Sized)) or (
        isinstance(items, np.ndarray) and bool(items.ndim) and items.dtype.kind in "biufc"
    )


def countable(items: Any) -> Countable | None:
    """The staged form of an iterable that is gone over now; None for what is iterated while tracing."""
    if isinstance(items, ChoiceValue):
        items = items.without_undefined()
        if isinstance(items, ChoiceValue) and items.of_objects:
            return text_iteration.characters(items)
        items = items.resolve() if isinstance(items, ChoiceValue) else items
    if not tracing():
        return None
    if isinstance(items, Once):
        if items.under_way:
            return None
        items.take_up()
    if isinstance(items, Countable):
        return items
    if isinstance(items, range):
        return KnownRange(items)
    if is_grown(items):
        return Elements(items)
    if isinstance(items, (Array, Sized)):
        return Rows(items)
    if isinstance(items, np.ndarray) and items.ndim and items.dtype.kind in "biufc":
        return Rows(wrap.array_of(wrap.as_atom(items)))
    return stacked_sequences.stacked(items) or text_iteration.characters(items)
