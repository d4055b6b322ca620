"""The memory that dicts, or sets, share whose number is known only at run time.

All items lie in one table, whose keys are pairs: the number of a dict, and the key. The items of each dict are a chain,
in the order in which they came. One that is removed keeps its place in the table, and is found there where the key
comes again.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from anabranch.base.by_identity import IdentitySet
from anabranch.base.value import Value
from anabranch.runtime.control.arenas.list_arena import ArrayArena, ListArena, at, count_of, put
from anabranch.runtime.control.arenas.object_arena import ObjectArena
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.hash_tables.dynamic_dict import DynamicDict
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.tracing.builder import Trace
from anabranch.runtime.tracing.capacity import CapacitySite
from anabranch.runtime.tracing.container_state import ARRAYS_ARE_NOTED, ArraySite, TableSite, is_of_arguments
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arena_classes import first_of
from anabranch.runtime.values.arena_contents import HostFrozensets, HostTables
from anabranch.runtime.values.dynamic_shapes import capacity_requests, size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar

_NONE = -1
_FREE = (_NONE, _NONE, 0)


class TableArena:
    """Dicts or sets that one place in the user's code makes."""

    __slots__ = ("callers", "entries", "extra", "given", "heads", "links", "native", "site")

    def __init__(self, site: TableSite, extra: object = None) -> None:
        self.site: Hashable = site
        # `extra`: the factory of `defaultdict`s.
        self.native, self.extra = site.native, extra
        self.callers: list[Any] = []  # dicts of the caller's, which have the first numbers
        self.given: list[tuple[Value, Value]] = []  # the items of dicts of the caller's, until all of them are there
        frames = () if is_of_arguments(site.place) else (site.place,)
        request = capacity_requests.at("", CapacitySite(f"the items of each {site.native.__name__}", frames))
        # The items; those of sets have no values.
        self.entries: Any = DynamicDict.bare_((request, None)).begun_({})
        # For each item the places of the one before and the one after it in its chain, and whether it is in one.
        self.links: Any = dynamic_list.GrowableList()
        # For each dict the places of its first and its last item, how many it has, how many it has lost, and of a
        # set how its order follows from that of the chain.
        self.heads: Any = dynamic_list.GrowableList()

    @property
    def on_host(self) -> tuple[Any, ...]:
        """The class of the arena on the host, and what it is made of beside the columns."""
        return (HostFrozensets if self.native is frozenset else HostTables, self.native, self.extra)

    @property
    def columns(self) -> tuple[Any, ...]:
        """The lists that make up the dicts."""
        return (*self.entries.lists_, self.links, self.heads)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The parts that change."""
        return (self.entries, *self.columns)

    def made(self) -> Value:
        """The number of a new dict, which is empty."""
        number = count_of(self.heads)
        self.heads.append((_NONE, _NONE, 0, 0, 0))
        return number

    def begin(self, number: int, keys: Sequence[Value], values: Sequence[Value], order: int = 0) -> None:
        """Give a new dict of the caller's its items; before anything is traced."""
        first = len(self.links)
        last = first + len(keys) - 1
        self.given += [((number, key), value) for key, value in zip(keys, values, strict=True)]
        for place in range(first, last + 1):
            self.links.append((place - 1 if place > first else _NONE, place + 1 if place < last else _NONE, 1))
        ends = (first, last) if keys else (_NONE, _NONE)
        self.heads[number] = (*ends, len(keys), 0, order)

    def begun(self) -> None:
        """Have all that was given in the table."""
        if self.given:
            self.entries.request_ = capacity_requests.at_least(len(self.given), self.entries.request_.place)
            for one in self.callers:
                one.stand_in.request_ = self.entries.request_
            keys, values = zip(*self.given, strict=True)
            self.entries.start_(list(keys), list(values))
            self.given = []

    def count(self, number: Value) -> Value:
        """How many items a dict has."""
        return _as_count(at(self.heads, number)[2])

    def removals(self, number: Value) -> Value:
        """How many items a dict has lost."""
        return at(self.heads, number)[3]

    def order(self, number: Value) -> Value:
        """How the order of a set follows from that of its chain."""
        return at(self.heads, number)[4]

    def set_order(self, number: Value, order: Value) -> None:
        """Set how the order of a set follows from that of its chain."""
        put(self.heads, number, (*at(self.heads, number)[:4], order))

    def first(self, number: Value) -> Value:
        """The place of the first item of a dict, or -1."""
        return at(self.heads, number)[0]

    def last(self, number: Value) -> Value:
        """The place of the last item of a dict, or -1."""
        return at(self.heads, number)[1]

    def place_of(self, number: Value, key: Value) -> Value:
        """The place of a key of a dict among all items, or -1."""
        place = self.entries.place_of_((number, key))

        def found(arena: TableArena = self) -> Value:
            return if_(at(arena.links, place)[2] > 0, lambda: place, lambda: _NONE)

        return if_(place < 0, lambda: _NONE, found)

    def add(self, number: Value, key: Value, value: Value) -> None:
        """Give a dict a key that it does not have."""
        whole = (number, key)
        place = self.entries.place_of_(whole)

        def new(arena: TableArena = self) -> None:
            arena.entries.insert_(whole, value)
            arena.links.append(_FREE)
            arena._link(number, _sum(count_of(arena.links), -1))

        def again(arena: TableArena = self) -> None:
            put(arena.entries.keys_, place, whole)
            put(arena.entries.values_, place, value)
            arena._link(number, place)

        if_(place < 0, new, again)

    def _link(self, number: Value, place: Value) -> None:
        first, last, count, removals, order = at(self.heads, number)
        put(self.links, place, (last, _NONE, 1))

        def follow(arena: TableArena = self) -> None:
            put(arena.links, last, (at(arena.links, last)[0], place, 1))

        if_(last < 0, lambda: None, follow)
        put(self.heads, number, (_either(first < 0, place, first), place, _sum(count, 1), removals, order))

    def remove(self, number: Value, place: Value) -> None:
        """Remove an item of a dict."""
        before, after, _ = at(self.links, place)
        first, last, count, removals, order = at(self.heads, number)

        def skip(arena: TableArena = self) -> None:
            put(arena.links, before, (at(arena.links, before)[0], after, 1))

        def skip_back(arena: TableArena = self) -> None:
            put(arena.links, after, (before, at(arena.links, after)[1], 1))

        if_(before < 0, lambda: None, skip)
        if_(after < 0, lambda: None, skip_back)
        put(self.links, place, _FREE)
        ends = _either(before < 0, after, first), _either(after < 0, before, last)
        put(self.heads, number, (*ends, _sum(count, -1), _sum(removals, 1), order))

    def clear(self, number: Value) -> None:
        """Remove all items of a dict."""

        def remove_last(_: Value, arena: TableArena = self) -> None:
            arena.remove(number, arena.last(number))

        for_each(Range(0, self.count(number), 1), remove_last)

    def places(self, number: Value) -> Any:
        """The list of the places of a dict's items, in their order; where it has none, of one that is no place."""
        found = dynamic_list.GrowableList()
        found.append(at(self.heads, number)[0])

        def find(step: Value, found: Any = found, arena: TableArena = self) -> None:
            found.append(at(arena.links, at(found, step))[1])

        for_each(Range(0, _as_count(_sum(self.count(number), -1)), 1), find)
        return found


