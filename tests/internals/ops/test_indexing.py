from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import indexing
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

F8, I8 = np.dtype(np.float64), np.dtype(np.int64)
COMBINES = ["add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor"]


def typed(*dims, dtype=F8):
    return ArrayType(dims, np.dtype(dtype))


def starts(*values):
    return [np.array(v, np.int64) for v in values]


def updated(x, where, values):
    out = x.copy()
    out[where] = values
    return out


def at(ufunc, x, where, values):
    out = x.copy()
    ufunc.at(out, where, values)
    return out


def test_dynamic_slices(rng):
    checks = []
    for dtype in DTYPES:
        x, u = sample(rng, dtype, 5, 4), sample(rng, dtype, 2, 3)
        for i, j in ((1, 0), (-3, 99), (3, 1)):
            a, b = min(max(i, 0), 3), min(max(j, 0), 1)
            where = (slice(a, a + 2), slice(b, b + 3))
            checks += [
                of(indexing.dynamic_slice, x, *starts(i, j), sizes=(2, 3), expected=x[where]),
                of(indexing.dynamic_update_slice, x, u, *starts(i, j), expected=updated(x, where, u)),
            ]
    check(checks)


def test_dynamic_slices_of_scalars_and_empty_arrays():
    s, e, x = np.array(1.0), np.zeros((0, 3)), np.arange(3.0)
    check(
        [
            of(indexing.dynamic_slice, s, sizes=(), expected=s),
            of(indexing.dynamic_slice, e, *starts(1, 1), sizes=(0, 2), expected=e[:, :2]),
            of(indexing.dynamic_slice, x, *starts(7), sizes=(0,), expected=x[:0]),
            of(indexing.dynamic_update_slice, s, np.array(2.0), expected=np.array(2.0)),
            of(indexing.dynamic_update_slice, x, x[:0], *starts(2), expected=x),
            of(indexing.dynamic_update_slice, x, x[::-1], *starts(2), expected=x[::-1]),
        ]
    )


@pytest.mark.parametrize(
    "where",
    [
        (slice(0, 7, 1), slice(0, 6, 1)),
        (slice(1, 5, 1), slice(2, 6, 1)),
        (slice(0, 7, 2), slice(0, 6, 1)),
        (slice(1, 6, 2), slice(1, 6, 3)),
        (slice(2, 3, 5), slice(0, 6, 5)),
        (slice(3, 3, 1), slice(0, 6, 1)),
        (slice(0, 7, 1), slice(5, 6, 4)),
    ],
)
def test_strided_update(rng, where):
    checks = []
    bounds = {name: tuple(getattr(s, field) for s in where) for name, field in FIELDS.items()}
    for dtype in (BOOL, *INTEGERS[:1], *INEXACT):
        x = sample(rng, dtype, 7, 6)
        u = sample(rng, dtype, *x[where].shape)
        checks.append(of(indexing.strided_update, x, u, **bounds, expected=updated(x, where, u)))
    check(checks)


FIELDS = {"starts": "start", "limits": "stop", "strides": "step"}


def test_strided_update_of_a_scalar_and_an_empty_array():
    s, e = np.array(1.0), np.zeros((0, 4))
    none = {"starts": (), "limits": (), "strides": ()}
    check(
        [
            of(indexing.strided_update, s, np.array(2.0), **none, expected=np.array(2.0)),
            of(indexing.strided_update, e, e[:, ::2], starts=(0, 0), limits=(0, 4), strides=(1, 2), expected=e),
        ]
    )


def test_gather(rng):
    checks = []
    for dtype in DTYPES:
        x = sample(rng, dtype, 5, 4, 3)
        rows, pairs = rng.integers(0, 5, (2, 6, 1)), rng.integers(0, 3, (7, 3))
        checks += [
            of(indexing.gather, x, rows, expected=x[rows[..., 0]]),
            of(indexing.gather, x, pairs, expected=x[tuple(pairs.T)]),
            of(indexing.gather, x, pairs[0], expected=x[tuple(pairs[0])]),
            of(indexing.gather, x, pairs[0, :1], expected=x[pairs[0, 0]]),
        ]
    check(checks)


def test_positions_out_of_range_are_clamped():
    x, u = np.arange(12.0).reshape(4, 3), np.arange(3.0) + 20
    far = np.array([[-5], [2], [2**40]])
    check(
        [
            of(indexing.gather, x, far, expected=x[[0, 2, 3]]),
            of(indexing.gather, x, np.array([99, -1]), expected=x[3, 0]),
            of(indexing.scatter, x[:, 0], far, u, combine="set", expected=updated(x[:, 0], [0, 2, 3], u)),
            of(indexing.scatter, x, np.array([99, -1]), u[1], combine="add", expected=at(np.add, x, (3, 0), u[1])),
            of(indexing.scatter, x, np.array([[99, -1]]), u[1:2], combine="set", expected=updated(x, (3, 0), u[1])),
        ]
    )


def test_gather_and_scatter_without_elements():
    x, e, none = np.arange(6.0).reshape(3, 2), np.zeros((0, 2)), np.zeros((0, 1), np.int64)
    two = np.zeros((2, 1), np.int64)
    check(
        [
            of(indexing.gather, x, none, expected=x[:0]),
            of(indexing.gather, e, two, expected=np.zeros((2, 2))),
            of(indexing.gather, e, none, expected=e),
            of(indexing.gather, np.zeros((2, 0)), two, expected=np.zeros((2, 0))),
            of(indexing.scatter, x, none, x[:0], combine="add", expected=x),
            of(indexing.scatter, e, two, x[:2], combine="set", expected=e),
            of(indexing.scatter, np.zeros((2, 0)), two, np.zeros((2, 0)), combine="set", expected=np.zeros((2, 0))),
        ]
    )


