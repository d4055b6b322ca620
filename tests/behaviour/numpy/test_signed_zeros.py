"""-0.0 and what becomes of it: sums with 0.0, and of a single element, are 0.0."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import check_calls

ZEROS = (0.0, 0, 0j, complex(-0.0, 0.0))


def sums_with_zeros(a):
    found = []
    for zero in ZEROS:
        found += [a + zero, zero + a, a - zero, zero - a]
    return found, a + np.zeros(a.shape, a.dtype), a + a.dtype.type(0)


def sums_of_single_elements(a):
    return np.sum(a), a.sum(axis=0), np.mean(a), np.trace(np.atleast_2d(a)), np.add.reduce(a, axis=-1)


def other_reductions_of_single_elements(a):
    return np.subtract.reduce(a), np.divide.reduce(a, axis=-1), np.hypot.reduce(a)


def sums_from_minus_zero(a):
    pair, none = np.concatenate([a, a]), a[:0]
    where = np.array([True, False])
    return [np.sum(x, initial=-0.0) for x in (a, pair, none)], np.add.reduce(pair, initial=-0.0, where=where)


def products_of_single_elements(a):
    one = np.ones(1, a.dtype)
    return np.dot(a, one), np.inner(a[None], one), np.tensordot(a, one, 1), np.vdot(a, one), a @ one, a[None] @ one


def single_weights(a):
    return np.bincount(np.zeros(1, int), weights=a), np.bincount(np.array([2]), weights=a)


FUNCTIONS = [
    sums_with_zeros, sums_of_single_elements, other_reductions_of_single_elements, sums_from_minus_zero,
    products_of_single_elements, single_weights,
]  # fmt: skip


@pytest.mark.parametrize("native_loops", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_zeros(function, native_loops: bool) -> None:
    wrapped = jit(function, native_loops=native_loops)
    for x, dtype in itertools.product((-0.0, 0.0, 1.5), (np.float64, np.float16)):
        a = np.array([x], dtype)
        assert _signs(wrapped(a)) == _signs(function(a))


def _signs(value):
    if isinstance(value, (list, tuple)):
        return [_signs(part) for part in value]
    parts = [value.real, value.imag] if value.dtype.kind == "c" else [value]
    return [np.signbit(part).tolist() for part in parts]


def test_the_angle_of_a_sum_with_zero() -> None:
    check_calls(lambda x: (np.angle(x + 0j), 1 / (np.float64(x) + 0.0)), (-0.0,), (0.0,), (-1.0,))
