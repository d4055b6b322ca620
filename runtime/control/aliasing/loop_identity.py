"""Numbers that a loop carries to say which memory each array of its state is.

Where a leaf may be one of several things after a step (`loop_sources`), its number says which: that of a place from
before the loop, or a negative one for each new memory. A leaf is linked with what it may be where their numbers say
so, after the loop and, where the body writes to such memory, at the start of each step, too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

import numpy as np

from anabranch.runtime.control.aliasing.body_trace import BodyTrace, Carried, Places, Reach
from anabranch.runtime.control.aliasing.loop_sources import (
    EntryArray,
    New,
    OuterArray,
    Pair,
    Possible,
    Row,
    Source,
    Sources,
)
from anabranch.runtime.control.aliasing.points_to import ALWAYS, is_never, link, moved, select_last
from anabranch.runtime.ir.program import Atom, Literal, Var
from anabranch.runtime.tracing.builder import Builder, building
from anabranch.runtime.values import atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import aliasing, views
from anabranch.runtime.values.pytrees.pack_unpack import Packed


def enter(
    body: Builder,
    entry: Sequence[TracedArray | None],
    leaves: Sequence[int],
    init: Sequence[Packed],
    places: Places,
    reach: Reach | None,
) -> Carried:
    """Link the arrays at the start of a step with what they may be, by numbers that the loop is to carry.

    That is what an earlier trace has shown them to be; `Identities.edges_suffice` then says whether it is all.
    """
    for packed in init:
        if packed.handle is not None:
            places.number(packed.handle)
    carried = Carried()
    if reach is not None and len(reach.places) != len(entry):
        reach = None
    for k in leaves:
        array = entry[k]
        if array is None:
            continue
        known, first = None if reach is None else reach.places[k], init[k].handle
        carried.linked[k] = set(range(len(places.handles)) if known is None else known)
        # An array that has been given a larger capacity is another one for each trace.
        carried.linked[k] |= set() if first is None else {places.number(first)}
        fitting = [i for i in sorted(carried.linked[k]) if _is_alike(array, places.handles[i])]
        carried.add(body, k, [i for i in fitting if i in places.moving], places.handles)
        number = carried.numbers[k]
        for i in fitting:
            handle = places.handles[i]
            if i in places.moving:
                handle = moved(handle, iter(carried.starts[k, i]))
            aliasing.add_edge(array.storage, _is(number, i), handle)
        for j, other in carried.numbers.items():
            before, pair = entry[j], (min(j, k), max(j, k))
            if j != k and before is not None and (reach is None or pair in reach.pairs):
                carried.pairs.add(pair)
                if _is_alike(array, before):
                    aliasing.add_edge(array.storage, _is_one_new(number, other), before)
    return carried


def _is_alike(one: TracedArray, other: TracedArray) -> bool:
    return (one.shape, one.dtype) == (other.shape, other.dtype)


def _is_one_new(one: Atom, other: Atom) -> Atom:
    """Return whether two numbers stand for one memory, and this was made in the loop."""
    same = atoms.ufunc(np.equal, one, other)
    return atoms.logical_and(same, atoms.ufunc(np.less, one, _literal(0)))


def _is(number: Atom, place: int) -> Atom:
    return atoms.ufunc(np.equal, number, _literal(place))


def _literal(number: int) -> Literal:
    return atoms.literal(number, np.int64)


class Identities:
    """The memory that the leaves of a loop's state are, as numbers that the loop carries."""

    def __init__(
        self, outer: Builder, traced: BodyTrace, init: Sequence[Packed], places: Places, carried: Carried
    ) -> None:
        self.body, self.index = traced.builder, traced.index
        self.places, self.carried = places, carried
        self.sources = Sources(outer, traced, init, places)

    def edges_suffice(self, leaves: Sequence[int]) -> bool:
        """Return whether the edges at the start of a step tell all that these leaves may be."""
        possible = self.sources.possible(0, None)
        if any(self.sources.is_unknown(k, possible) for k in leaves):
            return False
        if any(not {p.number for p in possible.places(k)} <= self.carried.linked[k] for k in leaves):
            return False
        pairs = {(j, k): self.sources.pair(j, k, possible) for k in leaves for j in leaves if j < k}
        return all(
            kind is Pair.NEVER or (kind in (Pair.ALWAYS, Pair.BY_NUMBER) and pair in self.carried.pairs)
            for pair, kind in pairs.items()
        )

    def reach(self) -> Reach:
        """The memory that each leaf may be at the start of a step."""
        possible = self.sources.possible(0, None)
        leaves = range(len(self.sources.of))
        return Reach(
            tuple(
                None if self.sources.is_unknown(k, possible) else frozenset(p.number for p in possible.places(k))
                for k in leaves
            ),
            frozenset((j, k) for k in leaves for j in range(k) if self.sources.pair(j, k, possible) is not Pair.NEVER),
        )

    def carry(self, least: int, exact: int | None, resolved: Container[int]) -> None:
        """Let the body carry what tells which memory each leaf is after the loop, but for those that are resolved."""
        possible, ever = self.sources.possible(least, exact), self.sources.possible(0, None)
        pending = [k for k in range(len(self.sources.of)) if k not in resolved and self._is_open(k, possible)]
        seen: set[int] = set()
        while pending:
            k = pending.pop()
            if k not in seen:
                seen.add(k)
                self.carried.add(self.body, k, self._moving(k, ever), self.places.handles)
                pending += [s.leaf for _, s in self.sources.rows[k] if isinstance(s, EntryArray)]

    def _is_open(self, leaf: int, possible: Possible) -> bool:
        """Return whether the memory that a leaf is depends on run-time values, not just on whether a step ran."""
        if self.sources.of[leaf] == EntryArray(leaf) or self.sources.is_unknown(leaf, possible):
            return False
        later = [label for label in possible.later[leaf] if isinstance(label, OuterArray)]
        if self._moving(leaf, possible) or (later and possible.only(leaf) is None):
            return True
        others = (k for k, handle in enumerate(self.sources.handles) if k != leaf and handle is not None)
        return self.sources.handles[leaf] is not None and any(
            self.sources.pair(leaf, k, possible) is Pair.BY_NUMBER for k in others
        )

    def _moving(self, leaf: int, possible: Possible) -> list[int]:
        return [p.number for p in possible.places(leaf) if p.number in self.places.moving]

    def extras(self) -> list[tuple[Atom, Var, Atom]]:
        """The extra carries: the value before the loop, the formal, and the value after a step of each."""
        rows: list[tuple[Atom, Var, Atom]] = []
        with building(self.body):
            for k, formal in self.carried.numbers.items():
                after = select_last((pred, self._number(source)) for pred, source in self.sources.rows[k])
                rows.append((self._number(self.sources.before[k]), formal, after))
            for (k, i), formals in self.carried.starts.items():
                starts = self._starts(self.sources.rows[k], i) or formals
                rows += [(atoms.literal(0, f.type.dtype), f, a) for f, a in zip(formals, starts, strict=True)]
            return [(before, formal, self.body.resolve(after)) for before, formal, after in rows]

    def _number(self, source: Source) -> Atom:
        """The number of what a step leaves."""
        match source:
            case EntryArray(leaf, path):
                before = self.carried.numbers[leaf]
                places = self.sources.possible(0, None).places(leaf) if path else []
                after = [(place, self.sources.viewed(place, path)) for place in places]
                rows = [(_is(before, p.number), _literal(v.number)) for p, v in after if isinstance(v, OuterArray)]
                return select_last(rows, before)
            case OuterArray(number):
                return _literal(number)
            case New(serial) if serial < 0:
                return _literal(serial)
            case New(serial):
                step = atoms.ufunc(np.multiply, self.index, _literal(len(self.sources.serials)))
                return atoms.ufunc(np.subtract, _literal(-1 - len(self.sources.before) - serial), step)
        return _literal(np.iinfo(np.int64).min)

    def _starts(self, row: Row, place: int) -> Sequence[Atom] | None:
        """The position of a moving place that a step leaves; None where it leaves something else."""
        found: Sequence[Atom] | None = None
        for pred, source in row:
            match source:
                case EntryArray(leaf, ()):
                    starts: Sequence[Atom] | None = self.carried.starts.get((leaf, place))
                case OuterArray(number, handle) if number == place and handle is not None:
                    starts = views.positions(handle.path)
                case _:
                    starts = None
            if starts is not None:
                pairs = zip(starts, found or starts, strict=True)
                found = [atoms.select(pred, one, other) for one, other in pairs]
        return found

    def add_edges(
        self,
        made: Sequence[TracedArray | None],
        carried: Mapping[Var, Atom],
        count: Atom,
        possible: Possible,
        related: Callable[[int], Sequence[TracedArray]],
    ) -> None:
        """Link the arrays after the loop with all that they may be; `carried` has what became of numbers."""
        numbers = {k: carried[formal] for k, formal in self.carried.numbers.items()}
        at_once = _is(count, 0) if any(possible.first) else atoms.literal(False)
        for k, array in enumerate(made):
            if array is None:
                continue
            if self.sources.is_unknown(k, possible):
                for handle in related(k):
                    link(array, None, handle)
                continue
            for handle, holds in self.tests(k, possible, carried, at_once):
                self._link(array, holds, handle)
            array.storage.is_another = all(isinstance(label, OuterArray) for label in possible.of(k))
            for j, other in enumerate(made[:k]):
                if other is not None and not self.sources.is_unknown(j, possible):
                    self._link_other(j, k, (other, array), possible, numbers, at_once)

    def tests(
        self, leaf: int, possible: Possible, carried: Mapping[Var, Atom], at_once: Atom
    ) -> Iterator[tuple[TracedArray, Atom]]:
        """The memory from before the loop that a leaf may be, and when it is that.

        `carried` has what stands for the numbers and positions of the body; `at_once` holds where no step has run.
        """
        for place in possible.places(leaf):
            handle = self.places.handles[place.number]
            if place.number in self.places.moving:
                starts = self.carried.starts[leaf, place.number]
                handle = moved(handle, iter([carried[start] for start in starts]))
            if place not in possible.later[leaf]:
                yield handle, at_once
            elif possible.only(leaf) == place:
                yield handle, ALWAYS if place in possible.first[leaf] else atoms.logical_not(at_once)
            else:
                yield handle, _is(carried[self.carried.numbers[leaf]], place.number)

    def _link_other(
        self,
        one: int,
        other: int,
        arrays: tuple[TracedArray, TracedArray],
        possible: Possible,
        numbers: dict[int, Atom],
        at_once: Atom,
    ) -> None:
        """Link two arrays of the loop that may be one, or parts of one."""
        first, second = arrays
        match self.sources.pair(one, other, possible):
            case Pair.ALWAYS:
                self._link(second, atoms.logical_not(at_once), first)
            case Pair.BY_NUMBER:
                self._link(second, _is_one_new(numbers[one], numbers[other]), first)
            case Pair.PARTS:
                x, y = possible.only(one), possible.only(other)
                assert isinstance(x, New)
                assert isinstance(y, New)
                whole, part, path = (first, second, y.path) if not x.path else (second, first, x.path)
                steps = tuple(step for step in path if isinstance(step, views.ViewStep) and step.static)
                known = not (x.path and y.path) and len(steps) == len(path)
                pred = atoms.logical_not(at_once) if known else None
                self._link(part, pred, TracedArray(whole.storage, steps if known else ()))
            case Pair.UNKNOWN:
                self._link(second, None, first)

    def _link(self, array: TracedArray, pred: Atom | None, handle: TracedArray) -> None:
        if not is_never(pred):
            link(array, pred if _is_alike(array, handle) else None, handle)
