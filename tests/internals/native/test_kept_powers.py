"""Powers of one number to whole numbers, in nested loops, are the C library's, which is asked for each of them once."""

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check


def tree(spot, strike, up, rate, steps):
    down = 1.0 / up
    p = (1.0 + rate - down) / (up - down)
    values = np.zeros(steps + 1)
    for i in range(steps + 1):
        values[i] = max(strike - spot * up ** (2.0 * i - steps), 0.0)
    for level in range(steps - 1, -1, -1):
        for i in range(level + 1):
            held = (p * values[i + 1] + (1.0 - p) * values[i]) / (1.0 + rate)
            values[i] = max(held, strike - spot * up**i * down ** (level - i))
    return values


def far_apart(x, m, n, step):
    total = np.zeros(n)
    for i in range(m):
        for j in range(n):
            total[j] += x ** (step * j - i)
    return total


def of_changing_numbers(a, n):
    total = 0.0
    for i in range(len(a)):
        x = a[i]
        for j in range(n):
            total += x**j
    return total


def of_float32(x, n):
    out = np.zeros(n, np.float32)
    for i in range(n):
        for j in range(n):
            out[j] += x**j
    return out


def many_numbers(a, b, c, d, e, n):
    out = np.zeros(n)
    for i in range(n):
        for j in range(n):
            out[j] += a**j - b**i + c ** (i - j) - d ** (i + j) + e ** (2 * j)
    return out


def test_trees() -> None:
    compiled = jit(tree)
    for up, steps in ((1.01, 40), (1.5, 7), (0.9, 20), (1.01, 0)):
        args = (100.0, 105.0, up, 0.001, steps)
        np.testing.assert_array_equal(compiled(*args), tree(*args))
    check(tree, 100.0, 105.0, -1.5, 0.001, 9)


@pytest.mark.parametrize("x", [1.5, -1.5, 0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e200, 5e-324])
def test_numbers(x) -> None:
    for number in (x, np.float64(x)):
        check(far_apart, number, 3, 4, 1)
        check(far_apart, number, 3, 4, 1024)
        check(far_apart, number, 2, 3, 2**53)


def test_others() -> None:
    check(of_changing_numbers, np.array([1.5, -2.0, 0.0, 3.25]), 6)
    check(of_float32, np.float32(1.1), 5)
    check(many_numbers, 1.1, 0.9, 1.2, 1.3, -0.7, 9)


def test_what_is_kept() -> None:
    def count(function, *args):
        return jit(function).lower(*args).native_program().llvm.count("call double @kept_power(")

    assert count(tree, 100.0, 105.0, 1.01, 0.001, 9) == 2
    assert count(of_changing_numbers, np.ones(4), 6) == 0
    assert count(many_numbers, 1.1, 0.9, 1.2, 1.3, -0.7, 9) == 4
