"""Numbers of a few kinds that a loop carries: the one from before the loop, where no step returns another of its kind.

In `best = 0` and `if v > best: best = v`, the int is 0 whenever there is one. So it is no run-time value, and what is
done with the name is done with the number that is worth the same.
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.base.by_identity import IdentityDict
from anabranch.runtime.values import atoms
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.containers import structure_of
from anabranch.runtime.values.python_numbers.python_operands import PythonNumber
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


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
