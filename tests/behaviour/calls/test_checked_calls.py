"""Calls of machine code on the fast path: what it returns, and arguments that are other ones than before."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import Outcome, check


def number(x):
    best = np.inf
    for i in range(x.shape[0]):
        if x[i] < best:
            best = x[i]
    return best


def count(x):
    found = 0
    for i in range(x.shape[0]):
        if x[i] > 0:
            found += 1
    return found


def truth(x):
    found = False
    for i in range(x.shape[0]):
        found = found or x[i] > 2
    return found


def many(x):
    return count(x), number(x), truth(x), x.sum(), np.float32(2) * x[0], complex(x[0])


def all_kinds(x, k):
    total = x.sum()
    return {
        "array": np.asarray(total),
        "scalar": total,
        "number": float(total),
        "of": [k + 1, k > 2, np.int64(k)],
        "x": x * k,
    }


def checked(x, i):
    if x[i] < 0:
        raise ValueError("negative")
    return x[i] * 2


def written(x, k):
    for i in range(x.shape[0]):
        x[i] += k
    return x.shape[0] * k


def chosen(x, k):
    if k > 0:
        return x[0]
    return k


X = np.array([1.0, -2.0, 3.5])


@pytest.mark.parametrize("function", [number, count, truth, many])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_numbers(function, dtype):
    check(function, X.astype(dtype))


@pytest.mark.parametrize("k", [3, 0.5, True, np.float64(2), np.int32(4)])
def test_all_kinds_of_results(k):
    check(all_kinds, X, k)
    check(chosen, X, k)


def test_a_zero_dimensional_result_is_an_array_of_its_own():
    f = jit(all_kinds)
    results = [f(X, 2)["array"] for _ in range(4)]
    for result in results:
        assert type(result) is np.ndarray
        assert result.shape == ()
        result[...] += 1
    np.testing.assert_array_equal(results, [X.sum() + 1] * 4)


def test_failures():
    check(checked, X, 1)
    check(checked, X, 3)
    f = jit(checked)
    for _ in range(3):
        assert f(X, 2) == 7.0
    with pytest.raises(ValueError, match="negative"):
        f(X, 1)
    with pytest.raises(IndexError):
        f(X, 7)
    assert f(X, 0) == 2.0


class Sub(np.ndarray):
    pass


OTHERS = {
    "shape": np.arange(5.0),
    "axes": np.arange(6.0).reshape(2, 3).sum(axis=0, keepdims=True)[0],
    "dtype": np.array([4, 5, 6]),
    "narrow": np.array([4, 5, 6], np.float32),
    "strided": np.arange(6.0)[::2],
    "backward": np.arange(3.0)[::-1],
    "swapped": np.array([1.0, 2.0, 3.0], ">f8"),
    "unaligned": np.zeros(25, np.uint8)[1:].view(np.float64),
    "empty": np.zeros(0),
    "long long": np.arange(3, dtype="q"),
    "unsigned": np.arange(3, dtype=np.uint64),
    "dates": np.arange(3).astype("M8[s]").view(np.int64),
}


def test_another_array_after_calls_with_one():
    f = jit(count)
    for _ in range(3):
        f(X)
    for name, other in OTHERS.items():
        wanted = count(other)
        for _ in range(3):
            assert repr(f(other)) == repr(wanted), name
            assert f(X) == 2


def test_read_only_arrays():
    frozen = X.copy()
    frozen.flags.writeable = False
    f, g = jit(count), jit(written)
    for _ in range(3):
        assert f(X.copy()) == f(frozen) == 2
        g(X.copy(), 1)
    for _ in range(3):
        with pytest.raises(ValueError, match="read-only"):
            g(frozen, 1)
    np.testing.assert_array_equal(frozen, X)


def test_things_that_are_no_arrays():
    f, g = jit(number), jit(written)
    for _ in range(3):
        f(X)
        g(X.copy(), 2)
    for other in ([1.0, 2.0, 3.0], "abc", None, 3.0, object(), X.view(Sub), np.float64(1.0)):
        wanted, got = Outcome(number, (other,), {}), Outcome(f, (other,), {})
        assert got.error is not None or got.value == wanted.value
        assert Outcome(g, (other, None), {}).error is not None
    assert f(X) == -2.0


def test_arrays_that_share_memory():
    x = np.arange(10.0)

    def added(a, b):
        for i in range(a.shape[0]):
            a[i] += b[i]
        return a.shape[0]

    f = jit(added)
    for _ in range(3):
        assert f(x[:4], x[5:9]) == 4
    y, z = x.copy(), x.copy()
    with pytest.raises(Exception, match="memory"):
        f(y[:4], y[1:5])
    added(z[:4], z[5:9])
    f(y[:4], y[5:9])
    np.testing.assert_array_equal(y, z)


def test_an_array_that_changes_its_shape_in_place():
    x = np.arange(6.0)
    f = jit(many)
    for _ in range(3):
        f(x)
    x.resize(4, refcheck=False)
    assert repr(f(x)) == repr(many(x))


def test_threads_get_their_own_numbers():
    f = jit(many)
    f(X), f(X), f(X)
    wrong = []

    def run(k):
        mine = X + k
        wanted = repr(many(mine))
        wrong.extend(1 for _ in range(300) if repr(f(mine)) != wanted)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_references():
    import sys

    f, x = jit(many), X.copy()
    f(x), f(x), f(x)
    before = sys.getrefcount(x), sys.getrefcount(None)
    for _ in range(200):
        f(x)
    assert sys.getrefcount(x) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 100


def test_names_of_an_enclosing_function():
    def made():
        factor = 2.0

        def scaled(x):
            return x * factor

        def change(value):
            nonlocal factor
            factor = value

        def forget():
            nonlocal factor
            del factor

        return scaled, change, forget

    scaled, change, forget = made()
    f = jit(scaled)
    for value in (2.0, 3.0):
        change(value)
        for _ in range(4):
            np.testing.assert_array_equal(f(X), X * value)
    forget()
    for _ in range(2):
        with pytest.raises((NameError, ValueError)):
            f(X)
    change(4.0)
    np.testing.assert_array_equal(f(X), X * 4)
