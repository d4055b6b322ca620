"""Arrays in memory across control flow: where ways meet, and from step to step."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.llvm_types import NotNativeError, is_lazy, is_memory, packed
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.traded_arrays import Addresses
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# Why an array is copied.
_WAYS_DIFFER = "the branches of a condition end with different arrays"
_HANDED_ON = "the next step has it under another name"


class Way:
    """One of the ways of a condition."""

    def __init__(self) -> None:
        self.results: list[str] = []
        self.last = 0  # the place kept before the end of its last block, whose label is `block`
        self.block = ""
        self.versions: list[int] = []  # those of the arrays at its end


class Alternatives:
    """The ways of a condition: each finds the arrays as they were before."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._before = memory.versions()
        self.taken: list[Way] = []

    @contextlib.contextmanager
    def one(self) -> Iterator[Way]:
        """The next one."""
        self._memory.go_to(self._before)
        way = Way()
        yield way
        way.versions = self._memory.versions()
        self.taken.append(way)

    def result(self, number: int, type: ArrayType, kept: Collection[int]) -> list[str]:
        """The names of a result at the ends of the ways: those of one array in memory, or all in registers.

        `kept`: the places of the arrays that are needed afterwards as they are.
        """
        names = [way.results[number] for way in self.taken]
        if not any(map(is_memory, names)):
            return names
        places = {self._memory.number(name) if is_memory(name) else -1 for name in names}
        if len(places) == 1 and max(places) < len(self._before):
            for way, name in zip(self.taken, names, strict=True):
                self._at_end(way)
                self._memory.place_of(name)
            return names
        if type.size <= MOST_ELEMENTS:
            return [self._loaded(way, name, type) for way, name in zip(self.taken, names, strict=True)]
        free = [p for p in sorted(places) if p not in kept and self._is_free(p, number, type)]
        target = free[0] if free else self._memory.place_of(self._memory.allocate(type))
        for way, name in zip(self.taken, names, strict=True):
            self._at_end(way)
            if is_memory(name) and self._memory.place_of(name) == target:
                continue
            with self._memory.code.inserting(way.last):
                self._memory.overwrite(name, target, type, _WAYS_DIFFER)
            way.versions = self._memory.versions()
        return [self._memory.name(target)] * len(names)

    def _is_free(self, place: int, number: int, type: ArrayType) -> bool:
        """Return whether a result may be where it is at the end of one of the ways: no other result is there."""
        if not (0 <= place < len(self._before) and self._memory.is_own(place, type)):
            return False
        others = (name for way in self.taken for k, name in enumerate(way.results) if k != number)
        return all(self._memory.number(name) != place for name in others if is_memory(name))

    def _loaded(self, way: Way, name: str, type: ArrayType) -> str:
        """A small array at the end of a way, in registers."""
        if not is_memory(name):
            return name
        self._at_end(way)
        with self._memory.code.inserting(way.last):
            return packed(self._memory.whole(name, type))

    def _at_end(self, way: Way) -> None:
        self._memory.go_to(way.versions)

    def meet(self) -> None:
        """Go on after the ways: what one of them has written has another name."""
        memory = self._memory
        memory.go_to(self._before)
        for place, before in enumerate(self._before):
            if any(way.versions[place] != before for way in self.taken):
                memory.renew(place)


class Steps:
    """The steps of a loop.

    Parameters
    ----------
    state, types
        What goes from step to step, by its names before the loop.
    traded
        The places of arrays that may change places from step to step.
    """

    def __init__(
        self,
        memory: Memory,
        stores: ArrayStores,
        state: Sequence[str],
        types: Sequence[ArrayType],
        traded: Sequence[int] = (),
    ) -> None:
        self._memory = memory
        self._stores = stores
        self._types = types
        self._before = memory.versions()
        self._places = [memory.place_of(name) if is_memory(name) else None for name in state]
        for place in {place for place in self._places if place is not None}:
            memory.renew(place)
        self._head = memory.versions()
        self._changed: set[int] = set()
        types_at = dict(zip(self._places, types, strict=True))
        self._addresses = Addresses(memory, {place: types_at[place] for place in traded if place in types_at})
        # The names of the state where a step begins; in registers, of the initial values.
        self.entry = [
            name if place is None else memory.name(place) for name, place in zip(state, self._places, strict=True)
        ]

    def close(self, after: Sequence[str]) -> list[str]:
        """The names of the state after a step, of which those in memory are where they were at its beginning."""
        memory = self._memory
        for name in filter(is_memory, after):
            memory.place_of(name)
        ends = list(zip(after, self._places, self._types, strict=True))
        chosen = {
            place: array
            for name, place, type in ends
            if place in self._addresses.types and is_lazy(name)
            if (array := self._stores.whole(name, type)) is not None
        }
        if self._addresses.types:
            read = frozenset[int]().union(*(array.reads for array in chosen.values()))
            names = [name for name, place, _ in ends if place not in chosen]
            types = [type for _, place, type in ends if place not in chosen]
            settled = iter(self._stores.settled(names, types, read, self._addresses.types))
            after = [name if place in chosen else next(settled) for name, place, _ in ends]
        # Those in registers are read before anything is written that they may be read from.
        after = [
            packed(memory.whole(name, type)) if place is None and is_memory(name) else name
            for name, place, type in zip(after, self._places, self._types, strict=True)
        ]
        moved = [
            (name, place, type)
            for name, place, type in zip(after, self._places, self._types, strict=True)
            if place is not None and not (is_memory(name) and memory.number(name) == place)
        ]
        whole = {place: self._stores.whole(name, type) for name, place, type in moved}
        traded = self._addresses.take({place: array for place, array in whole.items() if array is not None})
        moved = [row for row in moved if row[1] not in traded]
        computed = [(name, type, place) for name, place, type in moved if is_lazy(name)]
        moved = [row for row in moved if not is_lazy(row[0])]
        targets = {place for _, place, _ in moved} | {place for _, _, place in computed}
        # Of arrays that change places one is lost before it is moved, but for a copy.
        kept = [
            memory.copied(name, type, _HANDED_ON) if is_memory(name) and memory.number(name) in targets else name
            for name, _, type in moved
        ]
        self._stores.written(computed)
        for name, (_, place, type) in zip(kept, moved, strict=True):
            memory.overwrite(name, place, type, _HANDED_ON)
        for place in traded:
            memory.renew(place)
        self._changed = {place for place, head in enumerate(self._head) if memory.versions()[place] != head}
        if not self._changed <= set(self._places):
            raise NotNativeError("an array that is written in a step and is as before in the next")
        return after

    def join(self, before: str, latch: str) -> None:
        """Say where the arrays are in a step, from the block before the loop and from the last one of a step."""
        self._addresses.close(before, latch)

    def end(self) -> None:
        """Write the end of the loop, behind its test: all arrays are where they were before."""
        self._addresses.restore()

    def results(self, names: Sequence[str]) -> list[str]:
        """The names of the last state."""
        memory = self._memory
        memory.go_to(self._before)
        for place in self._changed:
            memory.renew(place)
        return [name if place is None else memory.name(place) for name, place in zip(names, self._places, strict=True)]
