"""How long calls take: of any function, and of Numba's in a process of its own."""

from __future__ import annotations

import itertools
import multiprocessing
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np

from tests.programs.science.catalogue import PROGRAMS
from tests.programs.science.table import ScienceProgram

try:
    from numba import njit
except ImportError:
    njit = None

SECONDS_OF_CALLS = 0.05


def best_call(function: Callable[..., Any], program: ScienceProgram) -> float | None:
    """The time of the quickest of five calls and more, or None where calls raise."""
    best, until = np.inf, time.perf_counter() + SECONDS_OF_CALLS
    for count in itertools.count(1):
        arguments = program.makers[0]()
        start = time.perf_counter()
        try:
            function(*arguments)
        except Exception:
            return None
        now = time.perf_counter()
        best = min(best, now - start)
        if now > until and count >= 5:
            break
    return float(best)


class NumbaProcess:
    """Calls Numba's functions in a process of their own, since some end their process; then another one is started."""

    def __init__(self) -> None:
        self._pool = self._new_pool()

    def time(self, name: str) -> float | None:
        """The time of a call, or None where Numba refuses the source, gives something else, or crashes."""
        if njit is None:
            return None
        try:
            return self._pool.submit(numba_time, name).result()
        except BrokenProcessPool:
            self._pool = self._new_pool()
            return None

    @staticmethod
    def _new_pool() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn"))


def numba_time(name: str) -> float | None:
    """The time of Numba's function, or None where it refuses the source or gives other values."""
    warnings.simplefilter("ignore")
    program = next(p for p in PROGRAMS if p.name == name)
    arguments = program.makers[0]
    try:
        function = njit(program.function)
        same_values(program.function(*arguments()), function(*arguments()))
    except Exception:
        return None
    return best_call(function, program)


def same_values(want: Any, got: Any) -> None:
    """Assert that two results have the same values; Numba may give another type of numbers."""
    if isinstance(want, (tuple, list)):
        for w, g in zip(want, got, strict=True):
            same_values(w, g)
    elif isinstance(want, dict):
        same_values(list(want.items()), list(got.items()))
    elif isinstance(want, (int, float, complex, np.generic, np.ndarray)):
        np.testing.assert_allclose(got, want, rtol=1e-9)
    else:
        assert want == got
