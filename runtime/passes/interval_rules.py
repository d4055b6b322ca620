"""The interval of an op's result, from those of its inputs: exact arithmetic, or all of the dtype where that may wrap.

An array's interval holds each of its elements; a bool is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.interval import Interval, exactly
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.ops.elementwise.overflow import Overflow
from anabranch.runtime.ops.table import OPS

# Of the equation and its inputs' intervals; None where nothing is known.
IntervalRule: TypeAlias = Callable[[Equation, Sequence[Interval]], Interval | None]

TRUTH, NO, YES = Interval(0, 1), exactly(0), exactly(1)
_BITS = 63


def of_dtype(dtype: np.dtype) -> Interval | None:
    """Every value of a dtype; None where these are no integers."""
    return _OF_CODE.get(dtype.char)


_OF_CODE = {"?": TRUTH} | {
    code: Interval(int(np.iinfo(code).min), int(np.iinfo(code).max)) for code in np.typecodes["AllInteger"]
}


def meet(a: Interval, b: Interval) -> Interval | None:
    """The integers in both intervals; None where there are none."""
    low, high = max(a.low, b.low), min(a.high, b.high)
    return Interval(low, high) if low <= high else None


def within(a: Interval, b: Interval) -> bool:
    """Return whether an interval lies in another one."""
    return a.low >= b.low and a.high <= b.high


def hull(found: Sequence[Interval | None]) -> Interval | None:
    """All that one of the intervals holds; None where one is not known."""
    known = [one for one in found if one is not None]
    if len(known) < len(found) or not known:
        return None
    return Interval(min(one.low for one in known), max(one.high for one in known))


def _arithmetic(of: Callable[..., Interval]) -> IntervalRule:
    return lambda equation, inputs: of(*inputs)


def _known(holds: bool, fails: bool) -> Interval:
    return YES if holds else NO if fails else TRUTH


def _less(a: Interval, b: Interval) -> Interval:
    return _known(a.high < b.low, a.low >= b.high)


def _less_equal(a: Interval, b: Interval) -> Interval:
    return _known(a.high <= b.low, a.low > b.high)


def _equal(a: Interval, b: Interval) -> Interval:
    return _known(a.low == a.high == b.low == b.high, meet(a, b) is None)


def _not(a: Interval) -> Interval:
    return Interval(1 - a.high, 1 - a.low)


def _truth(a: Interval) -> Interval:
    return _known(meet(a, NO) is None, a == NO)


def _bitwise_and(a: Interval, b: Interval) -> Interval | None:
    if a.low < 0 and b.low < 0:
        return None
    return Interval(0, min(x.high for x in (a, b) if x.low >= 0))


def _bitwise_or(a: Interval, b: Interval) -> Interval | None:
    if min(a.low, b.low) < 0:
        return None
    return Interval(0, 2 ** max(a.high, b.high).bit_length() - 1)


def _absolute(a: Interval) -> Interval:
    return Interval(max(a.low, -a.high, 0), max(abs(a.low), abs(a.high)))


def _floor_divide(a: Interval, b: Interval) -> Interval:
    # A divisor of zero makes 0.
    return Interval(0, a.high) if a.low >= 0 and b.low == 0 else a // b


def _remainder(a: Interval, b: Interval) -> Interval:
    if b.low < 0:
        return a % b
    # A divisor of zero makes 0.
    rest = a % b if b.low > 0 else Interval(0, max(b.high - 1, 0))
    return Interval(0, min(rest.high, a.high)) if a.low >= 0 else rest


def _right_shift(a: Interval, b: Interval) -> Interval:
    if b.low < 0:
        return Interval(min(a.low, -1), max(a.high, 0))
    ends = [n >> min(k, _BITS) for n in (a.low, a.high) for k in (b.low, b.high)]
    return Interval(min(ends), max(ends))


def _left_shift(a: Interval, b: Interval) -> Interval | None:
    return a * Interval(1 << b.low, 1 << b.high) if b.low >= 0 and b.high < _BITS else None


def _select(equation: Equation, inputs: Sequence[Interval]) -> Interval:
    pred, a, b = inputs
    return a if pred == YES else b if pred == NO else a | b


def _first(equation: Equation, inputs: Sequence[Interval]) -> Interval:
    """Of elements of the first input."""
    return inputs[0]


def _of_some(equation: Equation, inputs: Sequence[Interval]) -> Interval | None:
    """Of one or more elements of the first input; None where there may be none."""
    return inputs[0] if equation.inputs[0].type.size else None


def _truth_of_some(equation: Equation, inputs: Sequence[Interval]) -> Interval | None:
    """Of whether one or more elements of the first input are not zero; None where there may be none."""
    return _truth(inputs[0]) if equation.inputs[0].type.size else None


def _hull_of_arrays(equation: Equation, inputs: Sequence[Interval]) -> Interval:
    """Of elements of the first two inputs: those after them are places."""
    return inputs[0] | inputs[1]


def _place(equation: Equation, inputs: Sequence[Interval]) -> Interval:
    """Of positions on an axis of the input, whatever its elements are."""
    type = equation.inputs[0].type
    return Interval(0, max(type.shape[equation.params.get("axis", 0)] - 1, 0))


def _rank(equation: Equation, inputs: Sequence[Interval]) -> Interval:
    """Of numbers of elements of the first input, whatever these are."""
    return Interval(0, equation.inputs[0].type.size)


def _iota(equation: Equation, inputs: Sequence[Interval]) -> Interval:
    return Interval(0, max(equation.outputs[0].type.size - 1, 0))


def _overflow(equation: Equation, inputs: Sequence[Interval]) -> Interval:
    assert isinstance(equation.op, Overflow)
    exact: Interval = equation.op.exact(*inputs)
    return NO if exact.fits else TRUTH


_RULES: dict[str, IntervalRule] = {
    "add": _arithmetic(lambda a, b: a + b),
    "subtract": _arithmetic(lambda a, b: a - b),
    "multiply": _arithmetic(lambda a, b: a * b),
    "square": _arithmetic(lambda a: _absolute(a) * _absolute(a)),
    "negative": _arithmetic(lambda a: NO - a),
    "positive": _first,
    "absolute": _arithmetic(_absolute),
    "sign": _arithmetic(lambda a: Interval(max(min(a.low, 1), -1), max(min(a.high, 1), -1))),
    "floor_divide": _arithmetic(_floor_divide),
    "remainder": _arithmetic(_remainder),
    "minimum": _arithmetic(Interval.min),
    "maximum": _arithmetic(Interval.max),
    "invert": _arithmetic(lambda a: exactly(-1) - a),
    "right_shift": _arithmetic(_right_shift),
    "less": _arithmetic(_less),
    "less_equal": _arithmetic(_less_equal),
    "greater": _arithmetic(lambda a, b: _less(b, a)),
    "greater_equal": _arithmetic(lambda a, b: _less_equal(b, a)),
    "equal": _arithmetic(_equal),
    "not_equal": _arithmetic(lambda a, b: _not(_equal(a, b))),
    "logical_not": _arithmetic(lambda a: _not(_truth(a))),
    "logical_and": _arithmetic(lambda a, b: _truth(a).min(_truth(b))),
    "logical_or": _arithmetic(lambda a, b: _truth(a).max(_truth(b))),
    "bitwise_and": lambda equation, inputs: _bitwise_and(*inputs),
    "bitwise_or": lambda equation, inputs: _bitwise_or(*inputs),
    "bitwise_xor": lambda equation, inputs: _bitwise_or(*inputs),
    "left_shift": lambda equation, inputs: _left_shift(*inputs),
    "select": _select,
    "convert": lambda equation, inputs: _truth(*inputs) if equation.params["dtype"] == np.bool_ else inputs[0],
    "iota": _iota,
    **dict.fromkeys(("argmax", "argmin", "argsort", "true_positions"), _place),
    "search_sorted": _rank,
    "concatenate": lambda equation, inputs: hull(inputs),
    "dynamic_update_slice": _hull_of_arrays,
    **dict.fromkeys(("reduce_max", "reduce_min", "gather", "lookup"), _of_some),
    **dict.fromkeys(("reduce_any", "reduce_all"), _truth_of_some),
    **dict.fromkeys(
        ("reshape", "transpose", "broadcast_in_dim", "reverse", "slice", "dynamic_slice", "materialize"), _first
    ),
    **dict.fromkeys(("add_overflows", "subtract_overflows", "multiply_overflows"), _overflow),
}
_BY_OP: dict[Op, IntervalRule] = {OPS[name]: rule for name, rule in _RULES.items()}


_OF_NUMBERS = frozenset(
    _RULES[name] for name in ("add", "subtract", "multiply", "square", "negative", "invert", "absolute", "sign")
)


def rule_of(equation: Equation) -> IntervalRule | None:
    """The rule for an equation with one output; None where nothing follows from intervals."""
    rule = _BY_OP.get(equation.op)
    if rule is None or equation.outputs[0].type.dtype.kind not in "biu":
        return None
    # Bools add and multiply otherwise.
    if equation.outputs[0].type.dtype.kind == "b" and rule in _OF_NUMBERS:
        return None
    return rule if rule in (_place, _rank) or all(a.type.dtype.kind in "biu" for a in equation.inputs) else None
