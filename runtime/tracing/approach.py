"""How a function is traced: which of the forms that cost more are used in a trace."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Hashable, Mapping

from anabranch.base.frozen import frozen


@frozen
class Approach:
    """The liberties that a trace may take; by default none.

    The sets and the dict are filled as the trace finds what belongs to them, for the next one.
    """

    lists: bool = False  # lists that the function makes may grow to a length known only at run time
    # The places in the user's code that make lists whose elements are side by side; None for no such lists.
    array_sites: set[Hashable] | None = None
    # The reason why loops in which lists grow are unrolled: staging them did not work out.
    unroll_reason: str | None = None
    # The code of functions whose calls of themselves at their end are a loop's steps; None for no such loops.
    looped: frozenset[types.CodeType] | None = None
    tracks_objects: bool = False  # loops carry which object each array of their state is: `is` asks for it
    # The places that make dicts and sets whose keys are known only at run time; None for no such.
    table_sites: set[Hashable] | None = None
    arena_sites: set[Hashable] | None = None  # the places whose lists lie in an arena; None for no such
    # The classes whose instances lie in an arena, with their attributes; None for no such.
    arena_classes: dict[Hashable, tuple[str, ...]] | None = None
    # The classes whose instances may be without some attributes, with these, and with all in their order; None for no
    # such.
    unset_attributes: dict[Hashable, tuple[frozenset[str], tuple[str, ...]]] | None = None
    # The code of functions that call themselves under run-time conditions, and have a body of their own, each after
    # that of those in whose bodies it is; None for no such bodies.
    recursive: frozenset[tuple[types.CodeType, ...]] | None = None
    inlined: Mapping[types.CodeType, str] = dataclasses.field(default_factory=dict)  # why others of that kind have none
    # Arrays of static arguments are read-only traced ones, so that what is made of them can be written to.
    traces_constants: bool = False
    keeps_orders: bool = False  # sets of run-time members that are made of others have their members in Python's order
    # The characters of texts that `str.join` makes of lists of run-time length lie in memory.
    spells_joins: bool = False
    # The code of generator functions, and the places that make iterators, which are asked in several places or under
    # run-time conditions.
    resumable: frozenset[Hashable] = frozenset()
    knows_items: bool = False  # the items of the caller's lists may be known while tracing where lengths hang on them
    items_apart: bool = False  # each item of the caller's lists is a value of its own, however many there are


NOTHING = Approach()
