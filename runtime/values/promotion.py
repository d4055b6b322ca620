"""Numbers of a few kinds that a loop carries as one kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.runtime.values import abstract, containers, layout as layouts


def promoted(layout: layouts.Layout, value: Any, given: layouts.Layout) -> layouts.Layout:
    """The layout with one number where it has several kinds of them.

    Only where the number of the first kind is worth the same as one of the other, as an int is as a float, and where
    not every step gives a number of a kind of its own, which Python's number has after the loop.

    Parameters
    ----------
    layout : Layout
    value : object
        What stands there at first.
    given : Layout
        That of what a step gives.
    """
    match layout:
        case layouts.Choice(options):
            return _promoted_choice(options, value, layouts.numeric(given))
        case layouts.Node(structure, children) if type(value) is structure.cls:
            parts = structure.children(value) if containers.structure_of(value) == structure else ()
            after: tuple[layouts.Layout, ...] = (layouts.Held(None),) * len(children)
            if isinstance(given, layouts.Node) and given.structure == structure:
                after = given.children
            rows = zip(children, parts, after, strict=False)
            return layouts.Node(
                structure, tuple([promoted(c, v, g) for c, v, g in rows]) + children[len(parts) :], layout.source
            )
    return layout


def _promoted_choice(
    options: tuple[layouts.Layout, ...], value: Any, given: abstract.Abstract | None
) -> layouts.Layout:
    numbers = [o for o in options if _is_number(o)]
    if len(numbers) < 2:
        return layouts.Choice(options)
    known = [a for a in map(layouts.numeric, numbers) if a is not None]
    both: abstract.Abstract | None = known[0]
    for other in known[1:]:
        both = both and abstract.promoted(both, other)
    if both is None or not all(abstract.keeps_numbers(a, both) or _is_worth(value, a, both) for a in known):
        return layouts.Choice(options)
    if given is not None and given.kind is not abstract.Kind.ARRAY and given != both:
        return layouts.Choice(options)
    rest = tuple([o for o in options if not _is_number(o)])
    one = layouts.Leaf(both)
    return layouts.Choice((one, *rest)) if rest else one


def _is_number(layout: layouts.Layout) -> bool:
    known = layouts.numeric(layout)
    return known is not None and known.kind is not abstract.Kind.ARRAY


def _is_worth(value: Any, own: abstract.Abstract, other: abstract.Abstract) -> bool:
    """Return whether `value` is a plain number of type `own`, and the dtype of `other` holds it exactly."""
    if (
        type(value) not in (bool, int, float, complex)
        or abstract.abstract_of(value) != own
        or own.kind is not abstract.Kind.PYTHON
    ):
        return False
    try:
        with np.errstate(all="ignore"):
            held = np.asarray(value, other.dtype).item()
    except OverflowError:
        return False
    return bool(held == value or value != value)
