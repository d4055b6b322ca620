"""Dicts and sets that lie in an arena: what Python's do, by their numbers."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.list_arena import at
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.hash_tables import set_order
from anabranch.runtime.control.hash_tables.dynamic_dict import (
    DynamicCounter,
    DynamicDefaultDict,
    DynamicDict,
)
from anabranch.runtime.control.hash_tables.dynamic_set import DynamicFrozenset, DynamicSet, RunTimeSet
from anabranch.runtime.control.hash_tables.ordered_dict import DynamicOrderedDict
from anabranch.runtime.control.hash_tables.views import View
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import TableSite
from anabranch.runtime.tracing.source_frames import place as place_of_code
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arena_contents import ArenaItems, InArenaStructure
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_shapes import capacity_requests, size_arithmetic
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar


class InTableArena(Hashed):
    """The base of dicts and sets in arenas."""

    __slots__ = ()
    free: type[Any]  # the class of those that are in no arena

    def __init__(self, arena: Any, number: Value) -> None:
        self.arena_ = arena
        self.number_ = number
        self.request_, self.extra_ = arena.entries.request_, arena.extra

    @classmethod
    def bare_(cls, extra: Any) -> Any:
        """One that is in no arena, without its parts."""
        return cls.free.bare_(extra)

    def __anabranch_structure__(self) -> Structure:
        return InArenaStructure(type(self), ("number",), self.arena_)

    def __anabranch_slot__(self) -> None:
        """Return none: nothing of it changes but the memory of the arena."""

    @property
    def origins(self) -> frozenset[Any]:
        """The places that make such: none others than those whose arena it is in."""
        return frozenset()

    @property
    def memory_(self) -> tuple[Any, ...]:
        parts: tuple[Any, ...] = self.arena_.parts
        return parts

    def written_(self) -> ArenaItems:
        return ArenaItems(self)

    @property
    def count_(self) -> Value:
        return self.arena_.count(self.number_)

    def lost_(self) -> Value:
        return self.arena_.removals(self.number_)

    def place_of_(self, key: Value) -> Value:
        """The place of a key among the items of the arena, or -1."""
        return self.arena_.place_of(self.number_, key)

    def contains_(self, item: Value) -> Value:
        return self.place_of_(item) >= 0

    def last_place_(self) -> Value:
        """The place of the last item, of which there is one."""
        return self.arena_.last(self.number_)

    def key_at_(self, place: Value) -> Value:
        """The key at a place."""
        return self.arena_.entries.key_at_(place)[1]

    def remove_at_(self, place: Value) -> None:
        """Remove the item at a place."""
        self.arena_.remove(self.number_, place)

    def _lists(self, count: int) -> list[Any]:
        """New lists of the keys and, if there are to be two, of the values, in their order."""
        places, found = self.arena_.places(self.number_), [dynamic_list.growing([]) for _ in range(count)]

        def copy(step: Value, found: list[Any] = found, table: InTableArena = self) -> None:
            place = at(places, step)
            found[0].append(table.key_at_(place))
            if count > 1:
                found[1].append(at(table.arena_.entries.values_, place))

        for_each(Range(0, self.count_, 1), copy)
        for part in found:
            part.become(part.as_items())
        return found

    def _free(self, cls: Any, extra: object, count: int) -> Any:
        made = cls.bare_((capacity_requests.at(f"the {self.native.__name__}"), extra))
        lists = self._lists(count)
        made.parts_ = (*lists, None, *made.parts_[len(lists) + 1 :])
        made.rebuild_()
        return made


class _DictInArena(InTableArena):
    """The base of dicts in arenas."""

    __slots__ = ()
    free = DynamicDict

    @property
    def values_(self) -> Any:
        return self.arena_.entries.values_

    def begun_(self, contents: dict[Any, Any]) -> Self:
        """The dict with what it holds at its beginning."""
        for key, value in contents.items():
            self.arena_.add(self.number_, key, value)
        return self

    def insert_(self, key: Value, value: Value) -> None:
        """Add a key that is not there, with its value."""
        self.arena_.add(self.number_, key, value)

    def clear(self) -> None:
        """As `dict.clear`."""
        self.arena_.clear(self.number_)

    def whole_(self) -> Any:
        return self.copied_(DynamicDict, None)

    def opened_(self) -> Any:
        made = DynamicDict.bare_((self.request_, None))
        made.parts_ = (*self._lists(2), None)
        return made

    def countable_(self) -> Countable:
        return View(self).fresh()

    def copied_(self, cls: type[Any], extra: Any) -> Any:
        """A dict of a class, in no arena, with the same items."""
        return self._free(cls, extra, 2)

    def copy(self) -> Any:
        """As `dict.copy`."""
        return placed_table(self.copied_(self.free, self.extra_))

    __copy__ = copy

    def as_dict_(self) -> Any:
        """The same items in a dict of no other class."""
        return self.copied_(DynamicDict, None)


class ArenaDict(_DictInArena, DynamicDict):
    """A dict."""

    __slots__ = ("arena_", "number_")


class ArenaDefaultDict(_DictInArena, DynamicDefaultDict):
    """A `collections.defaultdict`."""

    __slots__ = ("arena_", "number_")
    free = DynamicDefaultDict


class ArenaCounter(_DictInArena, DynamicCounter):
    """A `collections.Counter`."""

    __slots__ = ("arena_", "number_")
    free = DynamicCounter


class ArenaOrderedDict(_DictInArena, DynamicOrderedDict):
    """A `collections.OrderedDict`."""

    __slots__ = ("arena_", "number_")
    free = DynamicOrderedDict

    def first_place_(self) -> Value:
        return self.arena_.first(self.number_)

    def insert_first_(self, key: Value, value: Value) -> None:
        raise UnsupportedOperationError(
            "an item of an OrderedDict of which there are as many as run-time values say is moved to its beginning; "
            "make a new dict, in the order that is needed"
        )


class _SetInArena(InTableArena):
    """The base of sets and frozensets in arenas."""

    __slots__ = ()

    def begun_(self, members: Any) -> Self:
        """The set with what it holds at its beginning."""
        for member in members:
            self.arena_.add(self.number_, member, None)
        return self

    def add_new_(self, key: Value) -> None:
        self.arena_.add(self.number_, key, None)

    @property
    def order_(self) -> Atom:
        return atoms.convert(wrap.as_atom(self.arena_.order(self.number_), np.int64), np.int32)

    def set_order_(self, order: int | Atom) -> None:
        value = order if isinstance(order, int) else wrap.numpy_result(order)
        self.arena_.set_order(self.number_, size_arithmetic.limited(size_arithmetic.bound_of(value), 0, 2))

    def opened_(self) -> Any:
        made: Any = self.free.bare_((self.request_, None))
        made.parts_ = (*self._lists(1), None, made.parts_[-1])
        made.set_order_(self.order_)
        return made

    def whole_(self) -> Any:
        return self.copied_()

    def countable_(self) -> Any:
        held = self.opened_()
        return set_order.Ordered(self, set_order.places(held), held)

    def members_(self) -> Any:
        return View(self).fresh()

    def copied_(self) -> Any:
        """Another one with the same members."""
        return placed_table(self.free_())

    def free_(self) -> Any:
        made = self._free(self.free, None, 1)
        made.mix_()
        return made


class ArenaFrozenset(_SetInArena, DynamicFrozenset):
    """A frozenset."""

    __slots__ = ("arena_", "number_")
    free = DynamicFrozenset

    def place_of_(self, key: Value) -> Value:
        """The place of a key among the items of the arena, or -1: none that was there has left."""
        return self.arena_.entries.place_of_((self.number_, key))

    def folded_(self, step: Callable[[Value, Atom], Atom], init: Atom) -> Atom:
        first = wrap.as_atom(self.arena_.first(self.number_), np.int64)
        links = self.arena_.links.as_items()

        def one_more(carries: Sequence[Atom]) -> list[Atom]:
            place = python_scalar(carries[0], Interval(0, 2**31))
            return [wrap.as_atom(links.item(place)[1], np.int64), step(self.key_at_(place), carries[1])]

        def is_there(carries: Sequence[Atom]) -> Atom:
            return atoms.ufunc(np.greater_equal, carries[0], atoms.literal(0, np.int64))

        return repeated(is_there, one_more, [first, init])[1]


class ArenaSet(_SetInArena, DynamicSet):
    """A set."""

    __slots__ = ("arena_", "number_")
    free = DynamicSet

    def _kinds(self) -> tuple[object, ...]:
        kinds: tuple[object, ...] = self.arena_.entries.keys_.as_items().structure.variants
        return kinds

    def _become(self, other: DynamicSet) -> Self:
        self.clear()
        self.mix_()

        def add(member: Value, table: ArenaSet = self) -> None:
            table.add_new_(member)

        for_each(other.members_(), add)
        return self

    def clear(self) -> None:
        """As `set.clear`."""
        self.arena_.clear(self.number_)
        self.set_order_(set_order.GROWN)


CLASSES: dict[type, Any] = {
    dict: ArenaDict, collections.defaultdict: ArenaDefaultDict, collections.Counter: ArenaCounter,
    collections.OrderedDict: ArenaOrderedDict, set: ArenaSet, frozenset: ArenaFrozenset,
}  # fmt: skip


def new_in(arena: Any, extra: tuple[Any, ...] | None) -> Any:
    """A new dict or set in an arena, which is empty; `extra` has the factory."""
    if extra is not None and arena.extra is not None and not _same_factory(extra[0], arena.extra[0]):
        raise UnsupportedOperationError(
            "defaultdicts with different factories are items of one dict or list whose length is known only at run "
            "time; give them one factory"
        )
    arena.extra = arena.extra or extra
    made = CLASSES[arena.native](arena, arena.made())
    current().trace.identity.created.add(made)
    return made


def _same_factory(one: Any, other: Any) -> bool:
    code = getattr(one, "__code__", None)
    if one is other or code is None:
        return one is other
    closures = [getattr(f, "__closure__", None) for f in (one, other)]
    return code is getattr(other, "__code__", None) and closures == [None, None]


def arena_here(native: type) -> Any:
    """The arena of the dicts or sets of a class that are made where the user's code is now; None if there is none."""
    arenas = current().trace.lists.arenas
    return arenas.get(TableSite(place_of_code(), native)) if arenas else None


def placed_table(made: Any) -> Any:
    """A new dict or set, in the arena of the place that has made it, if it has one."""
    arena = arena_here(made.native)
    if arena is None:
        return made
    new, is_set = new_in(arena, made.extra_), isinstance(made, RunTimeSet)

    def add(step: Value, table: Any = new, made: Any = made) -> None:
        value = None if is_set else at(made.values_, step)
        table.arena_.add(table.number_, made.key_at_(step), value)

    for_each(Range(0, made.count_, 1), add)
    if is_set:
        new.set_order_(made.order_)
    return new


DynamicDict.placed_ = staticmethod(placed_table)  # type: ignore[method-assign]
