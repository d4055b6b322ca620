"""Functions of NumPy's that give texts of numbers and arrays."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedOperationError, jit
from tests.equivalence import check

VALUES = np.arange(4.0) / 3


def test_arrays():
    def f(x):
        return (
            np.array_str(x), np.array_repr(x), np.array2string(x, precision=2, separator=", ") + "!",
            np.array2string(x[x > 0.5]), f"{np.array_str(x[1:], precision=1)} of {len(x)}",
        )  # fmt: skip

    check(f, VALUES)
    check(f, np.arange(4))


def test_the_options_are_those_of_the_place():
    def f(x):
        with np.printoptions(precision=2):
            return np.array2string(x)

    check(f, VALUES)


def test_with_functions_of_the_users():
    def f(x, unit):
        return np.array2string(x, formatter={"float_kind": lambda v: f"{v * unit:.1f}"})

    check(f, VALUES, 100.0)


def test_floats():
    def f(x):
        found = []
        for v in x:
            found.append(np.format_float_positional(v, precision=2))
            found.append(np.format_float_scientific(v, exp_digits=3))
        return found

    check(f, VALUES)


@pytest.mark.parametrize("number", [0, 3, -3, 31, 32, -16, -17, np.int8(-3), np.uint64(2**63 + 1), 2.5, True, np.True_])
def test_bits(number):
    def plain(n):
        return np.binary_repr(n)

    def of_width(n):
        return np.binary_repr(n, width=5)

    def counted(n):
        return np.binary_repr(n).count("1")

    check(plain, number)
    check(of_width, number)
    if not isinstance(number, np.uint64):
        check(counted, number)


def test_digits_of_bits():
    def f(x):
        rows = np.zeros((len(x), 8), int)
        for i in range(len(x)):
            for k, c in enumerate(np.binary_repr(x[i], 8)):
                rows[i, k] = int(c)
        return rows

    check(f, np.array([5, 0, 255, -1]))
    check(f, np.array([5, 255], np.uint8))
    check(f, np.array([5, 256]))


@pytest.mark.parametrize("number", [0, 200, -255])
def test_bases(number):
    def f(n):
        return np.base_repr(n), np.base_repr(n, 16), np.base_repr(n, base=7), np.base_repr(n, 16, 3), np.base_repr(n, n)

    def of_no_base(n):
        return np.base_repr(n, 40)

    check(f, number)
    check(of_no_base, number)


def test_what_needs_the_characters_is_refused():
    with pytest.raises(ConcretizationError, match="plain str"):
        jit(lambda x: len(np.array_str(x)))(VALUES)


def test_without_calls_of_the_host():
    with pytest.raises(UnsupportedOperationError, match=r"numpy\.array2string .* host_calls forbids"):
        jit(lambda x: np.array2string(x, formatter={"all": str}), host_calls=False)(VALUES)
