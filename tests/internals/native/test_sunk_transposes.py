"""Transposed arrays that are computed with, and reduced, in the order of their memory."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.native.sunk_transposes import with_sunk_transposes
from tests.equivalence import check

RNG = np.random.default_rng(8)
X, Y, CUBE = RNG.standard_normal((30, 20)), RNG.standard_normal((20, 30)), RNG.standard_normal((6, 7, 8))


def of_transposes(x, y):
    z = x.T
    return z.sum(axis=0), z.max(axis=1), z.T.min(axis=0), z.sum(), (z > 0).any(axis=0), z, z[3] + 1


def standardised(x, y):
    z = x.T
    centred = z - z.mean(axis=0)
    return centred.max(axis=0), z.std(axis=0), (z - z.mean(axis=1, keepdims=True)).max(axis=1), (z + y).max(axis=1)


def products(x, y):
    return x.T.prod(axis=0), (x.T * y.T.T).prod(axis=1), np.where(x.T > 0, x.T, 2.0).sum(axis=1), (x.T + 1j).max(axis=0)


def of_cubes(x, y):
    z = x.transpose(2, 0, 1)
    return z.sum(axis=(0, 2)), z.max(axis=1), (z * 2).min(axis=0), z.mean(axis=1).T, (z + z[0]).sum(axis=1)


@pytest.mark.parametrize("program", [of_transposes, standardised, products])
def test_matrices(program):
    check(program, X, Y)


def test_stacks():
    check(of_cubes, CUBE, Y)


def test_reductions_read_the_array_itself():
    sunk = with_sunk_transposes(jit(lambda x: (x.T * 2 - 1).sum(axis=0)).lower(X).program)
    assert "transpose" not in str(sunk)
    assert "reduce_sum[axes=(1,)]" in str(sunk)
