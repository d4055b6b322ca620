"""An array that a branch or a loop has made, linked with the memory around it that it may be."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import Builder, current
from anabranch.runtime.values import visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, views


def moved(array: TracedArray, positions: Iterator[Atom]) -> TracedArray:
    """The view at other positions."""
    return TracedArray(array.storage, views.at(array.path, positions), array.readonly)


def adopt(
    outer: Builder, array: TracedArray, pred: Atom | None, handle: TracedArray, form: aliasing.ElementForm | None = None
) -> None:
    """Link `array`, just made by a branch or a loop, with a memory of the enclosing code that it may be."""
    current().trace.identity.chosen[id(array)] = array
    if visibility.storage_visible(outer, handle) and (form is None or form.is_visible(outer)):
        aliasing.add_edge(array.storage, pred, handle, form)
    elif outer.outer_has(handle.storage) or handle.storage in outer.env:
        # A view whose position is not known out here: any write that could matter is refused.
        aliasing.add_edge(array.storage, None, TracedArray(handle.storage))
    else:
        # An array of the branch's own, which may be one of the enclosing code.
        for edge in handle.storage.alias_edges:
            surely = isinstance(edge.pred, Literal) and form is None and not handle.path
            adopt(outer, array, pred if surely else None, edge.handle, edge.form)
