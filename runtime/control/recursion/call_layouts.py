"""Layouts of what goes into the calls of a recursive function, and of what comes out."""

from __future__ import annotations

from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.pytrees import carry_layouts, layout as layouts


def abstract(layout: layouts.Layout) -> layouts.Layout:
    """The layout of a result, with numbers as ones known only at run time."""
    match layout:
        case layouts.Constant(value) if not isinstance(value, TracedArray):
            return carry_layouts.initial_abstraction(layout)
        case layouts.Node(structure, children, source):
            return layouts.Node(structure, tuple(map(abstract, children)), source)
        case layouts.Union(options):
            return layouts.Union(tuple(map(abstract, options)))
    return layout


def contents(layout: layouts.Layout) -> layouts.Layout:
    """The layout of what an object holds, with numbers as ones known only at run time."""
    if not isinstance(layout, layouts.Node):
        return layout
    children = [
        layouts.Constant(c.source) if isinstance(c, layouts.Node) and c.structure.mutable else abstract(c)
        for c in layout.children
    ]
    return layouts.Node(layout.structure, tuple(children), layout.source)


def holds_new_containers(layout: layouts.Layout, within: bool = False) -> bool:
    """Return whether a value holds, or is unless only what is `within` counts, a new list, dict or object."""
    match layout:
        case layouts.Node(structure, children):
            return (structure.mutable and not within) or any(map(holds_new_containers, children))
        case layouts.Union(options):
            return any(holds_new_containers(o, within) for o in options)
    return False
