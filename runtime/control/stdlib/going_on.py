"""Iterators that go on wherever they are asked, in place of those that turn out to be asked under run-time conditions.

The place in the user's code that makes such a one is noted, and the function is traced once more: what is made there is
a generator of `itertools_source`, by its steps.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.stdlib import itertools_source as source
from anabranch.runtime.control.subscript import at
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import place
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.heap import opaque

Count = Callable[[tuple[Any, ...]], Any]
Item = Callable[[tuple[Any, ...], Any], Any]
_INDEXED = (list, tuple, str, range, Range, np.ndarray, TracedArray)


def has_places(*columns: Value) -> bool:
    """Return whether indices lead to the items of each of these."""
    return all(isinstance(c, _INDEXED) or is_dynamic_list(c) for c in columns)


def goes_on() -> bool:
    """Return whether what the user's code makes now goes on wherever it is asked."""
    return tracing() and place() in current().trace.resumable


def that_may_go_on(made: Value, function: Any = source.each) -> Value:
    """An iterator, in whose place one by a function of `itertools_source` would go on."""
    if tracing():
        code: types.CodeType = function.__code__
        for moved in opaque.iterators_of(made):
            current().trace.going_on[moved] = frozenset([place(), code])
    return made


def resumable(
    columns: Sequence[Value], made: Callable[[], Value], going_on: Callable[[], Value], function: Any = source.each
) -> Value:
    """An iterator over columns, as `made` gives it; where it is asked under run-time conditions, that of `going_on`.

    `function` is that of `itertools_source` whose generator `going_on` gives.
    """
    if not has_places(*columns):
        return made()
    return going_on() if goes_on() else that_may_go_on(made(), function)


def one(function: Any, *args: Value) -> Value:
    """The generator of a function of `itertools_source`."""
    return current().trace.outside.called(function)(*args)


def by_places(held: tuple[Value, ...], count: Count, item: Item) -> Value:
    """The iterator over so many items of what is held, each at its place.

    The two functions hold nothing that changes: what branches and loops carry is held by the generator.
    """
    return one(source.each, held, count, item)


def only(held: tuple[Value, ...], index: Value) -> Value:
    """The item at a place of the first that is held."""
    return at(held[0])[index]


def row(held: tuple[Value, ...], index: Value) -> Value:
    """The items at a place of all that are held."""
    return tuple([at(column)[index] for column in held])
