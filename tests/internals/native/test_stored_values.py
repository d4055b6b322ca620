"""Arrays that several loops read, and small ones that are read often, are computed once."""

from __future__ import annotations

import numpy as np
import pytest

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


def around(p):
    rows, columns = p.shape[0] - 1, p.shape[1] - 1
    places = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    return sum(p[1 + i : rows + i, 1 + j : columns + j] for i, j in places)


def generations(cells):
    for _ in range(3):
        count = around(np.pad(cells.astype(np.int8), 1))
        cells = (count == 3) | (cells & (count == 2))
    return cells


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_padding_that_is_read_in_parts_is_written(dtype):
    x = (RNG.random((30, 41)) * 9).astype(dtype)
    check(lambda x: (around(np.pad(x, 1)), around(np.pad(x, ((0, 1), (2, 1)), constant_values=7))), x)


def test_a_choice_of_neighbours_or_padding_is_made_once_for_each_cell():
    cells = RNG.random((50, 60)) < 0.3
    check(generations, cells)

    def one(x):
        return around(np.pad(x, 1))

    llvm = jit(one).lower(cells.astype(np.int8)).native_program().llvm
    assert "select" not in llvm[: llvm.index("define ptr @call")]
