"""Suppositions about values that hold for a while: in one way of a condition, or where nothing has failed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeAlias

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Var

# A value, and what was known of it: the arguments of `bind`.
State: TypeAlias = tuple[Var, Interval | None, bool]


class Supposed(AbstractContextManager["Supposed"]):
    """A block after which what is learned within is forgotten; a generator would take some times as long.

    Parameters
    ----------
    suppose : callable
        Lets what is learned be kept in a list, with what was known before; returns the list that it was kept in.
    bind : callable
        Says again what was known of a value.
    """

    __slots__ = ("_before", "_bind", "_outer", "_suppose")

    def __init__(
        self,
        suppose: Callable[[list[State] | None], list[State] | None],
        bind: Callable[[Var, tuple[Interval | None, bool]], None],
    ) -> None:
        self._suppose, self._bind = suppose, bind
        self._before: list[State] = []

    def __enter__(self) -> Supposed:
        self._outer = self._suppose(self._before)
        return self

    def is_all(self) -> None:
        """Keep what is learned in the rest of the block."""
        self._suppose(self._outer)

    def __exit__(self, *_: object) -> None:
        for var, interval, nonzero in reversed(self._before):
            self._bind(var, (interval, nonzero))
        self._suppose(self._outer)
