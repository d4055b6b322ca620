"""The state of one trace that concerns lists, dicts, sets and objects whose size is known only at run time."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import field
from typing import Any

from anabranch.base.by_identity import IdentityDict
from anabranch.base.frozen import frozen, mutable
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.approach import Approach
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.tracing.source_frames import makes_a_list
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.tracing.upper_layers import RowTable

# Of more items a list is one of run-time length: each item that is a value of its own while tracing takes its time.
MANY = 5_000


def demand(known: set[Hashable] | None, sites: set[Hashable]) -> None:
    """Have what these places make be of another form; nothing where it is, or may not.

    Raises `Restart` where it could have been so since it was made.
    """
    if known is not None and not sites <= known:
        known |= sites
        raise Restart(lists=True)


def is_argument(site: Hashable) -> bool:
    """Return whether a site is a list that is an argument, or part of one, and no place in the user's code."""
    return isinstance(site, tuple) and site[:1] == ("argument",)


def arena_site(site: Hashable) -> Hashable:
    """The site by which an arena is asked for.

    All lists of arguments have one: they lie in an arena as a `SharedList` alone, and that one of them was to do so is
    asked once, and not for each.
    """
    return ("argument",) if is_argument(site) else site


@frozen
class ArraySite:
    """The place in the user's code that makes arrays of a type which lie in an arena."""

    place: Hashable
    type: ArrayType


# Among the sites of arenas: it is noted where arrays are made, as some of them are items, and change.
ARRAYS_ARE_NOTED = "arrays"


@mutable
class Lists:
    """Lists as arrays, and lists of a length known only at run time."""

    may_grow: bool  # whether lists that the function makes can have a length known only at run time
    # The places in the user's code whose lists have their elements side by side; None where no list has.
    array_sites: set[Hashable] | None
    # The places in the user's code whose lists lie in an arena: they are items of others, and change; None where no
    # list does.
    arena_sites: set[Hashable] | None
    # The sites of the classes of the user's whose instances lie in an arena, with their attributes; None where none
    # does.
    arena_classes: dict[Hashable, tuple[str, ...]] | None
    # The sites of the classes of the user's whose instances may be without some attributes, with these, and with all in
    # their order.
    unset_attributes: dict[Hashable, tuple[frozenset[str], tuple[str, ...]]] | None
    # The arenas, by these places, and by the names of these classes.
    arenas: dict[Hashable, Any] = field(default_factory=dict)
    # The sites of the classes of objects that were made in branches and loops, with their attributes.
    made_in_bodies: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)
    # The same of objects that were made before any branch or loop.
    made_before: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)
    copied_sites: set[Hashable] = field(default_factory=set)  # the places that made lists of which others have copies
    # The `enumerate`s and `zip`s of lists that may grow, by identity, with what they go over.
    iterators: IdentityDict[object, Any] = field(default_factory=IdentityDict)
    arguments: list[Any] = field(default_factory=list)  # those that are arguments, or parts of them
    in_arrays: int = 0  # how many elements are in such lists
    tables: list[RowTable] = field(default_factory=list)  # those of rows that are lists
    grow_here: bool = True  # whether one may get it here, where a loop tries first to do without
    wants_growth: bool = False  # whether one would have needed it
    # Whether one would have needed arguments to be known, from which what decides its length now is computed.
    wants_known: bool = False
    deciding: Atom | None = None  # what decides lengths now
    has_heads: bool = False  # whether one is known to begin with objects from before a branch or a loop
    has_copies: bool = False  # whether one has a copy of an array, which must not be written to any more
    # The memory of arrays that the function has made, with the sites by which they would lie in an arena; None where it
    # is not noted.
    made_arrays: weakref.WeakKeyDictionary[Storage, ArraySite] | None = None

    @contextlib.contextmanager
    def without_notes(self) -> Iterator[None]:
        """Arrays that are made meanwhile lie in no arena."""
        kept, self.made_arrays = self.made_arrays, None
        try:
            yield
        finally:
            self.made_arrays = kept

    def demand_growth(self) -> None:
        """Have lists be such as may grow; nothing where they are.

        Raises `Restart` where they are not yet.
        """
        if not self.may_grow:
            raise Restart(lists=True)

    def demand_growth_for(self, count: int) -> None:
        """Have lists be such as may grow, where Python itself is about to make one of many items."""
        if count > MANY and not self.may_grow and makes_a_list():
            self.demand_growth()

    def demand_arenas(self, sites: Iterable[Hashable]) -> None:
        """Have lists that these places make lie in arenas.

        Raises `Restart` where some could have done so since they were made.
        """
        demand(self.arena_sites, set(map(arena_site, sites)))

    @staticmethod
    def of(approach: Approach) -> Lists:
        """That at the start of a trace."""
        sites = approach.array_sites, approach.arena_sites, approach.arena_classes, approach.unset_attributes
        return Lists(approach.lists, *sites)


@frozen
class ArgumentSite:
    """The place of a dict or set that is an argument, or part of one: which container among the arguments it is."""

    number: int


@frozen
class ArgumentDepth:
    """The place of all lists, dicts or sets of arguments that lie in an arena, and within so many others that do."""

    depth: int


def is_of_arguments(place: object) -> bool:
    """Return whether a place is one among the arguments, and none in the user's code."""
    return isinstance(place, (ArgumentSite, ArgumentDepth))


@frozen
class ClassSite:
    """A class whose instances lie in an arena, by its names: a function that makes it makes one in each trace."""

    module: str
    qualname: str

    @staticmethod
    def of(cls: type) -> ClassSite:
        """That of a class."""
        return ClassSite(cls.__module__, cls.__qualname__)


@frozen
class SharedList:
    """Among the sites of arenas: a list that is an argument, or part of one, by what notes its allocation.

    A dict of the caller's gets it, and it lies in the arena of such lists. That others are copied is no reason for it.
    """

    origin: Hashable


def own_site(site: Hashable) -> Hashable:
    """The site by which that list alone lies in an arena, where it is an argument."""
    return SharedList(site) if is_argument(site) else site


@frozen
class TableSite:
    """The place of dicts or sets that lie in an arena: a place in the user's code, or among the arguments."""

    place: Any
    native: type


@frozen
class TupleSite:
    """The place in the user's code that sets items which are tuples of many lengths: these lie in an arena.

    With `within` they are parts of the items, which are tuples of one length.
    """

    place: Any
    within: bool = False


@mutable
class Tables:
    """Dicts and sets whose keys are known only at run time."""

    # The places in the user's code that make such; None where none may. Where there are any, all displays say where
    # they are.
    sites: set[Hashable] | None
    # Whether sets that are made of others have their members in Python's order, which takes longer.
    keeps_orders: bool = False
    loses_orders: bool = False  # whether there are such, in another order
    wants_orders: bool = False  # whether an order was asked for that may be lost
    # The dicts and sets that were made in the ordinary way, or are arguments, with the places that made them.
    made: IdentityDict[object, Hashable] = field(default_factory=IdentityDict)
    # The classes that stand for the user's subclasses of dict; None for those whose instances can be no tables.
    users_classes: dict[type, Any] = field(default_factory=dict)

    def ask_for_orders(self) -> None:
        """Have sets that are made of others have Python's order; nothing where they do, or where there are none.

        Raises `Restart` where they do not yet.
        """
        if self.loses_orders and not self.keeps_orders:
            self.wants_orders = True
            raise Restart

    def ask_for_places(self) -> None:
        """Have displays say where they are; nothing where they do.

        Raises `Restart` where they do not yet.
        """
        if not self.sites:
            demand(self.sites, {"displays"})
