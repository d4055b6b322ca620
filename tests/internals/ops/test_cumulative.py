from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import cumulative
from tests.internals.ops.op_cases import Case
from tests.internals.ops.structural_cases import BOOL, DTYPES, check, check_in_loop, of, sample, with_specials

SUM, PROD = (cumulative.cumsum, np.add), (cumulative.cumprod, np.multiply)
EXTREMES = [(cumulative.cummin, np.minimum), (cumulative.cummax, np.maximum)]


def checks_of(ops, x, axes):
    return [
        of(op, x, axis=axis, expected=ufunc.accumulate(x, axis=axis, dtype=x.dtype))
        for op, ufunc in ops
        for axis in axes
    ]


def test_sums_are_numpy_to_the_bit(rng):
    checks = []
    for dtype in DTYPES[1:]:
        for n in (1, 2, 9, 27):
            checks += checks_of([SUM], sample(rng, dtype, n), [0])
        if dtype.kind in "fc":
            x = rng.random((6, 50)).astype(dtype) * 3
            checks += checks_of([SUM], with_specials(rng, x), [1])
    check(checks)


def test_products(rng):
    checks = [c for dtype in DTYPES[1:] for n in (3, 20) for c in checks_of([PROD], sample(rng, dtype, n), [0])]
    check([c for c in checks if c.expected.dtype.kind != "c"])
    check([c for c in checks if c.expected.dtype.kind == "c"], ulps=16, absolute=1e-6, zero_signs=False)


def test_extremes(rng):
    checks = []
    for dtype in DTYPES:
        checks += checks_of(EXTREMES, with_specials(rng, sample(rng, dtype, 3, 19)), [1])
    check(checks, zero_signs=False)


@pytest.mark.parametrize("shape", [(100_003,), (40, 1000), (1000, 40), (5, 40, 60)])
def test_large(rng, shape):
    x = rng.normal(size=shape)
    check(checks_of([SUM], x, range(len(shape))))


def test_first_element_is_itself():
    check(checks_of([SUM], np.full(12, -0.0), [0]))


def test_empty_arrays():
    check(checks_of([SUM, *EXTREMES], np.zeros((0, 3)), [0, 1]))


def test_in_loop(rng):
    x = rng.random((3, 20))
    check_in_loop([Case(op, (x,), {"axis": 1}) for op in (cumulative.cumsum, cumulative.cummax)])


@pytest.mark.parametrize(
    ("op", "shape", "dtype", "params"),
    [
        (cumulative.cumsum, (), float, {"axis": 0}),
        (cumulative.cumsum, (3,), float, {"axis": -1}),
        (cumulative.cumsum, (3,), float, {"axes": (0,)}),
        (cumulative.cumprod, (3,), BOOL, {"axis": 0}),
    ],
)
def test_misuse_is_refused(op, shape, dtype, params):
    with pytest.raises(TypeError, match=rf"^({op.name}: |_?\w+\.type\(\) )"):
        op.type(ArrayType(shape, np.dtype(dtype)), **params)
