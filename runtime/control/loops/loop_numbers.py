"""Numbers of a few kinds that a loop carries: the one from before the loop, where no step returns another of its kind.

In `best = 0` and `if v > best: best = v`, the int is 0 whenever there is one. So it is no run-time value, and what is
done with the name is done with the number that is worth the same.

Sizes of arrays that one mask shortens are the same in each step: they begin as one number, and each step gives them one
number. When that has been seen, the body is traced again with one value for all of them, so that nothing there asks
whether such arrays go together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from anabranch.base.by_identity import IdentityDict
from anabranch.runtime.control.aliasing.body_trace import BodyTrace
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import building
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.dynamic_array import DynamicArrayStructure
from anabranch.runtime.values.containers import structure_of
from anabranch.runtime.values.python_numbers.python_operands import PythonNumber
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.value_equality import provably_equal


def unchanged(
    after: layouts.Layout,
    before: layouts.Layout,
    rows: tuple[object, object, object],
    starts: IdentityDict[object, object],
    stays: Callable[[object], bool],
) -> layouts.Layout:
    """The layout of what a loop carries with each number held that is the one from before it, if it is of its kind.

    Parameters
    ----------
    after, before : Layout
        That which holds what a step gives, too, and that which the step was traced with.
    rows : tuple
        What is there before the loop, at the start of the step and after it.
    starts : IdentityDict
        For what names have at the start of the step, what they have before the loop.
    stays : callable
        Tells of a run-time value whether it is one from before the loop.
    """
    match after, before:
        case layouts.Union(options), layouts.Leaf(kind) if kind.kind is not Kind.ARRAY:
            init, given, out = rows
            known = layouts.Constant(init)
            if layouts.numeric(known) != kind or (isinstance(init, Tracer) and not stays(init)):
                return after
            made = out.options if isinstance(out, UnionValue) else (out,)
            of_kind = [o for o in made if layouts.numeric(layouts.outline(o)) == kind]
            if not all(_may_be(starts.get(o, o), init, given) for o in of_kind):
                return after
            return layouts.Union(tuple([known if layouts.numeric(o) == kind else o for o in options]))
        case layouts.Node(structure, children), layouts.Node(same, inner) if structure == same:
            if any(isinstance(r, UnionValue) or structure_of(r) != structure for r in rows):
                return after
            parts = zip(children, inner, zip(*map(structure.children, rows), strict=True), strict=True)
            return layouts.Node(
                structure, tuple([unchanged(c, b, r, starts, stays) for c, b, r in parts]), after.source
            )
    return after


def _may_be(number: object, init: object, given: object) -> bool:
    """Return whether a number of a step may be the one from before the loop; it is taken for that at first, then.

    If it is not, the next trace shows that, and the numbers of its kind are carried.
    """
    if number is given or number is init or not isinstance(number, Tracer):
        return number is given or layouts.same(number, init)
    # It may have been chosen among constants.
    base, offset = number.affine if isinstance(number, PythonNumber) else (None, 0)
    return not isinstance(init, Tracer) and (offset == 0 or base is not atoms.held_by(given))


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