def _either(pred: Value, a: Value, b: Value) -> Value:
    """`a if pred else b`, of two places."""
    if isinstance(pred, bool):
        return a if pred else b
    chosen = atoms.select(wrap.as_atom(pred, np.bool_), wrap.as_atom(a, np.int64), wrap.as_atom(b, np.int64))
    return python_scalar(chosen, Interval(_NONE, 2**62))


def _sum(a: Value, by: int) -> Value:
    return size_arithmetic.limited(size_arithmetic.add(a, by), _NONE, 2**62)


def _as_count(number: Value) -> Value:
    return size_arithmetic.limited(number, 0, 2**31)


def make_arenas(trace: Trace) -> None:
    """Make the arenas before anything is traced: branches and loops change what was there before them."""
    lists = trace.lists
    sites = lists.arena_sites or set()
    arenas: dict[Hashable, Any] = {}
    if ARRAYS_ARE_NOTED in sites:
        lists.made_arrays = weakref.WeakKeyDictionary()
    for site in sites:
        if isinstance(site, ArraySite):
            lists.arenas[site] = arenas.setdefault(site.type, ArrayArena(site.type))
    of_containers = [site for site in sites if not isinstance(site, ArraySite) and site != ARRAYS_ARE_NOTED]
    for site, first in first_of(of_containers).items():
        if first not in arenas:
            arenas[first] = TableArena(first) if isinstance(first, TableSite) else ListArena(first)
        lists.arenas[site] = arenas[first]
        if isinstance(site, TableSite) and not is_of_arguments(site.place) and trace.tables.sites is not None:
            trace.tables.sites.add(site.place)
    lists.arenas.update({site: ObjectArena(names) for site, names in (lists.arena_classes or {}).items()})
    for arena in IdentitySet(lists.arenas.values()):
        trace.heap.roots += arena.parts
