"""Arrays whose memory layout a condition decides: in another shape they are views of one and copies of another."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.errors import AliasError
from tests.program_table import Program, Table

case = Table()
ARRAYS = tuple((n, np.arange(4.0), np.arange(4.0) * 10) for n in range(4))


@case(*ARRAYS)
def backwards_or_not(n, a, b):
    z = a if n % 2 else b[::-1]
    y = z.reshape(2, 2)
    y[0] += 5
    x = y.ravel()
    x[1] = -3
    b[3] = 8
    a[2] = 1
    return a, b, x * 1, y * 1, z * 1


@case(*ARRAYS)
def transposed_or_not(n, a, b):
    c, d = a.reshape(2, 2), b.reshape(2, 2)
    z = c if n % 2 else d.T
    y = z.reshape(4)
    y[1] += 6
    b[0] -= 1
    w = y.reshape(2, 2).T.reshape(4)
    w[0] = 77
    y[2] = 8
    return a, b, y * 1, w


@case(*ARRAYS)
def one_of_three_layouts(n, a, b):
    c = a.reshape(2, 2)
    z = c if n == 0 else c.T if n == 1 else c[::-1]
    y = z.reshape(4)
    y[1] += 6
    x = z.reshape(1, 2, 2)
    x[0, 0] += 3
    a[1] = 5
    return a, y * 1, x * 1, z * 1, np.ravel(z) * 1


@case(*ARRAYS)
def traded_in_a_loop(n, a, b):
    z = b[::-1]
    for _ in range(n):
        a, z = z, a
    z = z.reshape(2, 2).ravel()
    z -= 1
    b[1] *= 3
    a[0] += 7
    return a * 1, b, z * 1


@case(*ARRAYS)
def turned_in_a_loop(n, a, b):
    z = a
    for _ in range(n):
        z = z[::-1]
    z = z.reshape(2, 2).ravel()
    z[0] = 4
    a[1] = 9
    return a, z * 1


@case((np.arange(6.0).reshape(2, 3),), (np.arange(6.0).reshape(2, 3).T,), (np.asfortranarray(np.ones((2, 3))),))
def in_c_order_after_all(a):
    padded = np.pad(a, 1)  # in Fortran order where the array is
    made = np.ascontiguousarray(padded)
    return padded, made, made.strides, np.asfortranarray(padded).sum(axis=0)


@pytest.mark.parametrize("program", case.programs)
def test_layouts_by_condition(program: Program) -> None:
    program.check()


def test_a_write_to_what_may_be_a_copy_in_another_order():
    @jit
    def written(a):
        padded = np.pad(a, 1)
        made = np.ascontiguousarray(padded)
        made[0, 0] = 7.0
        return padded, made

    with pytest.raises(AliasError):
        written(np.asfortranarray(np.ones((2, 3))))
