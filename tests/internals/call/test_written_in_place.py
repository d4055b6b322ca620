"""Arrays of the caller's that machine code writes to where they are: what failures leave, and shared memory."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import anabranch
from anabranch import AliasError, jit
from anabranch.runtime.call.native_execution import NativeExecution
from tests.equivalence import check

SMALL, LARGE = 50, 5000


def add_until(a, places):
    for i in range(places.shape[0]):
        a[places[i]] += 1.5
    return a


def shift(a, b, n):
    for k in range(n):
        for i in range(1, a.shape[0]):
            a[i] = a[i] + b[i - 1]
            b[i] = b[i] - a[i - 1]


def add_first(a, b):
    for i in range(a.shape[0]):
        a[i] = a[i] + b[0]


def scaled(x, start=0, *, by=3):
    return by * x + start


def scaled_each(a):
    for i in range(a.shape[0]):
        a[i] = scaled(a[i])


def compiled(function, *args):
    """The function with a fast path for arguments like these."""
    wrapped = jit(function)
    for _ in range(3):
        wrapped(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
    (execution,) = wrapped._executables.with_fast_path
    assert isinstance(execution, NativeExecution)
    return wrapped, execution


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_failure_leaves_an_array_as_it_was(size):
    places = np.array([1, 2, 1, 3])
    wrapped, execution = compiled(add_until, np.ones(size), places)
    assert bool(execution.in_place) == (size == SMALL)
    assert ("put back if the run fails" in str(wrapped.explain(np.ones(size), places))) == (size == SMALL)
    a = np.arange(size, dtype=float)
    for last, error in ((5, None), (size, IndexError), (-1, None), (-size - 1, IndexError), (0, None)):
        before, places = a.copy(), np.array([0, 1, 1, last])
        if error is None:
            assert wrapped(a, places) is a
            np.testing.assert_array_equal(a, add_until(before, places))
        else:
            with pytest.raises(error, match="out of bounds"):
                wrapped(a, places)
            np.testing.assert_array_equal(a, before)


def add_at_once(a, b, places, others):
    a[places] += 1.5
    b[others] = a[places]
    a[others] = 0
    return a.sum(), b


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_what_is_checked_before_it_is_written_needs_no_copy(size):
    places, others = np.array([1, 2, 1, 3]), np.array([0, -1, 4, 5])
    wrapped, execution = compiled(add_at_once, np.ones(size), np.ones(size), places, others)
    assert len(execution.in_place) == 2
    told = str(wrapped.explain(np.ones(size), np.ones(size), places, others))
    assert ("after all that can fail" in told) == (size == LARGE)
    a, b = np.arange(size, dtype=float), np.ones(size)
    for last, error in ((5, None), (size, IndexError), (-1, None), (-size - 1, IndexError), (0, None)):
        for moved in (places, others):
            moved[-1] = last
            there = a.copy(), b.copy()
            if error is None:
                total, given = wrapped(a, b, places, others)
                assert given is b
                assert total == add_at_once(*there, places, others)[0]
            else:
                with pytest.raises(error, match="out of bounds"):
                    wrapped(a, b, places, others)
            moved[-1] = 2
            np.testing.assert_array_equal((a, b), there)
    check(add_at_once, a, b, places, others, native_loops=False)


@pytest.mark.parametrize("options", [{}, {"native_loops": False}])
def test_results_are_those_of_the_plain_function(options):
    for _ in range(3):
        check(add_until, np.arange(6.0), np.array([1, 5, -6]), **options)
        check(shift, np.arange(6.0), np.arange(6.0) * 2, 3, **options)


@pytest.mark.parametrize("begin", [0, 1, 5, 6, 7])
@pytest.mark.parametrize("function", [shift, add_first])
def test_an_array_that_overlaps_is_seen(function, begin):
    rest = (2,) if function is shift else ()
    wrapped, execution = compiled(function, np.arange(6.0), np.arange(6.0), *rest)
    assert execution.in_place
    here, there = np.arange(14.0), np.arange(14.0)
    for a, b in ((slice(6), slice(begin, begin + 6)), (slice(begin, begin + 6), slice(6))):
        if begin < 6:
            with pytest.raises(AliasError):
                wrapped(here[a], here[b], *rest)
        else:
            wrapped(here[a], here[b], *rest)
            function(there[a], there[b], *rest)
        np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize(
    "given",
    [
        np.arange(6),
        np.arange(12.0)[::2],
        np.arange(7.0),
        np.arange(6.0).reshape(2, 3),
        np.float32(3) * np.ones(6, np.float32),
    ],
)
def test_another_argument_is_seen(given):
    wrapped, _ = compiled(shift, np.arange(6.0), np.arange(6.0), 2)
    here, there = np.arange(6.0), np.arange(6.0)
    error = None
    try:
        shift(there, np.copy(given), 1)
    except (IndexError, ValueError, TypeError) as raised:
        error = type(raised)
    if error is not None:
        with pytest.raises((error, anabranch.AnabranchError)):
            wrapped(here, np.copy(given), 1)
    else:
        wrapped(here, np.copy(given), 1)
        np.testing.assert_array_equal(here, there)


def test_a_read_only_array_is_not_written_to():
    wrapped, _ = compiled(add_until, np.ones(6), np.array([1, 2]))
    a = np.ones(6)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        wrapped(a, np.array([1, 2]))
    np.testing.assert_array_equal(a, np.ones(6))


def test_a_default_of_a_keyword_is_read_again(monkeypatch):
    wrapped, _ = compiled(scaled_each, np.ones(4))
    for by in (3, 5, 2.5, 3):
        monkeypatch.setitem(scaled.__kwdefaults__, "by", by)
        here, there = np.arange(4.0), np.arange(4.0)
        for _ in range(3):
            wrapped(here)
            scaled_each(there)
            np.testing.assert_array_equal(here, there)


class Stopped(Exception):
    pass


def stop(*_):
    raise Stopped


def add_often(a, places, n):
    for _ in range(n):
        for i in range(places.shape[0]):
            a[places[i]] += 1.0
    return a


def test_what_a_signals_handler_raises_leaves_an_array_as_it_was():
    places, a = np.array([1, 2, 1]), np.arange(5.0)
    wrapped, execution = compiled(add_often, a, places, 4)
    assert execution.in_place
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stopped):
            wrapped(a, places, 2**40)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(a, np.arange(5.0))
    np.testing.assert_array_equal(wrapped(a, places, 2), [0, 5, 4, 3, 4])
