"""Products and transforms that no step of a loop waits for, computed for all steps at once."""

from __future__ import annotations

import numpy as np
import pytest

import anabranch
from anabranch import jit
from tests.equations import every_equation
from tests.equivalence import check

# Whole numbers, so that sums are exact in any order.
X = (np.arange(9.0 * 6) % 7 - 3).reshape(9, 6)
W = (np.arange(6.0 * 5) % 5 - 2).reshape(6, 5)
V = np.arange(6.0) - 2
LONG = np.arange(60.0) % 11


def rows_times_matrix(x, w):
    out = np.zeros((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        out[i] = np.maximum(x[i] @ w + 1.0, 0.0) * 2.0
    return out


def matrix_times_rows(x, w):
    out = np.zeros((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        out[i] = w.T @ x[i]
    return out


def columns(x, w):
    out = np.zeros((w.shape[0], x.shape[0]))
    for i in range(x.shape[0]):
        out[:, i] = w @ w.T @ x.T[:, i]
    return out


def every_second_row(x, w):
    out = np.zeros((4, w.shape[1]))
    for i in range(4):
        out[i] = x[2 * i + 1] @ w
    return out


def later_rows(x, w):
    out = np.ones((x.shape[0] + 2, w.shape[1]))
    for i in range(1, x.shape[0]):
        out[i + 1] = x[i - 1] @ w
    return out


def rows_with_each_other(x, w):
    out = np.zeros((x.shape[0], x.shape[0]))
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            out[i, j] = x[i] @ x[j]
    return out


def row_sums(x, w):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y = x[i] @ w
        out[i] = y.sum() + y.max()
    return out


def several_rows_a_step(x, w):
    out = np.zeros((6, 4, w.shape[1]))
    for i in range(6):
        out[i] = x[i : i + 4] @ w
    return out


def blocks_of_columns(x, w):
    out = np.zeros((5, 9, 2))
    for i in range(5):
        out[i] = x[:, i : i + 2] @ w[:2, :2]
    return out


WHOLE = [
    rows_times_matrix,
    matrix_times_rows,
    columns,
    every_second_row,
    later_rows,
    rows_with_each_other,
    row_sums,
    several_rows_a_step,
]


def recurrent(x, w):
    """A part of each step waits for the step before."""
    hidden = np.zeros(w.shape[1])
    for i in range(x.shape[0]):
        hidden = np.maximum(x[i] @ w - hidden, 0.0)
    return hidden


def totals(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        total = total * 0.5 + (x[i] @ w).sum()
    return total


def two_writes(x, w):
    out = np.zeros((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        out[i] = x[i] @ w
        out[i, 0] = i
    return out


def read_again(x, w):
    out = np.ones((x.shape[0] + 1, w.shape[1]))
    for i in range(x.shape[0]):
        out[i + 1] = x[i] @ w + out[i]
    return out


def reversed_rows(x, w):
    out = np.zeros((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        out[x.shape[0] - 1 - i] = x[i] @ w
    return out


def written_over(x, w):
    """Each step reads what the one before has written."""
    for i in range(1, x.shape[0]):
        x[i, :5] = x[i - 1] @ w
    return x


def rows_with_rows(x, w):
    """Numbers are summed as well in the loop."""
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = x[i] @ x[x.shape[0] - 1 - i]
    return out


BOUND = [written_over, blocks_of_columns, rows_with_rows]
PART = [recurrent, totals, two_writes, read_again, reversed_rows]


def products_in_loops(function, *args):
    """How many products stand in loops, and how many loops there are."""
    program = jit(function).lower(*args).program
    loops = [e for e in every_equation(program) if e.op.name == "for"]
    inside = [e for loop in loops for body in loop.programs() for e in every_equation(body)]
    return sum(e.op.name in ("dot_general", "fft", "windowed_reduce") for e in inside), len(loops)


@pytest.mark.parametrize("function", [*WHOLE, *PART, *BOUND])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.complex128])
def test_results(function, dtype):
    if dtype is np.complex128 and function not in (rows_with_each_other, columns, two_writes):
        pytest.skip("has an order")
    with np.errstate(all="ignore"):
        check(function, X.astype(dtype), W.astype(dtype))
        with anabranch.configure(disable_passes=("loop_batching",)):
            check(function, X.astype(dtype), W.astype(dtype))


@pytest.mark.needs_pass("loop_batching")
@pytest.mark.parametrize("function", WHOLE)
def test_no_loop_is_left(function):
    assert products_in_loops(function, X, W) == (0, 0)


@pytest.mark.needs_pass("loop_batching")
@pytest.mark.parametrize("function", PART)
def test_no_product_is_left_in_the_loop(function):
    assert products_in_loops(function, X, W) == (0, 1)


@pytest.mark.parametrize("function", BOUND)
def test_what_waits_for_the_step_before_and_other_blocks_stay(function):
    assert products_in_loops(function, X, W) == (1, 1)


def spectra(x, window, step):
    n = window.shape[0]
    count = (x.shape[0] - n) // step + 1
    power = np.zeros((count, n // 2 + 1))
    for i in range(count):
        spectrum = np.fft.rfft(x[i * step : i * step + n] * window)
        power[i] = spectrum.real**2 + spectrum.imag**2
    return power


@pytest.mark.parametrize("step", [1, 3, 8, 10])
def test_transforms_of_windows(step):
    check(spectra, LONG, np.hanning(8), step)
    assert products_in_loops(spectra, LONG, np.hanning(8), step) == (0, 0)


def first_that_fits(x, w):
    """Not all steps run."""
    for i in range(x.shape[0]):
        y = x[i] @ w
        if y.sum() > 3:
            return y
    return w[0]


def as_many_as(x, w, n):
    out = np.zeros((x.shape[0], w.shape[1]))
    for i in range(n):
        out[i] = x[i] @ w
    return out


def test_loops_of_any_number_of_steps():
    check(first_that_fits, X, W)
    for n in (0, 1, 5, 9):
        check(as_many_as, X, W, n)
    with pytest.raises(IndexError):
        jit(as_many_as)(X, W, 10)


def checked_rows(x, w, at):
    out = np.zeros((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        out[at[i]] = x[i] @ w
    return out


def test_places_of_the_data():
    at = np.array([3, 1, 0, 2, 5, 4, 8, 6, 3])
    check(checked_rows, X, W, at)
    check(checked_rows, X, W, at - 9)
    check(checked_rows, X, W, at + 7)


def test_arrays_that_would_take_too_much_memory_stay_in_the_loop():
    def wide(x, w):
        total = np.zeros(w.shape[1])
        for i in range(x.shape[0]):
            total += x[i] @ w
        return total

    x, w = np.ones((4000, 2)), np.ones((2, 2000))
    assert products_in_loops(wide, x, w) == (1, 1)


def test_writes_to_what_is_read():
    def shifted(x, w):
        y = x
        for i in range(x.shape[0] - 1):
            y[i, :5] = x[i + 1] @ w
        return y

    check(shifted, X, W)
