"""Padding, deleting and inserting."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, FLOATS, INTS, SINGLE, VECTOR

case = Table()

for m in ("constant", "edge", "wrap", "reflect", "symmetric"):
    case(np.pad, FLOATS, Static(2), mode=m)
    case(np.pad, FLOATS, Static(((1, 0), (5, 6))), mode=m)
for m in ("reflect", "symmetric"):
    for widths in (2, ((1, 0), (5, 6)), ((0, 9), (3, 0))):
        case(np.pad, FLOATS, Static(widths), mode=m, reflect_type="odd")
    case(np.pad, INTS.astype("i1"), Static(7), mode=m, reflect_type="odd")
    case(np.pad, FLOATS[:1], Static(2), mode=m, reflect_type="odd")
case(np.pad, FLOATS, Static(1), constant_values=3)
case(np.pad, FLOATS, Static(1), constant_values=Static(((1, 2), (3, 4))))
case(np.pad, INTS, Static((1, 2)), constant_values=7)
case(np.pad, VECTOR, Static(-1))
case(np.pad, VECTOR, Static(1.5))
case(np.pad, VECTOR, Static({0: (1, 2)}))
case(np.delete, FLOATS, Static(1))
case(np.delete, FLOATS, Static([0, 2]), axis=0)
case(np.delete, FLOATS, Static(slice(None, None, 2)), axis=1)
case(np.delete, FLOATS, Static(9), axis=1)
case(np.delete, VECTOR, Static([0, -1]))
case(np.delete, np.arange(50), Static(slice(None, None, 2)))
case(np.insert, VECTOR, Static([0, 2, 2]), 7)
case(np.insert, np.arange(40), Static(range(40)), 7)
case(np.insert, VECTOR, Static(1), 9)
case(np.insert, VECTOR, Static(1), VECTOR)
case(np.insert, FLOATS, Static(1), VECTOR, axis=0)
case(np.insert, FLOATS, Static(1), FLOATS[:, 0], axis=1)
case(np.insert, FLOATS, Static([1, 3]), FLOATS[:, :2], axis=1)
case(np.insert, FLOATS, Static([0, 2]), 5, axis=1)
case(np.insert, FLOATS, Static([1]), FLOATS[:, :2], axis=1)
case(np.insert, VECTOR, Static([1]), VECTOR)
case(np.insert, FLOATS, Static(1), 9)
case(np.insert, INTS, Static(0), 2.7, axis=0)
case(np.apply_along_axis, Static(lambda x: x * 2), Static(0), FLOATS)
case(np.apply_over_axes, Static(np.sum), FLOATS, Static([0, 1]))
case(np.apply_over_axes, Static(lambda x, _: x.sum()), FLOATS, Static([0]))
for mode in ("maximum", "minimum", "mean", "median"):
    for X in (FLOATS, INTS, BYTES, VECTOR, SINGLE):
        case(np.pad, X, Static(2), mode=mode)
        case(np.pad, X, Static((1, 3)), mode=mode, stat_length=2)
        case(np.pad, X, Static((1, 3)), mode=mode, stat_length=(1, 2))
    case(np.pad, VECTOR, Static((1, 3)), mode=mode, stat_length=0)
for X in (FLOATS, INTS, BYTES, VECTOR, SINGLE):
    case(np.pad, X, Static((1, 3)), mode="linear_ramp")
    case(np.pad, X, Static((2, 0)), mode="linear_ramp", end_values=(1, 5))
case(np.pad, VECTOR, Static(1), mode="unheard of")


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


def test_function_with_conditions_over_axes() -> None:
    def largest_or_sum(x, axis):
        if x[0, 0] > 0:
            return x.max(axis)
        return x.sum(axis)

    def f(x):
        by_name = np.apply_over_axes(func=largest_or_sum, a=x, axes=[1])
        return np.apply_over_axes(largest_or_sum, x, (0, 1)) + by_name

    for x in (FLOATS, -np.abs(FLOATS), np.abs(FLOATS)):
        np.testing.assert_allclose(jit(f)(x), f(x))
