"""The setting `zero_division_errors`: without it the quotients of Python's floats are those of NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import same


def quotients(x, y):
    return x / y, (x - 1) / y, -x / y, x // y, x % y, divmod(x, y), y**-1.5


def of_ints(n, m):
    return n / m, (n - 1) / m, (n * 10**17 + 1) / m, -n / m


@pytest.mark.parametrize("native", [True, False])
def test_quotients(native):
    compiled = jit(quotients, native_loops=native, zero_division_errors=False)
    with np.errstate(all="ignore"):
        for y in (0.0, 2.5):
            want = [float(v) for v in quotients(np.float64(1), np.float64(y)) if not isinstance(v, tuple)]
            pair = tuple(float(v) for v in divmod(np.float64(1), np.float64(y)))
            for _ in range(3):
                got = compiled(1.0, y)
                same((*want[:5], pair, want[5]), got)


def test_ints():
    compiled = jit(of_ints, zero_division_errors=False)
    for _ in range(3):
        same((np.inf, np.nan, np.inf, -np.inf), compiled(1, 0))
        same(of_ints(3, 7), compiled(3, 7))


def test_what_raises_in_any_case():
    for function in (lambda n, m: n // m, lambda n, m: n % m):
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                jit(function, zero_division_errors=False)(1, 0)
    with pytest.raises(ZeroDivisionError):
        jit(lambda z, y: z / y, zero_division_errors=False)(1j, 0.0)
    with pytest.raises(OverflowError):
        jit(lambda x, y: x**y, zero_division_errors=False)(1e200, 2.0)


def test_the_functions_that_it_holds_for():
    inner = jit(lambda x, y: x / y, zero_division_errors=False)
    strict = jit(lambda x, y: x / y, zero_division_errors=True)
    outer = jit(lambda x, y: (inner(x, y), x / (y + 1)))
    same((np.inf, 1.0), outer(1.0, 0.0))
    with pytest.raises(ZeroDivisionError):
        jit(lambda x, y: inner(x, y) + x / y)(1.0, 0.0)
    loose = jit(lambda x, y: x / y)
    with configure(zero_division_errors=False):
        assert loose(1.0, 0.0) == np.inf
        with pytest.raises(ZeroDivisionError):
            strict(1.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        loose(1.0, 0.0)
