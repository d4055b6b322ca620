"""The results of the range analysis."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Var

# The intervals of an equation's operands, as far as they are known.
Known: TypeAlias = tuple[Interval | None, ...]


class Intervals(dict[Var, Interval]):
    """The intervals of values that are narrower than their dtypes."""

    def __init__(
        self, found: Mapping[Var, Interval] = MappingProxyType({}), operands: Mapping[Var, Known] = MappingProxyType({})
    ) -> None:
        super().__init__(found)
        # Those of the operands of shifts and divisions, by the results: as they are known where these are computed.
        # What a check refuses that comes later is not among it.
        self.operands = dict(operands)

    def __or__(self, other: Mapping[Var, Interval]) -> Intervals:  # type: ignore[override]
        both = Intervals({**self, **other}, self.operands)
        if isinstance(other, Intervals):
            both.operands |= other.operands
        return both
