"""Layouts of what goes into the calls of a recursive function, and of what comes out."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import ExceptionStructure, structure_of
from anabranch.runtime.values.pytrees import carry_layouts, layout as layouts
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.union import UnionValue


def abstract(layout: layouts.Layout) -> layouts.Layout:
    """The layout of a result, with numbers as ones known only at run time."""
    match layout:
        case layouts.Constant(value) if not isinstance(value, TracedArray):
            return carry_layouts.initial_abstraction(layout)
        case layouts.Node(ExceptionStructure() as structure, (args, *rest), source):
            return layouts.Node(structure, (abstract(args), *rest), source)
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


def holds_new_objects(layout: layouts.Layout) -> bool:
    """Return whether what an object holds has new arrays, lists, dicts or objects in it."""
    match layout:
        case layouts.Node(_, children):
            return any(_is_new_object(c) or holds_new_objects(c) for c in children)
        case layouts.Union(options):
            return any(map(holds_new_objects, options))
    return False


def _is_new_object(layout: layouts.Layout) -> bool:
    match layout:
        case layouts.Leaf(abstract):
            return abstract.kind is Kind.ARRAY
        case layouts.Node(structure):
            return structure.mutable
        case layouts.Union(options):
            return any(map(_is_new_object, options))
    return False


def containers_in(value: object) -> Iterator[object]:
    """The lists, dicts and objects in an argument, itself among them; not those that it has by their numbers."""
    if isinstance(value, Reference):
        return
    if isinstance(value, UnionValue):
        for option in value.options:
            yield from containers_in(option)
        return
    described = structure_of(value)
    if described is None:
        return
    if described.mutable:
        yield value
    if not described.flat:
        for child in described.children(value):
            yield from containers_in(child)
