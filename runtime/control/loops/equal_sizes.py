"""Sizes of arrays that a loop carries and that are the same in each step: those of arrays that one mask shortens.

They begin as one number, and each step gives them one number. When that has been seen, the body is traced again with
one value for all of them, so that nothing there asks whether such arrays go together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anabranch.runtime.control.aliasing.body_trace import BodyTrace
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import building
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.value_equality import provably_equal


def found(entries: Sequence[layouts.Layout], traced: BodyTrace) -> Mapping[int, int]:
    """The leaves that are sizes and always equal to that of an earlier leaf, which each leads to."""
    sizes, made = [], 0
    for entry in entries:
        sizes += [made + k for k in _sizes(entry, 0)]
        made += len(layouts.leaf_types(entry))
    first: dict[int, int] = {}
    formals = traced.formals
    if len(sizes) > 1:
        before, after = ([p.atom for p in row] for row in (traced.init, traced.packed))
        for place, k in enumerate(sizes):
            for j in sizes[:place]:
                if j not in first and provably_equal(before[j], before[k]):
                    with building(traced.builder):
                        # They are equal in all steps where those of one that begin so end so.
                        is_one = provably_equal(after[j], after[k], [(formals[j], formals[k])])
                    if is_one:
                        first[k] = j
                        break
    return first


def _sizes(layout: layouts.Layout, at: int) -> Iterator[int]:
    """The leaves, numbered from `at` on, that are bounds of arrays of run-time size."""
    if not isinstance(layout, layouts.Node):
        return
    for place, child in enumerate(layout.children):
        if isinstance(child, layouts.Leaf):
            if isinstance(layout.structure, DynamicArrayStructure) and place and not child.abstract.type.shape:
                yield at
        else:
            yield from _sizes(child, at)
        at += len(layouts.leaf_types(child))


def joined(atoms: Sequence[Atom], alike: Mapping[int, int]) -> list[Atom]:
    """The atoms of leaves, the first one's for all that are equal."""
    return [atoms[alike.get(k, k)] for k in range(len(atoms))]
