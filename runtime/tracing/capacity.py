"""Capacities: the buffer sizes for what has a size known only at run time, and how they grow from run to run.

What is compiled has sizes that are fixed. Where nothing bounds a size, the place in the user's code that asks for a
buffer gets a start value; a run in which it is too small returns nothing, and the call is compiled anew with more.
"""

from __future__ import annotations

import contextvars
import linecache
import logging
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import NoReturn

import numpy as np

from anabranch.base.bounded_dict import BoundedDict
from anabranch.base.context_values import having
from anabranch.base.frozen import frozen
from anabranch.runtime.config import settings
from anabranch.runtime.errors import AnabranchError, CapacityError
from anabranch.runtime.tracing.source_frames import Position

_log = logging.getLogger("anabranch.capacities")
# By how much a buffer grows where all that is known is that it was too small: each time costs a compilation.
_LEAP = 8


@frozen
class CapacitySite:
    """A place that asks for a buffer."""

    what: str  # what the buffer is for; places on one line are told apart by it
    frames: tuple[Position, ...]  # the user's code, the innermost last; none outside of it
    # Whether buffers of this place mostly come to be too small together, as those of lists to which a step of a loop
    # appends do.
    grows_together: bool = False

    def __str__(self) -> str:
        """As in "`np.zeros(n)` (file:12)"."""
        return f"`{self.expression}` ({self.frames[-1][0]}:{self.frames[-1][1]})" if self.frames else self.what

    @property
    def expression(self) -> str:
        """The user's code at the place."""
        if not self.frames:
            return self.what
        filename, line, start, end = self.frames[-1]
        text = linecache.getline(filename, line).rstrip("\n")
        return text[start:end].strip() or text.strip()


@frozen
class Capacity:
    """The size of the buffer of a place, in elements (or rows, or items)."""

    place: CapacitySite
    size: int
    learned: bool = False  # whether it is for what a run has needed, and not what the settings start with

    def is_like(self, other: Capacity) -> bool:
        """Return whether the buffers are of one size and one place, and mostly come to be too small together."""
        mine, place = self.place, other.place
        together = mine.grows_together and place.grows_together and mine.frames == place.frames
        return together and self.size == other.size


class OverflowedError(AnabranchError):
    """A run in which some buffer was too small: nothing of it may be seen. Who runs it again catches it.

    No handler of the user's does, since eager Python would not have raised anything.
    """

    def __init__(self, capacity: Capacity, needed: int | None) -> None:
        super().__init__(capacity, needed)
        self.capacity = capacity
        self.needed = needed
        self.alike: tuple[Capacity, ...] = ()  # those that mostly come to be too small with it

    def refuse(self) -> NoReturn:
        """Raise a `CapacityError`, where nothing can be compiled anew."""
        raise self._told_as(
            f"{self._told()}; what was compiled ahead of time has the room that it was compiled with. Call the jitted "
            f"function itself, which is compiled anew with more by itself, or compile with the setting "
            f"capacity={self.next_size(None)}"
        )

    def as_limit(self, limit: int) -> CapacityError:
        """Return the error to raise where the buffer may not be larger."""
        return self._told_as(f"{self._told()}; the setting capacity_limit allows no more than {limit}")

    def _told(self) -> str:
        needed = "more than that are" if self.needed is None else f"{self.needed} are"
        return f"{self.capacity.place} has room for {self.capacity.size} elements, and {needed} needed"

    def _told_as(self, text: str) -> CapacityError:
        error = CapacityError(text)
        error.anabranch_located = True  # type: ignore[attr-defined]
        return error.with_traceback(self.__traceback__)

    def next_size(self, limit: int | None) -> int:
        """Return the size for the next run, at most the limit: twice as much at least."""
        size = max(self.capacity.size, 1)
        wanted = size * _LEAP if self.needed is None else max(2 * size, 1 << (self.needed - 1).bit_length())
        if limit is None or wanted <= limit:
            return wanted
        return max(limit, self.needed or size + 1)


@frozen
class Overflowed:
    """Makes the error of a place with what was needed, where that is known."""

    capacity: Capacity

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        return OverflowedError(self.capacity, int(found[0]) if found else None)


class Learned(BoundedDict[Hashable, Mapping[CapacitySite, int]]):
    """The buffer sizes that calls of a function turned out to need, by their signatures."""

    def of(self, key: Hashable) -> Mapping[CapacitySite, int]:
        """That of a signature."""
        return self.get(key, _NOTHING)

    def suffice(self, key: Hashable, capacities: Sequence[Capacity]) -> bool:
        """Return whether the buffers of what was compiled are as large as is known to be needed."""
        sizes = self.of(key)
        return not sizes or all(c.size >= sizes.get(c.place, 0) for c in capacities)

    def grow(self, key: Hashable, error: OverflowedError, function: str) -> None:
        """Learn from a run that had too small a buffer.

        Raises `CapacityError` where the settings allow no more.
        """
        limit, capacity = settings().capacity_limit, error.capacity
        size = error.next_size(limit)
        if size > limit:
            raise error.as_limit(limit) from None
        with self._lock:
            sizes = self.of(key)
            known = sizes.get(capacity.place, 0)
            places = [c.place for c in (capacity, *error.alike)]
            larger = {place: max(size, sizes.get(place, 0)) for place in places}
            self.put(key, {**sizes, **larger}, settings().cache_size)
        if size > known:  # other threads may have learned it before
            _log.info(f"{function} is run again: capacity {capacity.size} -> {size} for {capacity.place}")


_NOTHING: Mapping[CapacitySite, int] = MappingProxyType({})
_known: contextvars.ContextVar[Mapping[CapacitySite, int]] = contextvars.ContextVar("capacities", default=_NOTHING)


def with_learned_sizes(sizes: Mapping[CapacitySite, int]) -> AbstractContextManager[object]:
    """Trace with the buffer sizes that were learned to be needed."""
    return having(_known, sizes)


def capacity_at(place: CapacitySite) -> Capacity:
    """Return the capacity of a place, by what is known or else by the settings."""
    known = _known.get().get(place)
    start = max(1, min(settings().capacity, settings().capacity_limit))
    return Capacity(place, start if known is None else known, known is not None)
