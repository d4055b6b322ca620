"""Functions of one or two operands, on every kind of operand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Table
from tests.behaviour.numpy.samples import OPERANDS

case = Table()

for X in OPERANDS:
    for f in (
        np.sum,
        np.prod,
        np.max,
        np.min,
        np.any,
        np.all,
        np.argmax,
        np.argmin,
        np.cumsum,
        np.cumprod,
        np.ptp,
        np.count_nonzero,
        np.sort,
        np.argsort,
        np.ravel,
        np.transpose,
        np.flip,
        np.squeeze,
        np.shape,
        np.ndim,
        np.size,
        np.atleast_1d,
        np.atleast_2d,
        np.atleast_3d,
        np.real,
        np.imag,
        np.copy,
        np.asarray,
        np.array,
        np.zeros_like,
        np.ones_like,
        np.fliplr,
        np.flipud,
        np.rot90,
        np.amax,
        np.amin,
        np.sin,
        np.abs,
        np.sqrt,
        np.sign,
        np.isnan,
        np.square,
        np.negative,
        np.exp,
        np.conjugate,
        np.logical_not,
        np.isscalar,
        np.iscomplexobj,
    ):
        case(f, X)
    for f in (
        np.add,
        np.multiply,
        np.subtract,
        np.true_divide,
        np.floor_divide,
        np.power,
        np.maximum,
        np.less,
        np.equal,
        np.remainder,
        np.arctan2,
        np.bitwise_and,
        np.dot,
        np.matmul,
        np.inner,
        np.outer,
        np.vdot,
        np.kron,
        np.divmod,
        np.ldexp,
    ):
        case(f, X, 2)
        case(f, X, X)
        case(f, 2.0, X)

LONG = np.ones((1,) * 40)  # numpy.broadcast_shapes takes 32 axes
case(np.add, LONG, np.arange(3.0))
case(np.matmul, LONG, np.ones((1, 2)))
case(np.allclose, LONG, 1.0)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