def test_scatter_set(rng):
    checks = []
    for dtype in DTYPES:
        x = sample(rng, dtype, 5, 4)
        rows, pairs = rng.integers(0, 5, (3, 4, 1)), rng.integers(0, 4, (30, 2))
        for indices in (rows, pairs, pairs[0], rows[0, 0]):
            where = tuple(indices[..., i] for i in range(indices.shape[-1]))
            u = sample(rng, dtype, *x[where].shape)
            checks.append(of(indexing.scatter, x, indices, u, combine="set", expected=updated(x, where, u)))
    check(checks)


@pytest.mark.parametrize("combine", COMBINES)
def test_scatter_ufuncs(rng, combine):
    exact, products = [], []
    ufunc = getattr(np, combine)
    bitwise = combine.startswith("bitwise")
    for dtype in [BOOL, *INTEGERS] if bitwise else DTYPES:
        if dtype == BOOL and combine == "subtract":
            continue
        x = with_specials(rng, sample(rng, dtype, 6)) if combine != "multiply" else sample(rng, dtype, 6)
        many = rng.integers(0, 6, (25, 1))
        for indices in (many, many[0]):
            where = indices[..., 0]
            u = sample(rng, dtype, *indices.shape[:-1])
            item = of(indexing.scatter, x, indices, u, combine=combine, expected=at(ufunc, x, where, u))
            (products if combine == "multiply" and dtype.kind == "c" else exact).append(item)
    check(exact, zero_signs=combine not in ("minimum", "maximum"))
    check(products, ulps=16, absolute=1e-6, zero_signs=False)


def test_scatter_of_many_duplicates(rng):
    x, u = rng.random(1000), rng.random(300_000)
    where = rng.integers(0, 1000, 300_000)
    board, pairs, values = rng.random((50, 40, 3)), rng.integers(0, 40, (40_000, 2)), rng.random((40_000, 3))
    both = tuple(pairs.T)
    check(
        [
            of(indexing.scatter, x, where[:, None], u, combine="set", expected=updated(x, where, u)),
            of(indexing.scatter, x, where[:, None], u, combine="add", expected=at(np.add, x, where, u)),
            of(indexing.scatter, board, pairs, values, combine="set", expected=updated(board, both, values)),
            of(indexing.scatter, board, pairs, values, combine="add", expected=at(np.add, board, both, values)),
        ]
    )


def test_in_loop(rng):
    x, u, rows = rng.random((5, 4)), rng.random((3, 4)), np.array([[1], [1], [4]])
    bounds = {"starts": (0, 1), "limits": (5, 4), "strides": (2, 1)}
    check_in_loop(
        [
            Case(indexing.gather, (x, rows)),
            Case(indexing.gather, (x, np.array([1, 2]))),
            Case(indexing.scatter, (x, rows, u), {"combine": "set"}),
            Case(indexing.scatter, (x, np.array([1, 2]), np.array(3.0)), {"combine": "add"}),
            Case(indexing.strided_update, (x, rng.random((3, 3))), bounds),
            Case(indexing.dynamic_update_slice, (x, u, *starts(1, 0))),
        ]
    )


@pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        (indexing.dynamic_slice, [], {"sizes": ()}),
        (indexing.dynamic_slice, [typed(3), typed(dtype="i4")], {"sizes": (1,)}),
        (indexing.dynamic_slice, [typed(3)], {"sizes": (1,)}),
        (indexing.dynamic_slice, [typed(3), typed(dtype="i8")], {"sizes": (4,)}),
        (indexing.dynamic_update_slice, [typed(3)], {}),
        (indexing.dynamic_update_slice, [typed(3), typed(4), typed(dtype="i8")], {}),
        (indexing.dynamic_update_slice, [typed(3), typed(1, dtype="f4"), typed(dtype="i8")], {}),
        (indexing.dynamic_update_slice, [typed(3), typed(1), typed()], {}),
        (indexing.strided_update, [typed(3), typed(3)], {"starts": (0,), "limits": (3,), "strides": (2,)}),
        (indexing.strided_update, [typed(3), typed(2)], {"starts": (0,), "limits": (4,), "strides": (2,)}),
        (indexing.gather, [typed(3), typed(2, 1, dtype="i4")], {}),
        (indexing.gather, [typed(3), typed(dtype="i8")], {}),
        (indexing.gather, [typed(3), typed(2, 2, dtype="i8")], {}),
        (indexing.gather, [typed(3), typed(2, 0, dtype="i8")], {}),
        (indexing.scatter, [typed(3), typed(2, 1, dtype="i8"), typed(3)], {"combine": "set"}),
        (indexing.scatter, [typed(3), typed(2, 1, dtype="i8"), typed(2)], {"combine": "divide"}),
        (indexing.scatter, [typed(3), typed(2, 1, dtype="i8"), typed(2)], {"combine": "bitwise_or"}),
        (indexing.scatter, [typed(3), typed(2, 1, dtype="i8"), typed(2)], {}),
    ],
)
def test_misuse_is_refused(op, inputs, params):
    with pytest.raises(TypeError, match=rf"^({op.name}: |_\w+\.type\(\) )"):
        op.type(*inputs, **params)
