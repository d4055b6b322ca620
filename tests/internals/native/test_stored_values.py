"""Arrays that several loops read, and small ones that are read often, are computed once."""

from __future__ import annotations

import numpy as np

from anabranch import jit
from tests.equivalence import check

RNG = np.random.default_rng(4)


def thrice(x):
    y = np.sqrt(np.abs(x * 3 - 1) + 2) * x + (x - 1) * (x + 3) - x / (x * x + 7) + (x - 5) * (x + 2)
    return y.sum(), y.argmin(), y.max(), np.minimum(y, 1.0)


def looked_up(x, k):
    table = (np.arange(x.shape[0]) * 7 + x) // 3
    return table[k] + (table % 5)[k]


def test_a_value_that_several_loops_read_is_computed_once():
    x = RNG.standard_normal(500)
    check(thrice, x)
    llvm = jit(thrice).lower(x).native_program().llvm
    assert llvm.count("call double @llvm.sqrt.f64") == 1


def test_the_elements_of_a_table_are_computed_before_they_are_looked_up():
    x, k = RNG.integers(0, 100, 40), RNG.integers(-40, 40, 900)
    check(looked_up, x, k)
    llvm = jit(looked_up).lower(x, k).native_program().llvm
    assert "sdiv" not in llvm[llvm.rindex(", 900\n") :]
