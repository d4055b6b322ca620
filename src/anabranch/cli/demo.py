"""The demonstration: each kernel's source and rewritten source, its result and its time beside NumPy's."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import statistics
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.api.jit import jit

TOLERANCE = 1e-12  # XLA sums in another order than NumPy
_SECONDS = 0.4  # how long one timing may go on
_MOST_CALLS = 100
_RULE = " │ "
_LEAST_ROOM = 72


@dataclasses.dataclass(frozen=True, slots=True)
class DemoOutcome:
    """The findings of one demonstration."""

    name: str
    difference: str | None  # the first one found, in words
    first_call: float
    plain: float
    compiled: float

    def lines(self) -> list[str]:
        """The outcome as text: equality, then times in seconds."""
        equal = f"equal to NumPy to {TOLERANCE:g}: values, dtypes, types, changed arguments"
        ratio = self.plain / self.compiled
        return [
            equal if self.difference is None else f"DIFFERS from NumPy: {self.difference}",
            f"first call {self.first_call:.2f} s (rewrite, trace, compile), then {_milliseconds(self.compiled)}; "
            f"NumPy {_milliseconds(self.plain)}: {ratio:.3g} times as fast as NumPy",
        ]


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"


def demonstrate(
    kernels: Sequence[Callable[..., object]], arguments: Mapping[str, tuple[object, ...]], columns: int
) -> Iterator[tuple[str, DemoOutcome]]:
    """Each kernel's page of text for a terminal so wide, and its outcome."""
    for kernel in kernels:
        given = arguments[kernel.__name__]
        wrapped = jit(kernel)
        outcome = compare(kernel, wrapped, given)
        sources = beside(textwrap.dedent(inspect.getsource(kernel)), wrapped.source(), columns)
        title = f"── {kernel.__name__} ".ljust(columns, "─")
        yield "\n".join([title, "", *sources, "", *outcome.lines(), ""]), outcome


def compare(kernel: Callable[..., Any], compiled: Callable[..., Any], arguments: tuple[Any, ...]) -> DemoOutcome:
    """Run a function plain and compiled on copies of the same arguments."""
    want_arguments, got_arguments = copy.deepcopy(arguments), copy.deepcopy(arguments)
    want = kernel(*want_arguments)
    start = time.perf_counter()
    got = compiled(*got_arguments)
    first_call = time.perf_counter() - start
    found = difference(want, got, "the result") or difference(want_arguments, got_arguments, "the arguments")
    return DemoOutcome(kernel.__name__, found, first_call, _median(kernel, arguments), _median(compiled, arguments))


def _median(function: Callable[..., object], arguments: tuple[object, ...]) -> float:
    """Median seconds of a call, each on a copy of the arguments made beforehand."""
    times: list[float] = []
    end = time.perf_counter() + _SECONDS
    while len(times) < 3 or (len(times) < _MOST_CALLS and time.perf_counter() < end):
        fresh = copy.deepcopy(arguments)
        start = time.perf_counter()
        function(*fresh)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def difference(want: Any, got: Any, where: str) -> str | None:
    """The first difference in type, structure, shape, dtype or value, in words; None where there is none."""
    if type(want) is not type(got):
        return f"{where} is of type {type(want).__name__} in NumPy, {type(got).__name__} here"
    if isinstance(want, Mapping):
        if list(want) != list(got):
            return f"{where} has the keys {list(want)} in NumPy, {list(got)} here"
        return _first(difference(want[key], got[key], f"{where}[{key!r}]") for key in want)
    if isinstance(want, (tuple, list)):
        if len(want) != len(got):
            return f"{where} has length {len(want)} in NumPy, {len(got)} here"
        return _first(difference(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(want, got, strict=True)))
    if want is None:
        return None
    return _array_difference(np.asarray(want), np.asarray(got), where)


def _first(found: Iterator[str | None]) -> str | None:
    return next((text for text in found if text is not None), None)


def _array_difference(want: np.ndarray, got: np.ndarray, where: str) -> str | None:
    if (want.dtype, want.shape) != (got.dtype, got.shape):
        return f"{where} is {want.dtype}{list(want.shape)} in NumPy, {got.dtype}{list(got.shape)} here"
    exact = want.dtype.kind not in "fc"
    if np.array_equal(want, got) if exact else np.allclose(got, want, rtol=TOLERANCE, atol=0.0, equal_nan=True):
        return None
    return f"the values of {where}"


def beside(left: str, right: str, columns: int) -> list[str]:
    """Two sources side by side, or one above the other where the terminal is too narrow."""
    lefts, rights = left.rstrip().splitlines(), right.rstrip().splitlines()
    width = max(map(len, lefts), default=0)
    room = columns - width - len(_RULE)
    if room < _LEAST_ROOM:
        return [*lefts, "", "    becomes", "", *rights]
    rights = [part for line in rights for part in _folded(line, room)]
    pairs = itertools.zip_longest(lefts, rights, fillvalue="")
    return [f"{a.ljust(width)}{_RULE}{b}".rstrip() for a, b in pairs]


def _folded(line: str, room: int) -> list[str]:
    """A line of code, continued further in where it is too long."""
    deeper = " " * (len(line) - len(line.lstrip()) + 8)
    return textwrap.wrap(line, room, subsequent_indent=deeper, break_long_words=False, break_on_hyphens=False) or [""]
