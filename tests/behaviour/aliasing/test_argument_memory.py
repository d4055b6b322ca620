"""The memory of arguments and results: strided, overlapping, read-only, one array twice, fresh results."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import AnabranchError, jit


def test_layout_of_an_array_does_not_matter() -> None:
    f = jit(lambda a: a * 2 + a[0])
    m = np.arange(12.0).reshape(3, 4)
    strided = np.repeat(m, 2, axis=1)[:, ::2]
    for a in (m, np.asfortranarray(m), m[:, ::-1], m[::-1], strided, np.broadcast_to(m[0], (3, 4))):
        np.testing.assert_array_equal(f(a), a * 2 + a[0])


def summary(a, b, k):
    return a.sum(axis=0), a.T, a[k], a + b.T


def test_large_arrays_in_other_orders() -> None:
    x, y = np.cos(np.arange(40_000.0)).reshape(250, 160), np.sin(np.arange(40_000.0)).reshape(160, 250)
    f = jit(summary)
    for order in (np.asfortranarray, np.ascontiguousarray):
        a, b = order(x), np.asfortranarray(y)
        for _ in range(3):
            for found, expected in zip(f(a, b, 5), summary(a, b, 5), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)
            assert np.shares_memory(f(a, b, 5)[1], a)
            with pytest.raises(IndexError, match="index 250 is out of bounds for axis 0 with size 250"):
                f(a, b, 250)
    cube, g = np.arange(60_000.0).reshape(20, 30, 100).transpose(2, 0, 1), jit(lambda a: (a.mean(axis=1), a[3] + 1))
    for _ in range(3):
        for found, expected in zip(g(cube), (cube.mean(axis=1), cube[3] + 1), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_argument_that_is_a_strided_view_is_written() -> None:
    def f(a):
        a[0] = -1
        a += 1

    for view in (lambda m: m[:, ::-1], lambda m: m.T, lambda m: m[::2, 1:], lambda m: m[1]):
        want, got = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
        f(view(want))
        jit(f)(view(got))
        np.testing.assert_array_equal(got, want)


def test_overlapping_arguments() -> None:
    def f(a, b):
        a[:] = 5
        b += 1
        return a.sum()

    want, got = np.arange(6.0), np.arange(6.0)
    wanted = f(want[:4], want[2:])
    try:
        value = jit(f)(got[:4], got[2:])
    except AnabranchError:
        return
    assert value == wanted
    np.testing.assert_array_equal(got, want)


def test_same_array_as_two_arguments() -> None:
    def f(a, b):
        a[0] = 5
        b[0] += 1
        return a[0]

    g = jit(f)
    want, got = np.zeros(3), np.zeros(3)
    assert g(np.zeros(3), np.zeros(3)) == 5
    try:
        value = g(got, got)
    except AnabranchError:
        return
    assert value == f(want, want)
    np.testing.assert_array_equal(got, want)


def test_read_only_argument_that_is_written() -> None:
    def f(a):
        a[0] = 5
        return a.sum()

    a = np.zeros(3)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        f(a)
    with pytest.raises(ValueError, match="read-only"):
        jit(f)(a)
    assert a[0] == 0


def test_result_that_is_the_argument() -> None:
    f = jit(lambda a: a)
    a = np.zeros(3)
    b = f(a)
    b[0] = 7
    assert a[0] == 7


def test_result_that_is_a_view_of_the_argument() -> None:
    f = jit(lambda a: a[1:])
    a = np.zeros(3)
    f(a)[0] = 7
    assert a[1] == 7


def test_results_share_no_storage_between_calls() -> None:
    f = jit(lambda a: a + 1)
    a = np.zeros(3)
    first = f(a)
    first[0] = 99
    second = f(a)
    assert second[0] == 1
    assert first[0] == 99


def test_results_are_writable_and_two_results_may_be_one() -> None:
    @jit
    def f(a):
        b = a * 2
        return b, b

    p, q = f(np.ones(3))
    p[0] = 9
    assert q[0] == 9


def test_constant_result_is_fresh() -> None:
    f = jit(lambda n: np.zeros(3))
    f(1)[0] = 5
    assert f(1)[0] == 0
