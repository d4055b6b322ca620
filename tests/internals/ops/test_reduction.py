from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import reduction
from tests.internals.ops.op_cases import Case
from tests.internals.ops.structural_cases import BOOL, DTYPES, INEXACT, check, check_in_loop, of, sample, with_specials

AXES = [(0,), (1,), (0, 2), (0, 1, 2), ()]
EXTREMES = [(reduction.reduce_min, np.min), (reduction.reduce_max, np.max)]
POSITIONS = [(reduction.argmin, np.argmin), (reduction.argmax, np.argmax)]


def test_sum_and_prod(rng):
    exact, close = [], []
    for dtype in DTYPES[1:]:
        x = sample(rng, dtype, 3, 5, 2)
        for axes in AXES:
            for op, f in ((reduction.reduce_sum, np.sum), (reduction.reduce_prod, np.prod)):
                item = of(op, x, axes=axes, expected=f(x, axis=axes, dtype=dtype))
                (close if dtype in INEXACT else exact).append(item)
    check(exact)
    check(close, ulps=8, absolute=1e-6, zero_signs=False)


def test_sums_of_many(rng):
    x = rng.random(1_000_000)
    half = np.full(5000, 8.0, np.float16)
    check(
        [
            of(reduction.reduce_sum, half, axes=(0,), expected=np.sum(half)),
            of(reduction.reduce_sum, np.full(20_000_000, 1, np.float32), axes=(0,), expected=np.float32(2e7)),
            of(reduction.reduce_sum, x, axes=(0,), expected=np.sum(x)),
            of(reduction.reduce_sum, np.full(300, 100, np.int8), axes=(0,), expected=np.int8(48)),
        ],
        ulps=4,
    )


# Of one block or several, with and without a rest; with axes before and after those that are reduced.
BLOCKED = [
    *[((n,), (0,)) for n in (8192, 8193, 9001, 16 * 29 * 20, 20_011)],
    *[((100, 100), axes) for axes in ((0,), (1,), (0, 1))],
    *[((37, 300), axes) for axes in ((0,), (1,))],
    *[((33, 17, 19), axes) for axes in ((0,), (1,), (1, 2), (0, 1), (0, 2), (0, 1, 2))],
    *[((3, 67, 43), axes) for axes in ((1,), (2,))],
    *[((1, 9000), (1,)), ((9000, 1), (0,)), ((2000, 5), (0,)), ((5, 2000), (1,))],
]


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.complex128])
def test_blocks(rng, dtype):
    checks = []
    for shape, axes in BLOCKED:
        x = sample(rng, np.dtype(dtype), *shape)
        checks.append(of(reduction.reduce_sum, x, axes=axes, expected=np.sum(x, axis=axes)))
    for shape, axes in BLOCKED[::4]:
        x = with_specials(rng, sample(rng, np.dtype(dtype), *shape))
        checks.append(of(reduction.reduce_max, x, axes=axes, expected=np.max(x, axis=axes)))
    check(checks, ulps=0 if dtype is np.int64 else 64, absolute=1e-3, zero_signs=False)


def test_signs_and_special_values():
    inf, nan = np.inf, np.nan
    check(
        [
            of(op, np.array(v), axes=(0,), expected=f(np.array(v)))
            for v in ([-0.0, -0.0], [inf, -inf], [nan, 1.0], [inf, 0.0], [1e308, 1e308, -1e308])
            for op, f in ((reduction.reduce_sum, np.sum), (reduction.reduce_prod, np.prod))
        ]
    )


def test_min_and_max(rng):
    checks = []
    for dtype in DTYPES:
        x = with_specials(rng, sample(rng, dtype, 3, 5, 2))
        checks += [of(op, x, axes=axes, expected=f(x, axis=axes)) for op, f in EXTREMES for axes in ((0, 2), (1,))]
    x = with_specials(rng, sample(rng, np.dtype(float), 3, 5, 2))
    checks += [of(op, x, axes=axes, expected=f(x, axis=axes)) for op, f in EXTREMES for axes in AXES]
    check(checks, zero_signs=False)


