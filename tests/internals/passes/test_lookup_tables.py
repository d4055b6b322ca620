"""Work on what is looked up in a table: it is done on the table where that is smaller."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.equivalence import check

RANDOM = np.random.default_rng(5)
IMAGE = RANDOM.integers(0, 16, (40, 50))
LEVELS = RANDOM.integers(-100, 100, 16)
ROWS = RANDOM.random((16, 3))


def divided(image, levels):
    return 255 * levels[image] // image.size


def functions(image, levels):
    return np.sqrt(np.exp(levels[image] / 50.0)), levels[image].astype(np.float32)


def of_run_time_numbers(image, levels, k):
    return np.where(levels[image] > k, k, levels[image] % (k + 1))


def of_rows(image, rows):
    return np.sin(rows[image]) + 1.0


def chained(image, levels):
    return levels[levels[image] % 16] * 2


def in_steps(image, levels, n):
    total = np.zeros(image.shape, np.int64)
    for i in range(n):
        levels[i] = i * 3
        total += levels[image] // 7
    return total


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (divided, (IMAGE, LEVELS)),
        (functions, (IMAGE, LEVELS)),
        (of_run_time_numbers, (IMAGE, LEVELS, 20)),
        (of_rows, (IMAGE, ROWS)),
        (chained, (IMAGE, LEVELS)),
        (in_steps, (IMAGE, LEVELS, 5)),
        (divided, (IMAGE - 16, LEVELS)),
        (divided, (IMAGE + 1, LEVELS)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("native", [True, False], ids=["native", "xla"])
def test_as_numpy(function, args, native):
    with configure(native_loops=native):
        check(function, *args)


def work(function, *args):
    """The shapes of what is divided, and of what functions are computed of."""
    program = jit(function).lower(*args).program
    names = ("floor_divide", "exp", "sqrt", "sin")
    return [e.outputs[0].type.shape for e in program.equations if e.op.name in names]


def test_the_work_is_done_on_the_table():
    assert work(divided, IMAGE, LEVELS) == [(16,)]
    assert work(of_rows, IMAGE, ROWS) == [(16, 3)]
    assert work(functions, IMAGE, LEVELS) == [IMAGE.shape] * 2  # another array is made of what is looked up


def test_larger_tables_stay():
    assert work(divided, IMAGE, np.arange(5000)) == [IMAGE.shape]
