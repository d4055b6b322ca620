from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interpret import evaluate
from anabranch.runtime.ir.program import Program
from anabranch.runtime.lower import lower
from anabranch.runtime.ops.vector_lanes import window
from anabranch.runtime.xla.compiler import compile_text
from tests.equations import F, I, every_equation, literal, one, ops
from tests.equivalence import check as equal
from tests.internals.ops.structural_cases import check, of

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
BOUNDS = [(0, 7), (2, 5), (5, 2), (-3, 4), (3, 99), (LEAST, MOST), (MOST, LEAST), (0, 0), (7, 7)]


def inside(low, high, shape, axis):
    positions = np.indices(shape)[axis]
    return (low <= positions) & (positions < high)


@pytest.mark.parametrize(("shape", "axis"), [((7,), 0), ((7, 3), 0), ((3, 7), 1), ((0,), 0), ((2, 0), 0)])
def test_positions_between_the_bounds(shape, axis):
    check(
        [
            of(window, np.array(low), np.array(high), shape=shape, axis=axis, expected=inside(low, high, shape, axis))
            for low, high in BOUNDS
        ]
    )


@pytest.mark.parametrize(("low", "high", "step"), [(0, 7, 2), (2, 6, 3), (1, 99, 1), (3, 3, 2), (0, 7, 50)])
def test_every_few_positions(low, high, step):
    expected = inside(low, high, (7, 2), 0) & ((np.indices((7, 2))[0] - low) % step == 0)
    bounds = map(np.array, (low, high, step))
    check([of(window, *bounds, shape=(7, 2), axis=0, expected=expected)])


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_constant_bounds(low, high):
    out, made = one("window", literal(np.int64(low)), literal(np.int64(high)), shape=(7,), axis=0)
    program = Program((), (made,), (out,))
    wanted = inside(low, high, (7,), 0)
    text = lower(program)
    assert text.count("stablehlo.compare") == (low > 0) + (high < 7)
    for found in (evaluate(program), compile_text(text)([])):
        np.testing.assert_array_equal(found[0], wanted)


@pytest.mark.parametrize(
    ("inputs", "params"),
    [
        ([I], {"shape": (3,), "axis": 0}),
        ([I, F], {"shape": (3,), "axis": 0}),
        ([I, ArrayType((3,), np.dtype(np.int64))], {"shape": (3,), "axis": 0}),
        ([I, I], {"shape": (3,), "axis": 1}),
        ([I, I], {"shape": (), "axis": 0}),
        ([I, I], {"shape": (3,)}),
    ],
)
def test_misuse_is_refused(inputs, params):
    with pytest.raises(TypeError):
        window.type(*inputs, **params)


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
