"""Arrays that branches give of one memory: which object, such as `a` or `a[:]`, is known when the code runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anabranch.runtime.ir import Atom
from anabranch.runtime.trace import Builder, current
from anabranch.runtime.values import atoms, layout as layouts, views, visibility
from anabranch.runtime.values.array import Array

# For each branch that ends: when it is taken, and the layout of what it gives.
Row = tuple[Callable[[], Atom], layouts.Layout]


def told_apart(outer: Builder, layout: layouts.Layout, rows: Sequence[Row]) -> layouts.Layout:
    """The layout with an array of its own wherever the branches give several arrays of one memory."""
    if isinstance(layout, layouts.Node):
        parts = [(taken, row.children) for taken, row in rows if isinstance(row, layouts.Node)]
        if len(parts) < len(rows) or any(len(row) != len(layout.children) for _, row in parts):
            return layout
        columns = enumerate(layout.children)
        children = [told_apart(outer, c, [(taken, row[i]) for taken, row in parts]) for i, c in columns]
        return layouts.Node(layout.structure, tuple(children), layout.source)
    if not isinstance(layout, layouts.Held) or not isinstance(layout.value, Array):
        return layout
    held = layout.value
    given = [(taken, row.value) for taken, row in rows if isinstance(row, layouts.Held)]
    if len(given) < len(rows) or all(array is held for _, array in given):
        return layout
    if not all(isinstance(a, Array) and a.storage is held.storage and views.same(a.path, held.path) for _, a in given):
        return layout
    if any(a.readonly != held.readonly for _, a in given):
        return layout
    options: list[tuple[Atom, Array]] = []
    for taken, array in given:
        inner = objects_of(outer, array)
        if inner is None:
            return layout
        pred = taken()
        options += [(atoms.logical_and(pred, truth), one) for truth, one in inner]
    made = Array(held.storage, held.path, held.readonly)
    current().trace.ambiguous[id(made)] = made
    current().trace.either[id(made)] = made, tuple(options)
    return layouts.Held(made)


def objects_of(builder: Builder, array: Array) -> tuple[tuple[Atom, Array], ...] | None:
    """The objects that an array may be, each with when it is that; None where this is not known to the builder."""
    trace = builder.trace
    if id(array) in trace.either:
        _, options = trace.either[id(array)]
        if not all(visibility.atom_visible(builder, pred) for pred, _ in options):
            return None
    else:
        options = ((atoms.literal(True), array),)
    unclear = trace.ambiguous.keys() | trace.merged.keys()
    return None if any(id(one) in unclear for _, one in options) else options


def all_told(layout: layouts.Layout, rows: Sequence[Row]) -> bool:
    """Return whether nothing in a layout still stands for several arrays of one memory."""
    if isinstance(layout, layouts.Node):
        parts = [(taken, row.children) for taken, row in rows if isinstance(row, layouts.Node)]
        if len(parts) < len(rows) or any(len(row) != len(layout.children) for _, row in parts):
            return False
        return all(all_told(c, [(taken, row[i]) for taken, row in parts]) for i, c in enumerate(layout.children))
    if isinstance(layout, layouts.Choice):
        return False
    if not isinstance(layout, layouts.Held) or not isinstance(layout.value, Array):
        return True
    itself = id(layout.value) in current().trace.either
    return itself or all(isinstance(row, layouts.Held) and row.value is layout.value for _, row in rows)
