"""Which loops become native ones: those that XLA compiles in due time and that touch little memory."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ops.cost import fits_native_loop
from tests.equations import one

ROW = ArrayType((4,), np.dtype(np.float64))


def mirrored(steps: int) -> Program:
    """`x = x + x[::-1]`, so many times."""
    start = current = Var(ROW)
    equations = []
    for _ in range(steps):
        turned, reverse = one("reverse", current, axes=(0,))
        current, add = one("add", current, turned)
        equations += [reverse, add]
    return Program((start,), tuple(equations), (current,), "body")


def turned_apart(count: int) -> Program:
    """The sum of so many arrays that are reversed on their own."""
    arrays = [Var(ROW) for _ in range(count)]
    turned = [one("reverse", array, axes=(0,)) for array in arrays]
    equations = [equation for _, equation in turned]
    total = turned[0][0]
    for other, _ in turned[1:]:
        total, add = one("add", total, other)
        equations.append(add)
    return Program(tuple(arrays), tuple(equations), (total,), "body")


@pytest.mark.parametrize(("program", "fits"), [(mirrored(3), True), (mirrored(30), False), (turned_apart(30), True)])
def test_a_body_whose_code_would_double_again_and_again_is_not_native(program: Program, fits: bool) -> None:
    assert fits_native_loop(program) is fits


def test_a_loop_that_reverses_many_times_compiles() -> None:
    def f(x, n):
        for _ in range(n):
            for _ in (1, 2, 3, 4, 5):
                x = np.where(x > 1, x[::-1], x)
                x = np.minimum(x[::-1] * 2, x)
                x = np.where(x > 2, x[::-1], x)
                x = np.minimum(x[::-1] * 3, x)
                x = np.where(x > 3, x[::-1], x)
        return x

    x = np.arange(4.0)
    np.testing.assert_array_equal(jit(f, auto_static=False)(x, 3), f(x, 3))
