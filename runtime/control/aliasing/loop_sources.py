"""Sources of the arrays that a step of a loop leaves.

What a step leaves in a name is what the name, or another one, was at the step's start, or a view of that, memory from
before the loop, or new memory (`Source`), or what conditions have chosen of these (`Row`). From the sources of all
leaves follows what each of them may be after so many steps (`Possible`).
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Sequence
from typing import TypeAlias

from anabranch.base.frozen import frozen
from anabranch.runtime.control.aliasing.body_trace import BodyTrace, Places
from anabranch.runtime.control.aliasing.points_to import ALWAYS, points_to
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import Builder, building
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, memory_layout, views
from anabranch.runtime.values.pytrees.pack_unpack import Packed

# So many steps are followed one by one; what an array may be after any more of them is told as one.
_MOST_STEPS = 64
# Views of views of the arrays at the start of a step are followed up to so much memory.
_MOST_PLACES = 32


@frozen
class EntryArray:
    """The part `path` of the array that a leaf had at the start of the step."""

    leaf: int
    path: views.Path = ()


@frozen
class OuterArray:
    """Memory from before the loop, or a view of it, by its number; `handle` has the position that this step decides."""

    number: int
    handle: TracedArray | None = dataclasses.field(default=None, compare=False)


@frozen
class New:
    """The part `path` of memory that was made so many steps ago, of which there is one of this serial number a step.

    What holds the elements in other places (an array given a larger capacity) has the form of that for a path.
    """

    serial: int
    path: tuple[views.ViewStep | aliasing.ElementForm, ...]
    age: int = 0


@frozen
class Unknown:
    """Any memory that it may share with others."""


class Pair(enum.Enum):
    """The relation of the new memory that two leaves are after some steps."""

    NEVER = enum.auto()  # not one memory
    ALWAYS = enum.auto()  # the same part of one memory
    PARTS = enum.auto()  # two parts of one memory
    BY_NUMBER = enum.auto()  # one where their numbers are equal
    UNKNOWN = enum.auto()


Label: TypeAlias = OuterArray | New | Unknown
Source: TypeAlias = EntryArray | Label
# What a step leaves: the last of these whose condition holds; the first one where none does.
Row: TypeAlias = list[tuple[Atom, Source]]
UNKNOWN = Unknown()


@frozen
class Possible:
    """The memory that each leaf may be where no step has run, and after some steps."""

    first: list[set[Label]]
    later: list[set[Label]]

    def of(self, leaf: int) -> set[Label]:
        """All that a leaf may be."""
        return self.first[leaf] | self.later[leaf]

    def places(self, leaf: int) -> list[OuterArray]:
        """The memory from before the loop that a leaf may be, in order."""
        return sorted(
            (label for label in self.of(leaf) if isinstance(label, OuterArray)), key=lambda place: place.number
        )

    def only(self, leaf: int) -> Label | None:
        """The memory that a leaf is after some steps, if that is one."""
        labels = self.later[leaf]
        return next(iter(labels)) if len(labels) == 1 else None


class Sources:
    """The memory that the leaves of a loop's state are, from one trace of its body."""

    def __init__(self, outer: Builder, traced: BodyTrace, init: Sequence[Packed], places: Places) -> None:
        self.outer, self.body, self.places = outer, traced.builder, places
        self.entry = traced.entry
        self.owner = {a.storage: k for k, a in enumerate(traced.entry) if a is not None}
        self.handles = [p.handle for p in traced.packed]
        self.serials: dict[object, int] = {}
        self._shapes = {-1 - k: a.storage.type.shape for k, a in enumerate(traced.entry) if a is not None}
        self.before: list[Label] = [
            New(-1 - k, ()) if p.handle is None else OuterArray(places.number(p.handle)) for k, p in enumerate(init)
        ]
        self._makes_objects = False
        with building(self.body):
            self.rows = [self._row(handle) for handle in self.handles]
        # What a leaf surely is after a step; None where conditions choose that.
        self.of = [row[0][1] if len(row) == 1 else None for row in self.rows]

    def is_outside(self, storage: Storage) -> bool:
        """Return whether memory is from before the loop."""
        return self.body.outer_has(storage)

    def is_entry(self, leaf: int) -> bool:
        """Return whether a step leaves the very object that the leaf was at its start."""
        return self.handles[leaf] is self.entry[leaf]

    def _row(self, handle: TracedArray | None) -> Row:
        if handle is None:
            return [(ALWAYS, New(self._serial(object()), ()))]
        edges = handle.storage.alias_edges
        if len(edges) == 1 and edges[0].form is not None and not self._is_end(handle.storage) and not handle.path:
            # An array that was given a larger capacity.
            (_, inner), *others = self._row(edges[0].handle)
            if others or not isinstance(inner, New):
                return [(ALWAYS, UNKNOWN)]
            return [(ALWAYS, New(inner.serial, (*inner.path, edges[0].form)))]
        row: Row = []
        for target in points_to(handle, self._is_end):
            storage, pred = target.handle.storage, target.pred
            if storage.is_another and not self._is_end(storage):
                continue
            source = self._source(target.handle)
            self._makes_objects = self._makes_objects or not (target.is_object and self._is_kept(target.handle))
            if pred is None or target.form is not None or isinstance(source, Unknown):
                return [(ALWAYS, UNKNOWN)]
            row.append((pred, source))
        return row or [(ALWAYS, UNKNOWN)]

    def _is_end(self, storage: Storage) -> bool:
        return storage in self.owner or self.is_outside(storage)

    def _is_kept(self, handle: TracedArray) -> bool:
        """Return whether an array is the object that its memory was made for, or was at the start of the step."""
        leaf = self.owner.get(handle.storage)
        if leaf is None:
            return self.is_outside(handle.storage) or not (handle.path or handle.is_view)
        return handle is self.entry[leaf]

    def _source(self, handle: TracedArray) -> Source:
        storage, path = handle.storage, handle.path
        if self.is_outside(storage):
            return self._place(handle)
        if storage not in self.owner:
            return self.viewed(New(self._serial(storage), ()), path)
        if not all(step.static for step in path):
            return UNKNOWN
        return EntryArray(self.owner[storage], memory_layout.simplified(storage.type.shape, path))

    def viewed(self, label: Label, path: views.Path) -> Label:
        """The part `path` of memory."""
        match label:
            case _ if not path:
                return label
            case OuterArray(number):
                if number not in self.places.moving and all(step.static for step in path):
                    return self._place(self.places.handles[number].viewed(*path))
            case New(serial, before, age):
                steps = tuple([step for step in before if isinstance(step, views.ViewStep)])
                if len(steps) == len(before):
                    return New(serial, memory_layout.simplified(self._shapes[serial], (*steps, *path)), age)
        return UNKNOWN

    def _place(self, handle: TracedArray) -> Label:
        if len(self.places.handles) > _MOST_PLACES:
            return UNKNOWN
        if visibility.storage_visible(self.outer, handle):
            return OuterArray(self.places.number_in_step(handle, is_fixed=True))
        if all(visibility.atom_visible(self.body, a) for a in views.positions(handle.path)):
            return OuterArray(self.places.number_in_step(handle, is_fixed=False), handle)
        return UNKNOWN

    def _serial(self, made: object) -> int:
        serial = self.serials.setdefault(made, len(self.serials))
        if isinstance(made, Storage):
            self._shapes[serial] = made.type.shape
        return serial

    def possible(self, least: int, exact: int | None) -> Possible:
        """The memory that each leaf may be after the loop: after that many steps, or at least so many."""
        now = [{label} for label in self.before]
        nothing: list[set[Label]] = [set() for _ in now]
        first = nothing if least or exact else now
        if exact == 0:
            return Possible(first, nothing)
        for _ in range(min(max(least, exact or 1), _MOST_STEPS)):
            now = self._after_step(now)
        if exact is None or exact > _MOST_STEPS:
            while True:
                wider = [a | b for a, b in zip(now, self._after_step(now), strict=True)]
                if wider == now:
                    break
                now = wider
        return Possible(first, now)

    def _after_step(self, now: Sequence[set[Label]]) -> list[set[Label]]:
        after = list(self._made)
        for leaf in self._moved:
            after[leaf] = self._labels(leaf, now)
        return after

    @functools.cached_property
    def _moved(self) -> list[int]:
        """The leaves that hang on what others were at the start of a step, mostly few of them."""
        return [k for k, row in enumerate(self.rows) if any(isinstance(source, EntryArray) for _, source in row)]

    @functools.cached_property
    def _made(self) -> list[set[Label]]:
        """The memory that the others are after each step."""
        return [{source for _, source in row if not isinstance(source, EntryArray)} for row in self.rows]

    def _labels(self, leaf: int, now: Sequence[set[Label]]) -> set[Label]:
        found: set[Label] = set()
        for _, source in self.rows[leaf]:
            if isinstance(source, EntryArray):
                found |= {self.viewed(self._aged(label), source.path) for label in now[source.leaf]}
            else:
                found.add(source)
        return found

    def _aged(self, label: Label) -> Label:
        # What is older than this is told apart by its number only.
        return label if not isinstance(label, New) else New(label.serial, label.path, min(label.age + 1, self.oldest))

    @property
    def may_return_new_objects(self) -> bool:
        """Return whether a step may leave other objects of the same memory."""
        return self._makes_objects or bool(self.places.of_steps)

    @property
    def oldest(self) -> int:
        return len(self.before) + 1

    def is_unknown(self, leaf: int, possible: Possible) -> bool:
        """Return whether a leaf may share memory in a way that is not known."""
        return UNKNOWN in possible.of(leaf)

    def pair(self, one: int, other: int, possible: Possible) -> Pair:
        """The relation of the new memory that two leaves may be."""
        x, y = possible.only(one), possible.only(other)
        if isinstance(x, New) and isinstance(y, New) and max(x.age, y.age) < self.oldest:
            if (x.serial, x.age) != (y.serial, y.age):
                return Pair.NEVER
            return Pair.ALWAYS if _same(x, y) else Pair.PARTS
        both = [
            (a, b)
            for a in possible.later[one]
            for b in possible.later[other]
            if isinstance(a, New) and isinstance(b, New) and a.serial == b.serial
            if a.age == b.age or self.oldest in (a.age, b.age)
        ]
        if not both:
            return Pair.NEVER
        return Pair.BY_NUMBER if all(_same(a, b) for a, b in both) else Pair.UNKNOWN


def _same(one: New, other: New) -> bool:
    """Return whether two are the same part of their memory."""
    steps = [tuple(step for step in x.path if isinstance(step, views.ViewStep)) for x in (one, other)]
    forms = [[step for step in x.path if not isinstance(step, views.ViewStep)] for x in (one, other)]
    return forms[0] == forms[1] and views.same(*steps)
