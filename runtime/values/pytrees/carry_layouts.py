"""Layouts of what a loop or a branch carries, before all is known of it."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.runtime.values import number_union
from anabranch.runtime.values.abstract import (
    Abstract,
    Kind,
)
from anabranch.runtime.values.pytrees.layout import Constant, Layout, Leaf, Node, Union, interval, numeric, traits
from anabranch.runtime.values.tracer import Tracer


def with_leaves(layout: Layout, stays: Callable[[Tracer], bool]) -> Layout:
    """The layout with each held run-time value for which `stays` is false made a leaf."""
    match layout:
        case Constant(value) if isinstance(value, Tracer) and not stays(value):
            abstract = numeric(layout)
            assert abstract is not None
            return Leaf(abstract, interval(layout), traits(layout))
        case Node(structure, children, source):
            return Node(structure, tuple(with_leaves(c, stays) for c in children), source)
        case Union(options):
            return Union(tuple(with_leaves(o, stays) for o in options))
    return layout


def initial_abstraction(layout: Layout) -> Layout:
    """The layout that a loop's carry is taken for before its body has been traced: every number changes.

    Of a number of one of a few kinds only that of one kind does at first, mostly: one that is there already stays.
    """
    match layout:
        case Constant():
            abstract = numeric(layout)
            return Leaf(abstract, traits=traits(layout)) if abstract is not None else layout
        case Node(structure, children, source):
            if structure.mutable:
                return Constant(source)
            return Node(structure, tuple(map(initial_abstraction, children)), source)
        case Union(options):
            both = number_union.common([a for a in map(numeric, options) if a is not None])
            return Union(tuple([o if _is_narrower(o, both) else initial_abstraction(o) for o in options]))
    return layout


def _is_narrower(layout: Layout, both: Abstract | None) -> bool:
    """Return whether a number is known that is of another kind than the one that is worth the same as all."""
    known = numeric(layout) if isinstance(layout, Constant) else None
    return known is not None and both is not None and known.kind is Kind.PYTHON and known != both


def by_identity(layout: Layout) -> Layout:
    """The layout that a carry is taken for whose arrays and containers are known: those very objects."""
    match layout:
        case Node(structure, children, source):
            return Constant(source) if structure.mutable else Node(structure, tuple(map(by_identity, children)), source)
        case Union(options):
            return Union(tuple(map(by_identity, options)))
    return layout


def widened(layout: Layout) -> Layout:
    """The layout without intervals: the result of one step says little of the next."""
    match layout:
        case Leaf(abstract, _, what):
            return Leaf(abstract, traits=what)
        case Node(structure, children, source):
            return Node(structure, tuple(map(widened, children)), source)
        case Union(options):
            return Union(tuple(map(widened, options)))
    return layout
