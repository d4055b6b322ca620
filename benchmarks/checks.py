"""The cost of checks of run-time indices: `python -m benchmarks.checks [--size small]`.

Each function indexes by values that are known only at run time, and runs compiled with the checks and without
(`jit(checks=False)`). Where the range of an index is known while tracing, as that of a loop's counter, nothing is
checked in either.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch import jit
from benchmarks.arrays import generator

SIZES = {"small": 2_000, "large": 500_000}


def gather(values, places):
    """One fancy read."""
    return values[places]


def scatter(values, places):
    """One fancy write."""
    values[places] = 1.0
    return values


def histogram(values, places):
    """A loop that counts, one write for each element."""
    counts = np.zeros(values.shape[0], np.int64)
    for place in places:
        counts[place] += 1
    return counts


def chase(values, places):
    """A loop in which each read says where the next one is."""
    total, at = 0.0, 0
    for _ in range(places.shape[0]):
        at = places[at]
        total += values[at]
    return total


def counted(values, places):
    """A loop whose indices are known to be in range."""
    total = 0.0
    for i in range(places.shape[0]):
        total += values[i]
    return total


FUNCTIONS = (gather, scatter, histogram, chase, counted)


def arguments(size: str) -> tuple[Any, ...]:
    """Values, and as many places among them."""
    rng, n = generator(), SIZES[size]
    return rng.standard_normal(n), rng.integers(0, n, n)


def milliseconds(function: Callable[..., Any], args: tuple[Any, ...], rounds: int) -> float:
    """The best of some calls, the first one not counted."""
    function(*args)
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        function(*args)
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=list(SIZES), default="large")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    args = arguments(options.size)
    print(f"{'function':12}{'checked':>12}{'unchecked':>12}{'ratio':>8}")
    for function in FUNCTIONS:
        checked, unchecked = (milliseconds(jit(function, checks=c), args, options.rounds) for c in (True, False))
        print(f"{function.__name__:12}{checked:9.3f} ms{unchecked:9.3f} ms{checked / unchecked:8.2f}")


if __name__ == "__main__":
    main()
