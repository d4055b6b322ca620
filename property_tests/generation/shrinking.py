"""The smallest program that still shows a fault, of one that a seed gives: fewer and smaller choices, tried in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

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
    noted = Noted(Seeded(seed))
    best, values = write_program(noted), noted.values
    tried, end = {str(best)}, time.monotonic() + seconds
    found = True
    while found and time.monotonic() < end:
        found = False
        for candidate in _smaller(values):
            noted = Noted(candidate)
            try:
                program = write_program(noted)
            except Exception:  # choices that a rule of the generator does not expect are no smaller program
                continue
            if _size(noted.values) >= _size(values) or str(program) in tried:
                continue
            tried.add(str(program))
            if shows(program):
                best, values, found = program, noted.values, True
                break
            if time.monotonic() > end:
                break
    return best


def _size(values: Values) -> tuple[int, Values]:
    return len(values), values


def _smaller(values: Values) -> Iterator[Values]:
    """Lists with parts left out or 0, large parts first, and with smaller numbers."""
    width = len(values) // 2
    while width:
        for start in range(0, len(values), width):
            yield values[:start] + values[start + width :]
            yield values[:start] + [0] * len(values[start : start + width]) + values[start + width :]
        width //= 2
    for at, value in enumerate(values):
        for less in {value // 2, value - 1, *(value & ~(1 << bit) for bit in range(value.bit_length()) if value > 255)}:
            if 0 < less < value:
                yield [*values[:at], less, *values[at + 1 :]]
