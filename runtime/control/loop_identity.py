"""Which memory each array of a loop's state is.

What a step leaves in a name is what the name, or another one, was at the step's start, memory from before the loop, or
new memory: a `Source`. From the sources of all leaves follows which memory each of them may be after so many steps
(`Possible`). Where that is one of several, the loop carries a number for each leaf which says what it is: the number of
a place from before the loop, or a negative one for each new memory. A leaf is linked with what it may be where their
numbers say so, after the loop and, where the body writes to such memory, at the start of each step, too.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from anabranch._frozen import frozen
from anabranch.runtime.control.merging import adopt
from anabranch.runtime.ir import ArrayType, Atom, Literal, Var
from anabranch.runtime.trace import Builder, Storage, building, current
from anabranch.runtime.values import aliasing, atoms, views, visibility
from anabranch.runtime.values.array import Array
from anabranch.runtime.values.layout import Packed

NUMBER = ArrayType((), np.dtype(np.int64))
# After more steps the memory that an array is does not depend on their exact number, or nobody looks at it.
_MOST_STEPS = 64


class TracedBody(Protocol):
    """What is needed of a traced loop body."""

    @property
    def builder(self) -> Builder: ...

    @property
    def count(self) -> Var: ...

    @property
    def entry(self) -> list[Array | None]: ...

    @property
    def packed(self) -> list[Packed]: ...


@frozen
class Entry:
    """The array that a leaf had at the start of the step."""

    leaf: int


@frozen
class Place:
    """Memory from before the loop, or a view of it, by its number."""

    number: int


@frozen
class New:
    """The part `path` of memory that was made so many steps ago, of which there is one of this serial number a step.

    What holds the elements in other places (an array given more room) has the form of that for a path.
    """

    serial: int
    path: tuple[views.Step | aliasing.Form, ...]
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
    """How the new memory that two leaves are after some steps is related."""

    NEVER = enum.auto()  # not one memory
    ALWAYS = enum.auto()  # the same part of one memory
    PARTS = enum.auto()  # two parts of one memory
    BY_NUMBER = enum.auto()  # one where their numbers are equal
    UNKNOWN = enum.auto()


Source: TypeAlias = Entry | Place | New | Chosen | Unknown
Label: TypeAlias = Place | New | Unknown
UNKNOWN = Unknown()


@dataclasses.dataclass(slots=True)
class Places:
    """Memory from before a loop that its state may be; a view whose position each step decides is one place."""

    handles: list[Array] = dataclasses.field(default_factory=list)
    of_steps: set[int] = dataclasses.field(default_factory=set)
    moving: set[int] = dataclasses.field(default_factory=set)

    def number(self, handle: Array) -> int:
        """The number of an array that stands before the loop."""
        for i, known in enumerate(self.handles):
            if known is handle:
                return i
        self.handles.append(handle)
        return len(self.handles) - 1

    def number_in_step(self, handle: Array, is_fixed: bool) -> int:
        """The number of a view that a step makes."""
        for i, known in enumerate(self.handles):
            if known is handle:
                return i
            if i in self.of_steps and known.storage is handle.storage and is_fixed == (i not in self.moving):
                paths = (known.path, handle.path) if is_fixed else (_still(known.path), _still(handle.path))
                if views.same(*paths):
                    return i
        self.handles.append(handle)
        self.of_steps.add(len(self.handles) - 1)
        if not is_fixed:
            self.moving.add(len(self.handles) - 1)
        return len(self.handles) - 1


def _still(path: views.Path) -> views.Path:
    """The path without its run-time positions."""
    return tuple(step.at(iter([0] * len(step.positions))) for step in path)


def positions(array: Array) -> list[Atom]:
    """Where a view lies, as far as it is known only at run time."""
    return [start for step in array.path for start in step.positions]


def _moved(array: Array, starts: Sequence[Atom]) -> Array:
    """The view at other positions."""
    given = iter(starts)
    return Array(array.storage, tuple([_step_at(step, given) for step in array.path]), array.readonly)


def _step_at(step: views.Step, starts: Iterator[Atom]) -> views.Step:
    if not isinstance(step, views.Slice):
        return step
    axes = [a if isinstance(a.start, int) else dataclasses.replace(a, start=next(starts)) for a in step.axes]
    return views.Slice(tuple(axes))


@frozen
class Moving(Place):
    """A place whose position this step decides."""

    handle: Array


@frozen
class Possible:
    """What each leaf may be where no step has run, and after some steps."""

    first: list[set[Label]]
    later: list[set[Label]]

    def of(self, leaf: int) -> set[Label]:
        """All that a leaf may be."""
        return self.first[leaf] | self.later[leaf]

    def only(self, leaf: int) -> Label | None:
        """What a leaf is after some steps, if that is one thing."""
        labels = self.later[leaf]
        return next(iter(labels)) if len(labels) == 1 else None


@dataclasses.dataclass(slots=True)
class Carried:
    """Numbers of leaves, and positions of moving places that leaves may be: the formals of a body."""

    linked: int = 0  # how many places arrays are linked with at the start of a step
    numbers: dict[int, Var] = dataclasses.field(default_factory=dict)
    starts: dict[tuple[int, int], list[Var]] = dataclasses.field(default_factory=dict)

    def add(self, body: Builder, leaf: int, places: Sequence[int], handles: Sequence[Array]) -> None:
        """Let the number of a leaf be carried, and the positions of the moving places that it may be."""
        if leaf not in self.numbers:
            self.numbers[leaf] = body.formal(NUMBER)
        for i in places:
            if (leaf, i) not in self.starts:
                self.starts[leaf, i] = [body.formal(a.type) for a in positions(handles[i])]


def enter(
    body: Builder, entry: Sequence[Array | None], leaves: Sequence[int], init: Sequence[Packed], places: Places
) -> Carried:
    """Link the arrays at the start of a step with what they may be, by numbers that the loop is to carry."""
    for packed in init:
        if packed.handle is not None:
            places.number(packed.handle)
    carried = Carried(len(places.handles))
    for k in leaves:
        array = entry[k]
        if array is None:
            continue
        fitting = [i for i, handle in enumerate(places.handles) if _is_alike(array, handle)]
        carried.add(body, k, [i for i in fitting if i in places.moving], places.handles)
        number = carried.numbers[k]
        for i in fitting:
            handle = places.handles[i]
            if i in places.moving:
                handle = _moved(handle, carried.starts[k, i])
            aliasing.link(array.storage, atoms.ufunc(np.equal, number, _literal(i)), handle)
        for j, other in carried.numbers.items():
            before = entry[j]
            if j != k and before is not None and _is_alike(array, before):
                aliasing.link(array.storage, _is_one_new(number, other), before)
    return carried


def _is_alike(one: Array, other: Array) -> bool:
    return (one.shape, one.dtype) == (other.shape, other.dtype)


def _is_one_new(one: Atom, other: Atom) -> Atom:
    """Whether two numbers stand for one memory, and this was made in the loop."""
    same = atoms.ufunc(np.equal, one, other)
    return atoms.logical_and(same, atoms.ufunc(np.less, one, _literal(0)))


def _literal(number: int) -> Literal:
    return atoms.literal(number, np.int64)


class Identities:
    """What the leaves of a loop's state are, from one trace of its body."""

    def __init__(
        self, outer: Builder, traced: TracedBody, init: Sequence[Packed], places: Places, carried: Carried
    ) -> None:
        self.outer, self.body, self.count = outer, traced.builder, traced.count
        self.places, self.carried = places, carried
        self.entry = traced.entry
        self.owner = {a.storage: k for k, a in enumerate(traced.entry) if a is not None}
        self.handles = [p.handle for p in traced.packed]
        self._serials: dict[Storage, int] = {}
        self._wholes: dict[Storage, Source] = {}
        self.before: list[Label] = [
            New(-1 - k, ()) if p.handle is None else Place(places.number(p.handle)) for k, p in enumerate(init)
        ]
        self.sources = [self._source(handle) for handle in self.handles]
        self.ends = [_ends(source) for source in self.sources]

    # What the leaves are.

    def is_outside(self, storage: Storage) -> bool:
        """Whether memory is from before the loop."""
        return self.body.outer_has(storage)

    def is_entry(self, leaf: int) -> bool:
        """Whether a step leaves the very object that the leaf was at its start."""
        return self.handles[leaf] is self.entry[leaf]

    def _source(self, handle: Array | None) -> Source:
        if handle is None:
            return New(self._serial(Storage(NUMBER)), ())
        storage, path = handle.storage, handle.path
        if storage in self.owner:
            return UNKNOWN if path else Entry(self.owner[storage])
        if self.is_outside(storage):
            return self._place(handle)
        if path:
            return UNKNOWN if storage.links else New(self._serial(storage), path)
        if storage not in self._wholes:
            self._wholes[storage] = self._whole(storage)
        return self._wholes[storage]

    def _place(self, handle: Array) -> Source:
        if visibility.storage_visible(self.outer, handle):
            return Place(self.places.number_in_step(handle, is_fixed=True))
        if all(visibility.atom_visible(self.body, a) for a in positions(handle)):
            return Moving(self.places.number_in_step(handle, is_fixed=False), handle)
        return UNKNOWN

    def _whole(self, storage: Storage) -> Source:
        found: Source = New(self._serial(storage), ())
        for entry in reversed(storage.links):
            inner = self._source(entry.handle)
            if isinstance(inner, New) and entry.form is not None and len(storage.links) == 1:
                return New(inner.serial, (*inner.path, entry.form))
            if entry.form is not None or isinstance(inner, Unknown) or not self._is_seen(entry.pred):
                return UNKNOWN
            found = Chosen(entry.pred, inner, found)
        return found

    def _is_seen(self, pred: Atom | None) -> bool:
        return isinstance(pred, Literal) or (pred is not None and visibility.atom_visible(self.body, pred))

    def _serial(self, storage: Storage) -> int:
        return self._serials.setdefault(storage, len(self._serials))

    def possible(self, least: int, exact: int | None) -> Possible:
        """What each leaf may be after the loop: after that many steps, or at least so many."""
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
                case Entry(other):
                    found |= {self._aged(label) for label in now[other]}
                case Moving(number):
                    found.add(Place(number))
                case _:
                    found.add(source)
        return found

    def _aged(self, label: Label) -> Label:
        # What is older than this is told apart by its number only.
        return label if not isinstance(label, New) else New(label.serial, label.path, min(label.age + 1, self._oldest))

    @property
    def _renews(self) -> bool:
        """Whether a step may leave other objects of the same memory."""
        entry = {id(array) for array in self.entry}
        handles = [h for h in self.handles if h is not None and id(h) not in entry]
        merged = self.body.trace.merged
        return bool(self.places.of_steps) or any(h.storage in self.owner or id(h) in merged for h in handles)

    @property
    def _oldest(self) -> int:
        return len(self.before) + 1

    def is_unknown(self, leaf: int, possible: Possible) -> bool:
        """Whether a leaf may share memory in a way that nobody knows."""
        return UNKNOWN in possible.of(leaf)

    def pair(self, one: int, other: int, possible: Possible) -> Pair:
        """How the new memory that two leaves may be is related."""
        x, y = possible.only(one), possible.only(other)
        if isinstance(x, New) and isinstance(y, New) and max(x.age, y.age) < self._oldest:
            if (x.serial, x.age) != (y.serial, y.age):
                return Pair.NEVER
            return Pair.ALWAYS if _same(x, y) else Pair.PARTS
        both = [
            (a, b)
            for a in possible.later[one]
            for b in possible.later[other]
            if isinstance(a, New) and isinstance(b, New) and a.serial == b.serial
            if a.age == b.age or self._oldest in (a.age, b.age)
        ]
        if not both:
            return Pair.NEVER
        return Pair.BY_NUMBER if all(_same(a, b) for a, b in both) else Pair.UNKNOWN

    def are_linked(self, leaves: Sequence[int]) -> bool:
        """Whether the links at the start of a step tell all that these leaves may be."""
        possible = self.possible(0, None)
        if len(self.places.handles) > self.carried.linked or any(self.is_unknown(k, possible) for k in leaves):
            return False
        pairs = {self.pair(j, k, possible) for k in leaves for j in leaves if j < k}
        return not pairs & {Pair.PARTS, Pair.UNKNOWN}

    # What is carried.

    def carry(self, least: int, exact: int | None, settled: Container[int]) -> None:
        """Let the body carry what tells which memory each leaf is after the loop, but for those that are settled."""
        possible, ever = self.possible(least, exact), self.possible(0, None)
        pending = [k for k in range(len(self.sources)) if k not in settled and self._is_open(k, possible)]
        seen: set[int] = set()
        while pending:
            k = pending.pop()
            if k not in seen:
                seen.add(k)
                self.carried.add(self.body, k, self._moving(k, ever), self.places.handles)
                pending += [end.leaf for end in self.ends[k] if isinstance(end, Entry)]

    def _is_open(self, leaf: int, possible: Possible) -> bool:
        """Whether it depends on the run which memory a leaf is, and on more than whether a step has run."""
        if self.sources[leaf] == Entry(leaf) or self.is_unknown(leaf, possible):
            return False
        later = [label for label in possible.later[leaf] if isinstance(label, Place)]
        if self._moving(leaf, possible) or (later and possible.only(leaf) is None):
            return True
        others = (k for k, handle in enumerate(self.handles) if k != leaf and handle is not None)
        return self.handles[leaf] is not None and any(self.pair(leaf, k, possible) is Pair.BY_NUMBER for k in others)

    def _moving(self, leaf: int, possible: Possible) -> list[int]:
        return [p.number for p in possible.of(leaf) if isinstance(p, Place) and p.number in self.places.moving]

    def extras(self) -> list[tuple[Atom, Var, Atom]]:
        """What is carried: its value before the loop, its formal, and its value after a step."""
        rows: list[tuple[Atom, Var, Atom]] = []
        with building(self.body):
            made: dict[int, Atom] = {}
            for k, formal in self.carried.numbers.items():
                rows.append((self._number(self.before[k], made), formal, self._number(self.sources[k], made)))
            for (k, i), formals in self.carried.starts.items():
                after = self._starts(self.sources[k], i) or formals
                rows += [(atoms.literal(0, f.type.dtype), f, a) for f, a in zip(formals, after, strict=True)]
            return [(before, formal, self.body.resolve(after)) for before, formal, after in rows]

    def _number(self, source: Source, made: dict[int, Atom]) -> Atom:
        """The number of what a step leaves."""
        if id(source) not in made:
            made[id(source)] = self._made_number(source, made)
        return made[id(source)]

    def _made_number(self, source: Source, made: dict[int, Atom]) -> Atom:
        match source:
            case Entry(leaf):
                return self.carried.numbers[leaf]
            case Place(number):
                return _literal(number)
            case New(serial) if serial < 0:
                return _literal(serial)
            case New(serial):
                step = atoms.ufunc(np.multiply, self.count, _literal(len(self._serials)))
                return atoms.ufunc(np.subtract, _literal(-1 - len(self.before) - serial), step)
            case Chosen(pred, yes, no):
                return atoms.select(pred, self._number(yes, made), self._number(no, made))
        return _literal(np.iinfo(np.int64).min)

    def _starts(self, source: Source, place: int) -> Sequence[Atom] | None:
        """Where a moving place lies that a step leaves; None where it leaves something else."""
        match source:
            case Entry(leaf):
                return self.carried.starts.get((leaf, place))
            case Moving(number, handle) if number == place:
                return positions(handle)
            case Chosen(pred, yes, no):
                one, other = self._starts(yes, place), self._starts(no, place)
                if one is None or other is None:
                    return one or other
                return [atoms.select(pred, a, b) for a, b in zip(one, other, strict=True)]
        return None

    # After the loop.

    def link(
        self,
        made: Sequence[Array | None],
        results: Iterator[Atom],
        count: Atom,
        possible: Possible,
        related: Callable[[int], Sequence[Array]],
    ) -> None:
        """Link the arrays after the loop with all that they may be; `results` are of what was carried."""
        numbers = {k: next(results) for k in self.carried.numbers}
        starts = {key: [next(results) for _ in formals] for key, formals in self.carried.starts.items()}
        at_once = atoms.ufunc(np.equal, count, _literal(0)) if any(possible.first) else atoms.literal(False)
        if self._renews:
            # Views made anew in each step: the memory is known, but not which object it is.
            current().trace.merged.update((id(array), array) for array in made if array is not None)
        for k, array in enumerate(made):
            if array is None:
                continue
            if self.is_unknown(k, possible):
                for handle in related(k):
                    adopt(self.outer, array, None, handle)
                continue
            for label in possible.of(k):
                if isinstance(label, Place):
                    handle = self.places.handles[label.number]
                    if label.number in self.places.moving:
                        handle = _moved(handle, starts[k, label.number])
                    self._adopt(array, self._is_place(k, label, possible, numbers, at_once), handle)
            for j, other in enumerate(made[:k]):
                if other is not None and not self.is_unknown(j, possible):
                    self._adopt_other(j, k, (other, array), possible, numbers, at_once)

    def _is_place(self, leaf: int, place: Place, possible: Possible, numbers: dict[int, Atom], at_once: Atom) -> Atom:
        if place not in possible.later[leaf]:
            return at_once
        if possible.only(leaf) == place:
            return atoms.literal(True) if place in possible.first[leaf] else atoms.logical_not(at_once)
        return atoms.ufunc(np.equal, numbers[leaf], _literal(place.number))

    def _adopt_other(
        self,
        one: int,
        other: int,
        arrays: tuple[Array, Array],
        possible: Possible,
        numbers: dict[int, Atom],
        at_once: Atom,
    ) -> None:
        """Link two arrays of the loop that may be one, or parts of one."""
        first, second = arrays
        match self.pair(one, other, possible):
            case Pair.ALWAYS:
                self._adopt(second, atoms.logical_not(at_once), first)
            case Pair.BY_NUMBER:
                self._adopt(second, _is_one_new(numbers[one], numbers[other]), first)
            case Pair.PARTS:
                x, y = possible.only(one), possible.only(other)
                assert isinstance(x, New)
                assert isinstance(y, New)
                whole, part, path = (first, second, y.path) if not x.path else (second, first, x.path)
                steps = tuple(step for step in path if isinstance(step, views.Step) and step.static)
                known = not (x.path and y.path) and len(steps) == len(path)
                pred = atoms.logical_not(at_once) if known else None
                self._adopt(part, pred, Array(whole.storage, steps if known else ()))
            case Pair.UNKNOWN:
                self._adopt(second, None, first)

    def _adopt(self, array: Array, pred: Atom | None, handle: Array) -> None:
        if not (isinstance(pred, Literal) and not pred.value):
            adopt(self.outer, array, pred if _is_alike(array, handle) else None, handle)


def _same(one: New, other: New) -> bool:
    """Whether two are the same part of their memory."""
    steps = [tuple(step for step in x.path if isinstance(step, views.Step)) for x in (one, other)]
    forms = [[step for step in x.path if not isinstance(step, views.Step)] for x in (one, other)]
    return forms[0] == forms[1] and views.same(*steps)


def _ends(source: Source) -> list[Entry | Label]:
    """All that a step may leave of which one is chosen."""
    found: list[Entry | Label] = []
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
