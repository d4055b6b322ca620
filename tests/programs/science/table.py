"""Programs as scientists write them: a plain function, its field, and makers of the arguments that it is run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Makers = tuple[Callable[[], tuple[Any, ...]], ...]

# A relative difference of 1e-12.
ULPS = 4500.0


@dataclass(frozen=True, slots=True)
class ScienceProgram:
    """One program; each of `makers` gives a fresh tuple of arguments."""

    function: Callable[..., Any]
    makers: Makers
    ulps: float
    wrong: str

    @property
    def name(self) -> str:
        """The field and the function, as in `graphs-dijkstra`."""
        return f"{self.function.__module__.rpartition('.')[2]}-{self.function.__name__}"


PROGRAMS: list[ScienceProgram] = []


def program(
    *makers: Callable[[], tuple[Any, ...]], ulps: float = ULPS, wrong: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a program to the table; `wrong` says what differs silently from plain Python today."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(ScienceProgram(function, makers, ulps, wrong))
        return function

    return add
