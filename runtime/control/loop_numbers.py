"""Numbers of a few kinds that a loop carries: the one from before the loop, where no step gives another of its kind.

In `best = 0` and `if v > best: best = v`, the int is 0 whenever there is one. So it is no run-time value, and what is
done with the name is done with the number that is worth the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.runtime.values import layout as layouts
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.containers import structure_of
from anabranch.runtime.values.traced import Traced


def unchanged(
    after: layouts.Layout, before: layouts.Layout, rows: tuple[Any, Any, Any], stays: Callable[[Any], bool]
) -> layouts.Layout:
    """The layout of what a loop carries with each number held that is the one from before it, if it is of its kind.

    Parameters
    ----------
    after, before : Layout
        That which holds what a step gives, too, and that which the step was traced with.
    rows : tuple
        What is there before the loop, at the start of the step and after it.
    stays : callable
        Tells of a run-time value whether it is one from before the loop.
    """
    match after, before:
        case layouts.Choice(options), layouts.Leaf(kind) if kind.kind is not Kind.ARRAY:
            init, given, out = rows
            known = layouts.Held(init)
            if layouts.numeric(known) != kind or (isinstance(init, Traced) and not stays(init)):
                return after
            made = out.options if isinstance(out, ChoiceValue) else (out,)
            if any(layouts.numeric(layouts.outline(o)) == kind and _surely_differs(o, init, given) for o in made):
                return after
            return layouts.Choice(tuple([known if layouts.numeric(o) == kind else o for o in options]))
        case layouts.Node(structure, children), layouts.Node(same, inner) if structure == same:
            if any(isinstance(r, ChoiceValue) or structure_of(r) != structure for r in rows):
                return after
            parts = zip(children, inner, zip(*map(structure.children, rows), strict=True), strict=True)
            return layouts.Node(structure, tuple([unchanged(c, b, r, stays) for c, b, r in parts]), after.source)
    return after


def _surely_differs(number: Any, init: Any, given: Any) -> bool:
    """Return whether a number of a step is not the one from before the loop; what may be it is taken for it at first.

    If it is not, the next trace shows that, and the numbers of its kind are carried.
    """
    if not isinstance(number, Traced):
        return not layouts.same(number, init)
    base, offset = getattr(number, "affine", (None, 0))
    return offset != 0 and base is getattr(given, "atom", None)
