"""The smallest program that still shows a fault, of one that a seed gives: fewer and smaller choices, tried in turn."""

from __future__ import annotations

import time
from collections.abc import Callable

from property_tests.generation.choices import Choices, Seeded
from property_tests.generation.programs import GeneratedProgram, write_program

Values = list[int]


class Noted:
    """Choices that are taken from another one, or from a list and 0 after its end; and noted."""

    def __init__(self, source: Choices | Values) -> None:
        self._source = source
        self.values: Values = []

    def below(self, end: int) -> int:
        """As `Choices.below`."""
        if not isinstance(self._source, list):
            value = self._source.below(end)
        else:
            at = len(self.values)
            value = min(self._source[at], end - 1) if at < len(self._source) else 0
        self.values.append(value)
        return value


def smallest(seed: int, shows: Callable[[GeneratedProgram], bool], seconds: float = 120.0) -> GeneratedProgram:
    """The smallest program found that shows what the program of a seed shows.

    Parameters
    ----------
    seed : int
    shows : callable
        Whether a program still shows it.
    seconds : float
        After which the search ends.
    """
    return _Search(seed, shows, time.monotonic() + seconds).best


class _Search:
    """Goes over the choices again and again, as long as one pass finds something smaller."""

    def __init__(self, seed: int, shows: Callable[[GeneratedProgram], bool], end: float) -> None:
        noted = Noted(Seeded(seed))
        self.best = write_program(noted)
        self._values = noted.values
        self._shows = shows
        self._end = end
        self._tried = {str(self.best)}
        while self._passes():
            pass

    def _passes(self) -> bool:
        """One pass, large parts first; whether it has found something."""
        before = _size(self._values)
        width = len(self._values) // 2
        while width:
            start = 0
            while start < len(self._values) and not self._is_over:
                rest = self._values[start + width :]
                if not self._takes(self._values[:start] + rest):
                    self._takes(self._values[:start] + [0] * min(width, len(self._values) - start) + rest)
                    start += width
            width //= 2
        for at in range(len(self._values)):
            for less in _less(self._values[at]) if at < len(self._values) and not self._is_over else ():
                if self._takes([*self._values[:at], less, *self._values[at + 1 :]]):
                    break
        return _size(self._values) < before and not self._is_over

    @property
    def _is_over(self) -> bool:
        return time.monotonic() > self._end

    def _takes(self, candidate: Values) -> bool:
        """Return whether the program of these choices is smaller and shows it; it is the best one then."""
        noted = Noted(candidate)
        try:
            program = write_program(noted)
        except Exception:  # choices that a rule of the generator does not expect are no smaller program
            return False
        if _size(noted.values) >= _size(self._values) or str(program) in self._tried:
            return False
        self._tried.add(str(program))
        if not self._shows(program):
            return False
        self.best, self._values = program, noted.values
        return True


def _size(values: Values) -> tuple[int, Values]:
    return len(values), values


def _less(value: int) -> list[int]:
    """Smaller numbers than a choice, small ones first."""
    bits = [value & ~(1 << bit) for bit in range(value.bit_length()) if value > 255]
    return sorted({less for less in (value // 2, value - 1, *bits) if 0 < less < value})
