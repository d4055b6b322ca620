"""Times of calls: measured fairly, and shown in units that can be read."""

from __future__ import annotations

import copy
import pickle
import statistics
import time
from collections.abc import Callable
from typing import Any

_LEAST = 2e-4  # a batch of calls, beside which reading the clock is nothing


def shown_seconds(seconds: float) -> str:
    """Seconds with three digits, in the unit that they are read best in."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"


def per_call(function: Callable[..., object], arguments: tuple[Any, ...], seconds: float) -> float:
    """The median seconds of a call, measured for about so many seconds; each gets the arguments as they are.

    A function that changes its arguments gets copies, which are made while the clock stands.
    """
    fresh = copy.deepcopy(arguments)
    once = _timed(function, fresh, 1)
    if once > seconds:
        return once
    if not _are_equal(fresh, arguments):
        return _on_copies(function, arguments, seconds)
    # From the third call on a compiled function is as fast as it gets.
    once = min(_timed(function, fresh, 1) for _ in range(3))
    count = max(1, int(_LEAST / max(once, 1e-7)))
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        times.append(_timed(function, fresh, count))
    return statistics.median(times)


def _timed(function: Callable[..., object], arguments: tuple[Any, ...], count: int) -> float:
    """Seconds of each of so many calls."""
    start = time.perf_counter()
    for _ in range(count):
        function(*arguments)
    return (time.perf_counter() - start) / count


def _on_copies(function: Callable[..., object], arguments: tuple[Any, ...], seconds: float) -> float:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        times.append(_timed(function, copy.deepcopy(arguments), 1))
    return statistics.median(times)


def _are_equal(one: object, other: object) -> bool:
    """Return whether two values are the same in each bit; False where they don't say."""
    try:
        return pickle.dumps(one) == pickle.dumps(other)
    except Exception:  # whatever a user's class does
        return False
