"""Sources of the arrays that a step of a loop leaves.

What a step leaves in a name is what the name, or another one, was at the step's start, or a view of that, memory from
before the loop, or new memory, or what conditions have chosen of these: a `Source`. From the sources of all leaves
follows what each of them may be after so many steps (`Possible`).
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Literal, Var
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.tracing.storage import Storage
from anabranch.runtime.values import visibility
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, memory_layout, views
from anabranch.runtime.values.pytrees.pack_unpack import Packed

# So many steps are followed one by one; what an array may be after any more of them is told as one.
_MOST_STEPS = 64
# Views of views of the arrays at the start of a step are followed up to so much memory.
_MOST_PLACES = 32


class TracedBody(Protocol):
    """The interface that is needed of a traced loop body."""

    @property
    def builder(self) -> Builder: ...

    @property
    def index(self) -> Var: ...

    @property
    def since(self) -> int: ...

    @property
    def entry(self) -> list[TracedArray | None]: ...

    @property
    def init(self) -> list[Packed]: ...

    @property
    def packed(self) -> list[Packed]: ...


@frozen
class EntryArray:
    """The array that a leaf had at the start of the step."""

    leaf: int


@frozen
class Viewed:
    """The part `path` of the array that a leaf had at the start of the step."""

    leaf: int
    path: views.Path


@frozen
class OuterArray:
    """Memory from before the loop, or a view of it, by its number."""

    number: int


@frozen
class New:
    """The part `path` of memory that was made so many steps ago, of which there is one of this serial number a step.

    What holds the elements in other places (an array given a larger capacity) has the form of that for a path.
    """

    serial: int
    path: tuple[views.ViewStep | aliasing.ElementForm, ...]
    age: int = 0


@frozen
class Chosen:
    """One thing or another."""

    pred: Atom
    yes: Source
    no: Source


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


Source: TypeAlias = EntryArray | Viewed | OuterArray | New | Chosen | Unknown
Label: TypeAlias = OuterArray | New | Unknown
UNKNOWN = Unknown()


@dataclasses.dataclass(slots=True)
class Places:
    """Memory from before a loop that its state may be; a view whose position each step decides is one place."""

    handles: list[TracedArray] = dataclasses.field(default_factory=list)
    of_steps: set[int] = dataclasses.field(default_factory=set)
    moving: set[int] = dataclasses.field(default_factory=set)

    def number(self, handle: TracedArray) -> int:
        """The number of an array that stands before the loop."""
        for i, known in enumerate(self.handles):
            if known is handle:
                return i
        self.handles.append(handle)
        return len(self.handles) - 1

    def number_in_step(self, handle: TracedArray, is_fixed: bool) -> int:
        """The number of a view that a step makes."""
        for i, known in enumerate(self.handles):
            if known is handle:
                return i
            if i in self.of_steps and known.storage is handle.storage and is_fixed == (i not in self.moving):
                paths = (known.path, handle.path) if is_fixed else (_still(known.path), _still(handle.path))
                if memory_layout.is_same_part(handle.storage.type.shape, *paths):
                    return i
        self.handles.append(handle)
        self.of_steps.add(len(self.handles) - 1)
        if not is_fixed:
            self.moving.add(len(self.handles) - 1)
        return len(self.handles) - 1


def _still(path: views.Path) -> views.Path:
    """The path without its run-time positions."""
    return views.at(path, itertools.repeat(0))


@frozen
class Moving(OuterArray):
    """A place whose position this step decides."""

    handle: TracedArray


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

    def __init__(self, outer: Builder, traced: TracedBody, init: Sequence[Packed], places: Places) -> None:
        self.outer, self.body, self.places = outer, traced.builder, places
        self.entry = traced.entry
        self.owner = {a.storage: k for k, a in enumerate(traced.entry) if a is not None}
        self.handles = [p.handle for p in traced.packed]
        self.serials: dict[object, int] = {}
        self._shapes = {-1 - k: a.storage.type.shape for k, a in enumerate(traced.entry) if a is not None}
        self._views: dict[tuple[int, views.Path], tuple[Source, Source]] = {}
        self._wholes: dict[Storage, Source] = {}
        self.before: list[Label] = [
            New(-1 - k, ()) if p.handle is None else OuterArray(places.number(p.handle)) for k, p in enumerate(init)
        ]
        self.of = [self._source(handle) for handle in self.handles]
        self.ends = [_ends(source) for source in self.of]

    def is_outside(self, storage: Storage) -> bool:
        """Return whether memory is from before the loop."""
        return self.body.outer_has(storage)

    def is_entry(self, leaf: int) -> bool:
        """Return whether a step leaves the very object that the leaf was at its start."""
        return self.handles[leaf] is self.entry[leaf]

    def _source(self, handle: TracedArray | None) -> Source:
        if handle is None:
            return New(self._serial(object()), ())
        storage, path = handle.storage, handle.path
        if self.is_outside(storage):
            return self._place(handle)
        if storage in self.owner:
            return self._viewed(EntryArray(self.owner[storage]), path)
        if storage not in self._wholes:
            self._wholes[storage] = self._whole(storage)
        return self._viewed(self._wholes[storage], path)

    def _viewed(self, source: Source, path: views.Path) -> Source:
        """The part `path` of what a step leaves."""
        if not path:
            return source
        if (id(source), path) not in self._views:
            self._views[id(source), path] = source, self._view_of(source, path)
        return self._views[id(source), path][1]

    def _view_of(self, source: Source, path: views.Path) -> Source:
        match source:
            case EntryArray(leaf) if all(step.static for step in path):
                simple = memory_layout.simplified(self._shapes[-1 - leaf], path)
                return Viewed(leaf, simple) if simple else source
            case Viewed(leaf, before):
                return self._viewed(EntryArray(leaf), (*before, *path))
            case Chosen(pred, yes, no):
                return Chosen(pred, self._viewed(yes, path), self._viewed(no, path))
            case OuterArray() | New():
                return self.viewed(source, path)
        return UNKNOWN

    def viewed(self, label: Label, path: views.Path) -> Label:
        """The part `path` of memory."""
        match label:
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
            return Moving(self.places.number_in_step(handle, is_fixed=False), handle)
        return UNKNOWN

    def _whole(self, storage: Storage) -> Source:
        found: Source | None = None if storage.is_another else New(self._serial(storage), ())
        for entry in reversed(storage.alias_edges):
            inner = self._source(entry.handle)
            if isinstance(inner, New) and entry.form is not None and len(storage.alias_edges) == 1:
                return New(inner.serial, (*inner.path, entry.form))
            pred = entry.pred
            if entry.form is not None or isinstance(inner, Unknown) or pred is None or not self._is_seen(pred):
                return UNKNOWN
            found = inner if found is None else Chosen(pred, inner, found)
        return UNKNOWN if found is None else found

    def _is_seen(self, pred: Atom) -> bool:
        return isinstance(pred, Literal) or visibility.atom_visible(self.body, pred)

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
        return [self._labels(k, now) for k in range(len(now))]

    def _labels(self, leaf: int, now: Sequence[set[Label]]) -> set[Label]:
        found: set[Label] = set()
        for source in self.ends[leaf]:
            match source:
                case EntryArray(other):
                    found |= {self._aged(label) for label in now[other]}
                case Viewed(other, path):
                    found |= {self.viewed(self._aged(label), path) for label in now[other]}
                case Moving(number):
                    found.add(OuterArray(number))
                case _:
                    found.add(source)
        return found

    def _aged(self, label: Label) -> Label:
        # What is older than this is told apart by its number only.
        return label if not isinstance(label, New) else New(label.serial, label.path, min(label.age + 1, self.oldest))

    @property
    def may_return_new_objects(self) -> bool:
        """Return whether a step may leave other objects of the same memory."""
        entry = {id(array) for array in self.entry}
        handles = [h for h in self.handles if h is not None and id(h) not in entry]
        merged = self.body.trace.identity.merged
        return bool(self.places.of_steps) or any(h.storage in self.owner or id(h) in merged for h in handles)

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


def _ends(source: Source) -> list[EntryArray | Viewed | Label]:
    """All that a step may leave of which one is chosen."""
    found: list[EntryArray | Viewed | Label] = []
    seen: set[int] = set()
    pending = [source]
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Chosen):
            pending += [one.no, one.yes]
        else:
            found.append(one)
    return found
