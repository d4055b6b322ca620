"""Blocks of an array written from what they overlap, where XLA has the array in another form or a loop runs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program_table import Program, Table

case = Table()
A = np.random.default_rng(5).permutation(36).reshape(6, 6).astype(np.float64)
P = np.array([2, 1, 0, 5, 3, 3])


def shifted(x):
    x[1:] = x[:-1]
    return x


@case((A[0].copy(), P), (A[0].astype(np.int32), P), (A, P), (A * 1j, P))
def gathered_then_shifted(a, p):
    a = a[p]
    a[1:] = a[:-1]
    return a


@case((A[0].copy(), P), (A, P))
def gathered_then_reversed(a, p):
    a = a[p]
    a[1:] = a[:-1][::-1]
    b = np.take(a, p, axis=0)
    b[:-2] += b[2:]
    return a, b


@case((A * 1j,), (A.astype(np.complex64),), (A,))
def sorted_then_shifted(a):
    a.sort(axis=0)
    a[1:] = a[:-1]
    b = np.sort(a, axis=None)
    b[3:9] = b.reshape(-1, 6)[1]
    return a, shifted(b)


@case((A[0].copy(), 3), (A[0].copy(), 0))
def in_another_form_after_a_loop(x, n):
    for _ in range(n):
        x = x * 2
    x = x[:, None]
    return shifted(x)


@case((A, P, 3), (A, P, 1))
def in_a_loop(a, p, n):
    while n > 0:
        a = a[p]
        a[1:] = a[:-1]
        a[:, 2:] = a[:, 1:-1][::-1]
        n -= 1
    return a


@case((A[0].copy(), P))
def gathered_from_what_is_written(a, p):
    x = a[p]
    x[1:] = x[p[1:]] + x[0]
    x[::2] = x[1::2]
    return x


@case((A[0].copy(), P, 3), (A[0].copy(), P, 0))
def positions_written_in_a_loop(a, p, n):
    for t in range(n):
        a[p] += t
        a[p[:2]] = a[p[1:3]] * 2
        np.add.at(a, p, 1)
    return a


@pytest.mark.parametrize("program", case.programs)
def test_overlaps(program: Program) -> None:
    program.check()
