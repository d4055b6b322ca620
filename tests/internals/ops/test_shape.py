from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import shape
from tests.internals.ops.op_cases import Case
from tests.internals.ops.structural_cases import DTYPES, check, check_in_loop, of, sample

F8 = np.dtype(np.float64)


def typed(*dims, dtype=F8):
    return ArrayType(dims, np.dtype(dtype))


def test_every_dtype(rng):
    checks = []
    for dtype in DTYPES:
        x, y, value = sample(rng, dtype, 3, 4), sample(rng, dtype, 3, 2), sample(rng, dtype)
        padded = np.full((3 + 2 + 1 + 0, 4 + 3), value, dtype)
        padded[1:6:2, 1:5] = x
        checks += [
            of(shape.reshape, x, shape=(2, 1, 6), expected=x.reshape(2, 1, 6)),
            of(shape.transpose, x, axes=(1, 0), expected=x.T),
            of(shape.broadcast_in_dim, x, shape=(2, 3, 5, 4), dims=(1, 3), expected=_repeat(x)),
            of(shape.reverse, x, axes=(0, 1), expected=np.flip(x)),
            of(shape.concatenate, x, y, x, axis=1, expected=np.concatenate([x, y, x], 1)),
            of(shape.pad, x, value, low=(1, 1), high=(0, 2), interior=(1, 0), expected=padded),
            of(shape.slice_, x, starts=(0, 1), limits=(3, 4), strides=(2, 3), expected=x[0:3:2, 1:4:3]),
        ]
        if dtype.kind != "b":
            line = np.arange(300).astype(dtype)
            checks += [
                of(shape.iota, shape=(300, 2), dtype=dtype, axis=0, expected=np.stack([line, line], 1)),
                of(shape.iota, shape=(2, 0), dtype=dtype, axis=0, expected=np.zeros((2, 0), dtype)),
            ]
    check(checks)


def _repeat(x):
    return np.broadcast_to(x[None, :, None, :], (2, 3, 5, 4))


def test_scalars_and_empty_arrays(rng):
    s, e = np.array(2.5), np.zeros((0, 3))
    check(
        [
            of(shape.reshape, s, shape=(1, 1), expected=s.reshape(1, 1)),
            of(shape.reshape, e, shape=(5, 0), expected=e.reshape(5, 0)),
            of(shape.transpose, s, axes=(), expected=s),
            of(shape.transpose, e, axes=(1, 0), expected=e.T),
            of(shape.broadcast_in_dim, s, shape=(2, 2), dims=(), expected=np.full((2, 2), 2.5)),
            of(shape.broadcast_in_dim, s, shape=(0,), dims=(), expected=np.zeros(0)),
            of(shape.broadcast_in_dim, np.ones((1, 3)), shape=(0, 3), dims=(0, 1), expected=np.zeros((0, 3))),
            of(shape.reverse, s, axes=(), expected=s),
            of(shape.reverse, e, axes=(0,), expected=e),
            of(shape.concatenate, e, np.ones((2, 3)), axis=0, expected=np.ones((2, 3))),
            of(shape.concatenate, e, e, axis=0, expected=e),
            of(shape.concatenate, np.ones(3), axis=0, expected=np.ones(3)),
            of(shape.pad, s, s, low=(), high=(), interior=(), expected=s),
            of(shape.pad, e, s, low=(2, 0), high=(1, 0), interior=(4, 1), expected=np.full((3, 5), 2.5)),
            of(shape.slice_, s, starts=(), limits=(), strides=(), expected=s),
            of(shape.slice_, np.arange(5.0), starts=(2,), limits=(2,), strides=(1,), expected=np.zeros(0)),
            of(shape.slice_, np.arange(5.0), starts=(0,), limits=(5,), strides=(9,), expected=np.zeros(1)),
        ]
    )


def test_in_loop(rng):
    x = rng.random((3, 4))
    check_in_loop(
        [
            Case(shape.reshape, (x,), {"shape": (12,)}),
            Case(shape.pad, (x, np.array(1.0)), {"low": (1, 0), "high": (0, 1), "interior": (1, 1)}),
            Case(shape.concatenate, (x, x), {"axis": 0}),
            Case(shape.iota, (), {"shape": (3,), "dtype": F8, "axis": 0}),
        ]
    )


@pytest.mark.parametrize("outer", [(700,), (30, 20)])
def test_many_columns_beside_each_other(rng, outer):
    columns = tuple(rng.standard_normal((*outer, 1)) for _ in range(3))
    axis = len(outer)
    check([of(shape.concatenate, *columns, axis=axis, expected=np.concatenate(columns, axis=axis))])


@pytest.mark.parametrize(
    ("op", "inputs", "params"),
    [
        (shape.reshape, [typed(3)], {"shape": (4,)}),
        (shape.reshape, [typed(4)], {"shape": (-2, -2)}),
        (shape.reshape, [typed(3), typed(3)], {"shape": (3,)}),
        (shape.reshape, [typed(3)], {"axes": (3,)}),
        (shape.transpose, [typed(3, 4)], {"axes": (0, 0)}),
        (shape.transpose, [typed(3, 4)], {"axes": (0,)}),
        (shape.transpose, [typed(3, 4)], {"axes": (0, 2)}),
        (shape.broadcast_in_dim, [typed(3)], {"shape": (4,), "dims": (0,)}),
        (shape.broadcast_in_dim, [typed(3, 4)], {"shape": (4, 3), "dims": (1, 0)}),
        (shape.reverse, [typed(3)], {"axes": (1,)}),
        (shape.concatenate, [], {"axis": 0}),
        (shape.concatenate, [typed(), typed()], {"axis": 0}),
        (shape.concatenate, [typed(2, 3), typed(3, 2)], {"axis": 0}),
        (shape.concatenate, [typed(2), typed(2, dtype="i8")], {"axis": 0}),
        (shape.pad, [typed(2), typed(dtype="i8")], {"low": (0,), "high": (0,), "interior": (0,)}),
        (shape.pad, [typed(2), typed()], {"low": (-1,), "high": (0,), "interior": (0,)}),
        (shape.pad, [typed(2), typed()], {"low": (0, 0), "high": (0,), "interior": (0,)}),
        (shape.iota, [], {"shape": (), "dtype": F8, "axis": 0}),
        (shape.iota, [], {"shape": (2,), "dtype": np.dtype(bool), "axis": 0}),
        (shape.slice_, [typed(4)], {"starts": (0,), "limits": (5,), "strides": (1,)}),
        (shape.slice_, [typed(4)], {"starts": (3,), "limits": (2,), "strides": (1,)}),
        (shape.slice_, [typed(4)], {"starts": (0,), "limits": (4,), "strides": (0,)}),
    ],
)
def test_misuse_is_refused(op, inputs, params):
    with pytest.raises(TypeError, match=rf"^({op.name}: |_\w+\.type\(\) )"):
        op.type(*inputs, **params)
