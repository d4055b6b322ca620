from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.dot_general import dot_general
from tests.internals.ops.op_cases import Case
from tests.internals.ops.structural_cases import (
    BOOL,
    DTYPES,
    INEXACT,
    INTEGERS,
    check,
    check_in_loop,
    of,
    sample,
    with_specials,
)

F8 = np.dtype(np.float64)
PLAIN = {"contract": ((1,), (0,)), "batch": ((), ())}


def dot(x, y, contract, batch, expected):
    return of(dot_general, x, y, contract=contract, batch=batch, expected=expected)


def test_every_dtype(rng):
    exact, close = [], []
    for dtype in DTYPES:
        x, y, v = sample(rng, dtype, 3, 4, 5), sample(rng, dtype, 5, 4, 3), sample(rng, dtype, 5)
        (close if dtype in INEXACT else exact).extend(
            [
                dot(x[0], y[:, 0], ((1,), (0,)), ((), ()), x[0] @ y[:, 0]),
                dot(v, v, ((0,), (0,)), ((), ()), np.dot(v, v)),
                dot(x[0], v, ((1,), (0,)), ((), ()), x[0] @ v),
                dot(x, y, ((2,), (0,)), ((0,), (2,)), x @ y.transpose(2, 0, 1)),
                dot(x, y, ((0, 1), (2, 1)), ((), ()), x.reshape(12, 5).T @ y.transpose(2, 1, 0).reshape(12, 5)),
                dot(v, v, ((), ()), ((), ()), np.multiply.outer(v, v)),
                dot(v, v, ((), ()), ((0,), (0,)), v * v),
            ]
        )
    check(exact)
    check(close, ulps=8, absolute=1e-5, zero_signs=False)


def test_large_arrays_and_vectors(rng):
    exact, close = [], []
    for dtype in map(np.dtype, (np.bool_, np.int64, np.float16, np.float32, np.complex128)):
        a, u, v = sample(rng, dtype, 300, 250), sample(rng, dtype, 300), sample(rng, dtype, 250)
        stack, long = a.reshape(3, 100, 250), a.ravel()[:70_000]
        (close if dtype in INEXACT else exact).extend(
            [
                dot(a, v, ((1,), (0,)), ((), ()), a @ v),
                dot(u, a, ((0,), (0,)), ((), ()), u @ a),
                dot(v, stack, ((0,), (2,)), ((), ()), stack @ v),
                dot(stack, u[:100], ((1,), (0,)), ((), ()), np.einsum("ijk,j->ik", stack, u[:100])),
                dot(long, long, ((0,), (0,)), ((), ()), np.dot(long, long)),
                dot(long, v[:2], ((), ()), ((), ()), np.multiply.outer(long, v[:2])),
                dot(long, long, ((), ()), ((0,), (0,)), long * long),
            ]
        )
    check(exact)
    check(close, ulps=4096, absolute=1e-3, zero_signs=False)


def test_products_without_a_sum_keep_signs_of_zero():
    x, y = np.array([-0.0, 0.0, 2.0, -2.0]), np.array([[0.0, -0.0, 1.0, -1.0]] * 4)
    checks = []
    for dtype in (np.float16, np.float32, np.float64):
        a, b = x.astype(dtype), y.astype(dtype)
        checks.append(dot(a, b[0], ((), ()), ((), ()), np.multiply.outer(a, b[0])))
        checks.append(dot(a, b, ((), ()), ((0,), (0,)), a[:, None] * b))
    check(checks)


def test_integers_wrap_and_are_exact(rng):
    checks = []
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        x, y = (rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True) for shape in ((9, 40), (40, 7)))
        checks.append(dot(x, y, **PLAIN, expected=x @ y))
    check(checks)


def test_large_integers(rng):
    x, y = rng.integers(-(2**40), 2**40, (2, 150, 150))
    check([dot(x, y, **PLAIN, expected=x @ y), dot(x > 0, y > 2**39, **PLAIN, expected=(x > 0) @ (y > 2**39))])


def test_half_precision_is_summed_in_single(rng):
    x = rng.random((4, 3000)).astype(np.float16)
    check([dot(x, x.T.copy(), **PLAIN, expected=x @ x.T.copy())], ulps=2)


def test_single_precision_is_kept(rng):
    x, y = rng.random((2, 200, 200)).astype(np.float32)
    check([dot(x, y, **PLAIN, expected=x @ y)], ulps=32)


def test_special_values(rng):
    x = with_specials(rng, sample(rng, F8, 6, 5))
    check([dot(x, x.T.copy(), **PLAIN, expected=x @ x.T.copy())], ulps=8, zero_signs=False)


def test_scalars_and_empty_arrays():
    s, e = np.array(3.0), np.zeros((0, 3))
    checks = [
        dot(s, s, ((), ()), ((), ()), np.array(9.0)),
        dot(e, np.ones((3, 2)), **PLAIN, expected=np.zeros((0, 2))),
    ]
    for dtype in (bool, np.int64, np.float16, np.float64, np.complex128):
        left, right = np.zeros((3, 0), dtype), np.zeros((0, 2), dtype)
        checks.append(dot(left, right, **PLAIN, expected=np.zeros((3, 2), dtype)))
    check(checks)


def test_in_loop(rng):
    x, i = rng.random((4, 4)), rng.integers(0, 9, (4, 4))
    check_in_loop([Case(dot_general, (y, y), PLAIN) for y in (x, i, x + 1j, i > 4, x.astype(np.float16))])


@pytest.mark.parametrize(
    ("left", "right", "params"),
    [
        ((F8, 2, 3), (F8, 2, 3), PLAIN),
        ((F8, 2, 3), (np.dtype(np.float32), 3, 2), PLAIN),
        ((F8, 2, 3), (F8, 3, 2), {"contract": ((1,), (0,))}),
        ((F8, 2, 3), (F8, 3, 2), {"contract": ((1,), ()), "batch": ((), ())}),
        ((F8, 2, 3), (F8, 3, 2), {"contract": ((2,), (0,)), "batch": ((), ())}),
        ((F8, 2, 2), (F8, 2, 2), {"contract": ((1,), (0,)), "batch": ((1,), (1,))}),
        ((F8, 2, 2), (F8, 2, 2), {"contract": ((), ()), "batch": ((1,), ())}),
        ((BOOL, 2), (F8, 2), {"contract": ((0,), (0,)), "batch": ((), ())}),
    ],
)
def test_misuse_is_refused(left, right, params):
    with pytest.raises(TypeError, match=r"^(dot_general: |_DotGeneral\.type\(\) )"):
        dot_general.type(*(ArrayType(tuple(shape), dtype) for dtype, *shape in (left, right)), **params)
