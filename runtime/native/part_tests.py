"""Conditions that positions lie in a part of an array, as bools in registers; those that are known are none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.native.affine import Affine, Positions, Region, Span
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_array import Update
from anabranch.runtime.native.scalar_ops import compare

_INT64 = np.dtype(np.int64)


class PartTests:
    """The conditions of one nest."""

    def __init__(self, code: Instructions, positions: Positions) -> None:
        self._code, self._positions = code, positions

    def value_at(self, update: Update, index: Sequence[Affine]) -> tuple[str, list[Affine]]:
        """The bool that a position is in the part, and the position of the value there."""
        tests, shape = [], update.value.type.shape
        at = [Affine(0)] * len(shape)
        for axis, position in zip(update.axes, index, strict=True):
            away = position - axis.start
            if axis.of is None:
                tests.append(self._is_zero(away))
                continue
            if axis.stride < 0:
                away = away.times(-1)
            if abs(axis.stride) != 1:
                away, exact = self._divided(away, abs(axis.stride))
                tests.append(exact)
            at[axis.of] = away
        everything = {axis: Span((Affine(0),), (Affine(n),)) for axis, n in enumerate(shape)}
        tests.append(self.inside(everything, at))
        tests.append(self.inside(update.region, at))
        inside = self.all_of(tests)
        return inside, [
            self._positions.within(i, n) for i, n in zip(at, shape, strict=True)
        ] if inside != "false" else at

    def inside(self, region: Region, index: Sequence[Affine]) -> str:
        """The bool that a position is in a region."""
        tests = []
        for axis, span in region.items():
            tests += [self._is_positive((index[axis] - low).shifted(1)) for low in span.lows]
            tests += [self._is_positive(high - index[axis]) for high in span.highs]
            if span.step is not None:
                away = self._positions.value(index[axis] - span.lows[0])
                left = self._code.add("srem", "i64", away, self._positions.value(span.step))
                tests.append(self._code.add("icmp eq", "i64", left, "0"))
        return self.all_of(tests)

    def _divided(self, away: Affine, stride: int) -> tuple[Affine, str]:
        if not away.terms:
            return Affine(away.constant // stride), "false" if away.constant % stride else "true"
        if all(factor % stride == 0 for _, factor in away.terms):
            exact = "false" if away.constant % stride else "true"
            terms = tuple((name, factor // stride) for name, factor in away.terms)
            return Affine(away.constant // stride, terms), exact
        name = self._positions.value(away)
        quotient = self._code.add("sdiv", "i64", name, str(stride))
        left = self._code.add("srem", "i64", name, str(stride))
        return self._positions.of(quotient), self._code.add("icmp eq", "i64", left, "0")

    def _is_zero(self, index: Affine) -> str:
        if not index.terms:
            return "false" if index.constant else "true"
        return compare(self._code, self._positions.value(index), "0", "EQ", _INT64)

    def _is_positive(self, index: Affine) -> str:
        if self._positions.is_at_least(index, 1):
            return "true"
        if self._positions.is_below(index, 1):
            return "false"
        return compare(self._code, self._positions.value(index), "0", "GT", _INT64)

    def all_of(self, tests: Sequence[str]) -> str:
        """The bool that all of these hold."""
        left = list(dict.fromkeys(test for test in tests if test != "true"))
        if "false" in left:
            return "false"
        found = left[0] if left else "true"
        for test in left[1:]:
            found = self._code.add("and", "i1", found, test)
        return found
