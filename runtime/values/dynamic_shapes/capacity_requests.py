"""Requests for capacity while tracing, and failures at run time where it is too small."""

from __future__ import annotations

import itertools
import sys

import numpy as np

from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.capacity import Capacity, CapacitySite, Overflowed, capacity_at
from anabranch.runtime.tracing.source_frames import position, users
from anabranch.runtime.values import atoms
from anabranch.runtime.values.failures import run_time_checks

_DEEPEST = 16


def at(what: str, place: CapacitySite | None = None) -> Capacity:
    """The capacity at a place of the user's, where nothing bounds what is needed.

    Parameters
    ----------
    what : str
        What it is for, as "the array" or "the list 'out'": the same in each trace.
    place : Place, optional
        As `place_of` gives it; by default where the user's code is now.

    Returns
    -------
    Capacity
        Its `size` is how many elements fit. Whoever asks tells of what does not fit by `exceeded`.
    """
    place = place_of(what) if place is None else place
    asked = current().trace.capacities
    return asked.setdefault(place, capacity_at(place))


def at_least(count: int, place: CapacitySite) -> Capacity:
    """The capacity at a place for what begins with so many elements, and may come to have more."""
    found, asked = capacity_at(place), current().trace.capacities
    if found.size < count:
        found = Capacity(place, 1 << count.bit_length(), found.learned)
    return asked.setdefault(place, found)


def bounded(place: CapacitySite, most: int) -> Capacity:
    """The capacity where `most` is likely to suffice: as much, or what a run has needed."""
    found, asked = capacity_at(place), current().trace.capacities
    size = max(most, found.size if found.learned else 0)
    if found.place not in asked or asked[found.place].size < size:
        asked[found.place] = Capacity(found.place, size, found.learned)
    return asked[found.place]


def exceeded(pred: Atom, capacity: Capacity, needed: Atom | None = None) -> None:
    """Where `pred` (a bool scalar) holds at run time, the run counts for nothing, and the call runs again with more.

    Parameters
    ----------
    pred : Atom
        True where something did not fit.
    capacity : Capacity
        What `at` gave.
    needed : Atom, optional
        A scalar of ints: the size that it should have, where that is known as a whole, and not just step by step.
    """
    if isinstance(pred, Literal) and not pred.value:
        return
    details = [] if needed is None else [atoms.convert(needed, np.int64)]
    run_time_checks.record_failure(pred, Overflowed(capacity), None, run_time_checks.user_frames(), details)


def place_of(what: str) -> CapacitySite:
    """Where the user's code is now: a helper is another place for each of its callers, a step of a loop is not."""
    inside = itertools.islice(users(sys._getframe(1), until="trace_call"), _DEEPEST)
    return CapacitySite(what, tuple(map(position, inside))[::-1])
