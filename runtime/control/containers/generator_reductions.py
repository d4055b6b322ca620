"""`sum`, `any`, `all`, `min`, `max`, `len` and `reduce` of what generators yield, without the items side by side."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.branches import select_value
from anabranch.runtime.control.branches.truth import truth, truth_value
from anabranch.runtime.control.containers import container_order
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.sequences import stacked_sequences
from anabranch.runtime.control.sequences.countable import AxisItems, Countable, Elements
from anabranch.runtime.control.undefined import defined
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.heap.generator_names import GeneratorNames
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue


def source(items: object) -> PushIterator | None:
    """The source that yields the items one after the other at run time; None where they are there side by side."""
    if isinstance(items, PushIterator):
        return items
    if isinstance(items, (RunTimeContainer, Text)):
        return GeneratorExpression(items)
    if is_dynamic_list(items):
        return GeneratorExpression(Elements(items))
    if (stacked := stacked_sequences.stacked(items)) is not None:
        return GeneratorExpression(stacked)
    if isinstance(items, DynamicArray):
        items = AxisItems(items)
    if isinstance(items, Countable) and not isinstance(items.length, int):
        return GeneratorExpression(items)
    return None


def total(items: PushIterator, start: object) -> Value:
    """`sum(items, start)`."""
    if isinstance(start, (str, bytes, bytearray)):
        return sum(items, start)
    split = items.first() if isinstance(items, GeneratorExpression) else None
    if split is not None:
        items = split[1]
    running = RunningSum(start) if split is None else RunningSum(start).plus(split[0])
    row = GeneratorNames((running.total, running.lost), ("the sum", "what it lost by rounding"))

    def add(item: object) -> None:
        added = RunningSum(*row).plus(item)
        row[:] = (added.total, added.lost)

    items.each(add)
    return RunningSum(*row).value()


def reduced(combine: Callable[[Any, Any], object], items: PushIterator, *initial: object) -> Value:
    """`functools.reduce(combine, items, *initial)`."""
    split = items.first() if not initial and isinstance(items, GeneratorExpression) else None
    if split is not None:
        initial, items = (split[0],), split[1]
    names = ("whether there is a value", "the value")
    row = GeneratorNames((True, *initial) if initial else (False, Undefined("value")), names)

    def combined(item: object) -> None:
        if initial:
            row[1] = combine(row[1], item)
        else:
            row[:] = (True, if_(row[0], lambda: combine(defined(row[1]), item), lambda: item))

    items.each(combined)
    return row[1] if initial else if_(row[0], lambda: defined(row[1]), lambda: functools.reduce(combine, ()))


def count(items: PushIterator) -> Value:
    """`len` of the list of the items."""
    row = GeneratorNames((0,), ("the length",))

    def counted(_: object) -> None:
        row[0] = row[0] + 1

    items.each(counted)
    return row[0]


def quantified(items: PushIterator, until: bool) -> Value:
    """Return whether the truth of some item is `until` (for `any`), or of none is (for `all`)."""
    whole = isinstance(items, GeneratorExpression) and items.whole
    row = GeneratorNames((not until,), ("the answer",))

    def consume(item: object) -> Value:
        if whole:
            row[0] = if_(row[0] == until, lambda: row[0], lambda: truth_value(item))
            return False
        row[0] = truth_value(item)
        return row[0] if until else row[0] == until

    items.for_each(consume, may_stop=not whole)
    return row[0]


def contains(items: PushIterator, value: object) -> Value:
    """`value in items`: whether one of the items is equal to it; later ones are not asked for."""
    row = GeneratorNames((False,), ("the answer",))

    def consume(item: object) -> Value:
        row[0] = truth_value(container_order.equal(item, value))
        return row[0]

    items.for_each(consume, may_stop=True)
    return row[0]


def extreme(function: Callable[..., object], items: PushIterator, options: dict[str, Value]) -> Value:
    """`min` or `max`: the first that no other one is less, or greater, than."""
    better = operator.lt if function is min else operator.gt
    key = options.get("key")
    split = items.first() if isinstance(items, GeneratorExpression) else None
    names = ("whether there is an item", f"the {function.__name__}", "its key")

    def keyed(item: object) -> Value:
        return item if key is None else key(item)

    if split is not None:
        row = GeneratorNames((True, split[0], keyed(split[0])), names)
        items = split[1]
    else:
        row = GeneratorNames((False, Undefined("best"), Undefined("key")), names)

    def step(item: object) -> None:
        rank = keyed(item)

        def compare() -> tuple[Value, ...]:
            best, old = defined(row[1]), defined(row[2])
            return if_(container_order.compared(better, rank, old), lambda: (item, rank), lambda: (best, old))  # type: ignore[no-any-return]

        best, rank = if_(row[0], compare, lambda: (item, rank))
        row[:] = (True, best, rank)

    items.each(step)
    return _found(function, row, options)


def first(items: PushIterator, *default: object) -> Value:
    """`next(items, *default)` of what nobody asks again."""
    row = GeneratorNames((False, Undefined("first")), ("whether there is an item", "the item"))

    def consume(item: object) -> bool:
        row[:] = (True, item)
        return True

    items.for_each(consume, may_stop=True)
    return if_(row[0], lambda: defined(row[1]), lambda: next(iter(()), *default))


def _found(function: Callable[..., object], row: GeneratorNames, options: dict[str, Value]) -> Value:
    """The best item, or what Python returns where there is none."""

    def empty() -> Value:
        return function((), **{k: v for k, v in options.items() if k == "default"})

    return if_(row[0], lambda: defined(row[1]), empty)


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
