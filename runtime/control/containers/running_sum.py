"""The running sum of Python's `sum`, which since Python 3.12 rounds floats once: as CPython's `builtin_sum_impl`."""

from __future__ import annotations

import math
import sys
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.branches import select_value
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.union import UnionValue

_IS_COMPENSATED = sys.version_info >= (3, 12)


@frozen
class RunningSum:
    """A sum of some summands, and what floats among them have lost by rounding."""

    total: Any
    lost: Any = 0.0

    def plus(self, item: Value) -> RunningSum:
        """The sum with one more summand."""
        if not _IS_COMPENSATED:
            return RunningSum(self.total + item)
        if isinstance(self.total, UnionValue):
            return RunningSum(*self.total.each(lambda total: _parts(RunningSum(total, self.lost).plus(item))))
        if isinstance(item, UnionValue):
            return RunningSum(*item.each(lambda option: _parts(self.plus(option))))
        if not _is(self.total, float):
            return RunningSum(self.total + item)
        if _is(item, float):
            total = self.total + item
            larger = truth(abs(self.total) >= abs(item))
            lost = _chosen(larger, (self.total - total) + item, (item - total) + self.total)
            return RunningSum(total, self.lost + lost)
        if _is(item, int, bool):
            return RunningSum(self.total + item, self.lost)
        return RunningSum(self.value() + item)

    def value(self) -> Value:
        """The sum."""
        if isinstance(self.total, UnionValue):
            return self.total.each(lambda total: RunningSum(total, self.lost).value())
        if not _is(self.total, float) or (type(self.lost) is float and self.lost == 0):
            return self.total
        # What is lost of a sum that overflows is no number; and a zero keeps its sign.
        counts = truth((self.lost != 0) & (abs(self.lost) < math.inf))
        return _chosen(counts, self.total + self.lost, self.total)


def _parts(running: RunningSum) -> tuple[Value, Value]:
    return running.total, running.lost


def _is(value: object, *classes: type) -> bool:
    """Return whether a value is a Python number of one of these very classes, known or not."""
    return (value.python if isinstance(value, PythonScalar) else type(value)) in classes


def _chosen(pred: Value, on_true: Value, on_false: Value) -> Value:
    if isinstance(pred, bool):
        return on_true if pred else on_false
    return select_value.choose(pred, on_true, on_false, FULL, "sum()")
