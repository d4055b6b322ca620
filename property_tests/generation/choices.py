"""Where the choices of a program come from: Hypothesis, which can make them smaller, or a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
_EVEN = 1 << 16


class Choices(Protocol):
    """Gives numbers; 0 stands for what is simplest."""

    def below(self, end: int) -> int:
        """One of 0 ... end - 1."""


class Drawn:
    """Choices that Hypothesis makes."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw

    def below(self, end: int) -> int:
        """As `Choices.below`.

        Of a wide range Hypothesis draws small numbers by far the most often, so that such a number is drawn in parts.
        """
        if end > _EVEN:
            return min(self.below(-(-end // _EVEN)) * _EVEN + self.below(_EVEN), end - 1)
        return self._draw(st.integers(0, end - 1)) if end > 1 else 0


class Seeded:
    """Choices by a seed, the same ones each time: for what runs without Hypothesis."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, end: int) -> int:
        """As `Choices.below`."""
        return self._random.randrange(end)


def one(choices: Choices, options: Sequence[T]) -> T:
    """One of the options, of which the first is the simplest."""
    return options[choices.below(len(options))]