def test_a_nan_anywhere_is_the_extreme():
    checks = []
    for dtype in INEXACT:
        for i in (0, 37):
            x = np.arange(-50, 50).astype(dtype)
            x[i] = complex(1, np.nan) if dtype.kind == "c" else np.nan
            checks += [of(op, x, axes=(0,), expected=f(x)) for op, f in EXTREMES]
            checks += [of(op, x, axis=0, expected=f(x)) for op, f in POSITIONS]
            x = x.copy()
            x[99 - i] = np.nan
            checks += [of(op, x, axis=0, expected=f(x)) for op, f in POSITIONS]
    check(checks)


def test_any_and_all(rng):
    checks = []
    for dtype in DTYPES:
        x = with_specials(rng, sample(rng, dtype, 3, 2, 2))
        for op, f in ((reduction.reduce_any, np.any), (reduction.reduce_all, np.all)):
            checks += [of(op, x, axes=axes, expected=f(x, axis=axes)) for axes in ((1,), (0, 1, 2), ())]
            checks += [of(op, y, axes=(0,), expected=f(y)) for y in (np.ones(3, dtype), np.zeros(3, dtype))]
    check(checks)


def test_argmin_and_argmax(rng):
    checks = []
    for dtype in DTYPES:
        x = with_specials(rng, sample(rng, dtype, 6, 30))
        checks += [of(op, x, axis=1, expected=f(x, axis=1)) for op, f in POSITIONS]
    x = sample(rng, np.dtype(float), 3, 4, 2)
    checks += [of(op, x, axis=axis, expected=f(x, axis=axis)) for op, f in POSITIONS for axis in (0, 2)]
    check(checks)


def test_scalars_and_empty_arrays():
    s, e = np.array(3.0), np.zeros((0, 3))
    check(
        [
            of(reduction.reduce_sum, s, axes=(), expected=np.sum(s)),
            of(reduction.reduce_max, s, axes=(), expected=np.max(s)),
            of(reduction.reduce_any, s, axes=(), expected=np.any(s)),
            of(reduction.reduce_sum, e, axes=(0,), expected=np.sum(e, axis=0)),
            of(reduction.reduce_sum, e, axes=(1,), expected=np.sum(e, axis=1)),
            of(reduction.reduce_prod, e, axes=(0, 1), expected=np.prod(e)),
            of(reduction.reduce_any, e, axes=(0,), expected=np.any(e, axis=0)),
            of(reduction.reduce_all, e, axes=(0,), expected=np.all(e, axis=0)),
            of(reduction.reduce_max, e, axes=(1,), expected=np.max(e, axis=1)),
            of(reduction.argmax, e, axis=1, expected=np.argmax(e, axis=1)),
            of(reduction.argmin, np.zeros((1, 0), complex), axis=0, expected=np.zeros(0, np.int64)),
        ]
    )


def test_in_loop(rng):
    x, c = rng.random((3, 4)), rng.random((3, 4)) + 1j
    cases = [Case(op, (y,), {"axes": (1,)}) for op in (reduction.reduce_sum, reduction.reduce_max) for y in (x, c)]
    cases += [Case(op, (y,), {"axis": 0}) for op in (reduction.argmin, reduction.argmax) for y in (x, c)]
    check_in_loop(cases)


@pytest.mark.parametrize(
    ("op", "shape", "dtype", "params"),
    [
        (reduction.reduce_sum, (3,), BOOL, {"axes": (0,)}),
        (reduction.reduce_sum, (3,), float, {"axes": (1,)}),
        (reduction.reduce_sum, (3,), float, {"axes": (0, 0)}),
        (reduction.reduce_sum, (3,), float, {"axis": 0}),
        (reduction.reduce_min, (0, 3), float, {"axes": (0,)}),
        (reduction.argmax, (0, 3), float, {"axis": 0}),
        (reduction.argmax, (), float, {"axis": 0}),
    ],
)
def test_misuse_is_refused(op, shape, dtype, params):
    with pytest.raises(TypeError, match=rf"^({op.name}: |\w+\.type\(\) )"):
        op.type(ArrayType(shape, np.dtype(dtype)), **params)
