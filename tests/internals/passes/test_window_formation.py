"""Masks that compare positions with a scalar become windows; the masks of valid regions are windows at once."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.ir.verify import check
from anabranch.runtime.passes.dce import eliminate_dead_code
from anabranch.runtime.passes.window_formation import form_windows
from tests.equations import I, every_equation, one, ops
from tests.equivalence import check as equal

COMPARISONS = ("less", "less_equal", "greater", "greater_equal")
LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def compared(name, mirrored, shape=(9,), axis=0, dtype=np.int64):
    """The Program of a comparison of positions with a scalar."""
    bound = Var(ArrayType((), np.dtype(dtype)))
    places, places_made = one("iota", shape=shape, dtype=np.dtype(dtype), axis=axis)
    line, line_made = one("broadcast_in_dim", bound, shape=shape, dims=())
    mask, mask_made = one(name, *((line, places) if mirrored else (places, line)))
    return Program((bound,), (places_made, line_made, mask_made), (mask,))


@pytest.mark.parametrize(("shape", "axis"), [((9,), 0), ((2, 9), 1)])
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_of_positions_become_windows(name, mirrored, shape, axis):
    program = compared(name, mirrored, shape, axis)
    formed = eliminate_dead_code(form_windows(program))
    check(formed)
    assert set(ops(formed)) <= {"window", "minimum", "add"}
    for bound in (LEAST, -1, 0, 4, 8, 9, MOST):
        args = (np.int64(bound),)
        np.testing.assert_array_equal(evaluate(formed, *args)[0], evaluate(program, *args)[0])


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint64])
def test_positions_of_other_dtypes_stay(dtype):
    program = compared("less", False, dtype=dtype)
    assert form_windows(program) is program


def test_what_is_no_position_or_no_scalar_stays():
    x, y = (Var(ArrayType((9,), np.dtype(np.int64))) for _ in range(2))
    places, made = one("iota", shape=(9,), dtype=np.dtype(np.int64), axis=0)
    masks = [one("less", x, y), one("less", places, y), one("equal", places, y)]
    program = Program((x, y, Var(I)), (made, *(e for _, e in masks)), tuple(m for m, _ in masks))
    assert form_windows(program) is program


def part(a, n, m):
    b = a[:n, m:]
    b[1:] += 1.0
    return b.sum(), b.max(axis=0), np.cumsum(b, axis=1)


def test_valid_regions_are_windows():
    a = np.arange(63.0).reshape(7, 9)
    for n, m in ((3, 2), (7, 0), (1, 8), (5, -4)):
        equal(part, a, np.int64(n), np.int64(m))
    program = jit(part).trace(a, np.int64(3), np.int64(2)).program
    assert "iota" not in ops(program)
    windows = [e for e in every_equation(program) if e.op.name == "window"]
    assert {(e.params["shape"], e.params["axis"]) for e in windows} >= {((7, 9), 0), ((7, 9), 1)}
