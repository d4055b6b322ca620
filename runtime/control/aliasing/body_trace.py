"""One trace of a loop's body, and the memory from before the loop that its state may be."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Var
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import memory_layout, views
from anabranch.runtime.values.memory.handle import serials
from anabranch.runtime.values.pytrees.pack_unpack import Packed

NUMBER = ArrayType((), np.dtype(np.int64))


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


@dataclasses.dataclass(slots=True)
class Carried:
    """Numbers of leaves, and positions of moving places that leaves may be: the formals of a body."""

    numbers: dict[int, Var] = dataclasses.field(default_factory=dict)
    # At the start of a step: the places that an array has edges to, or could not be, and the pairs that have edges.
    linked: dict[int, set[int]] = dataclasses.field(default_factory=dict)
    pairs: set[tuple[int, int]] = dataclasses.field(default_factory=set)
    starts: dict[tuple[int, int], list[Var]] = dataclasses.field(default_factory=dict)
    objects: dict[int, Var] = dataclasses.field(default_factory=dict)  # of arrays: which object each of them is

    @property
    def formals(self) -> list[Var]:
        """The numbers and positions, in the order in which they are carried."""
        return [*self.numbers.values(), *(formal for row in self.starts.values() for formal in row)]

    def add(self, body: Builder, leaf: int, places: Sequence[int], handles: Sequence[TracedArray]) -> None:
        """Let the number of a leaf be carried, and the positions of the moving places that it may be."""
        if leaf not in self.numbers:
            self.numbers[leaf] = body.formal(NUMBER)
        for i in places:
            if (leaf, i) not in self.starts:
                self.starts[leaf, i] = [body.formal(a.type) for a in views.positions(handles[i].path)]


@frozen
class Reach:
    """The memory that arrays of a loop's state may be, as a trace of the body has shown it."""

    # The places from before the loop that each leaf may be; None where that is not known.
    places: tuple[frozenset[int] | None, ...]
    pairs: frozenset[tuple[int, int]]  # the leaves, the smaller one first, that may be one new memory

    def joined(self, other: Reach | None) -> Reach:
        """The memory that either of them names, where both are of as many leaves."""
        if other is None or len(other.places) != len(self.places):
            return self
        rows = zip(self.places, other.places, strict=True)
        places = tuple([None if a is None or b is None else a | b for a, b in rows])
        return Reach(places, self.pairs | other.pairs)


@dataclasses.dataclass(slots=True)
class BodyTrace:
    """One trace of a loop's body: for each entry of the state, its formals and the arrays that the body saw."""

    builder: Builder
    index: Var  # of the step; how many have run before it
    formals_of: list[list[Var]]
    entry_of: list[list[TracedArray | None]]
    init: list[Packed]
    out: tuple[Any, ...] | None = None  # None where every path of the body raises
    given: list[Any] = dataclasses.field(default_factory=list)  # what the body saw
    carried: Carried = dataclasses.field(default_factory=Carried)
    packed: list[Packed] = dataclasses.field(default_factory=list)
    since: int = dataclasses.field(default_factory=functools.partial(next, serials))  # arrays before it have lower ones

    @property
    def formals(self) -> list[Var]:
        """Those of all leaves."""
        return [f for row in self.formals_of for f in row]

    @property
    def entry(self) -> list[TracedArray | None]:
        """The array of each leaf at the start of the step."""
        return [a for row in self.entry_of for a in row]
