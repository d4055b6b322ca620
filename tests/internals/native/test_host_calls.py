"""Functions of this process that machine code calls: with and without Python's lock, again and within one another."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from anabranch import host, jit
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.host.callbacks import CallbackError
from anabranch.runtime.ops.random_draws import random_draw
from tests.equivalence import check


def drawn(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.random(5)
    total = 0.0
    for i in range(n):
        for j in range(1000):
            total += x[j % 5] / (i + 1)
        x = rng.integers(0, 9, size=5) + rng.normal(size=5)
    return x, total, rng.permutation(4)


def counted(n):
    rs = np.random.RandomState(5)
    found = np.zeros(3)
    for _ in range(n):
        found += rs.poisson(2.0, 3)
    return found, rs.rand(20), rs.standard_normal()


@pytest.mark.parametrize(("function", "args"), [(drawn, (3, 4)), (drawn, (3, 400)), (counted, (6,))])
def test_draws(function, args):
    assert jit(function).lower(*args).native_program() is not None
    check(function, *args)


def counts(seed, mean):
    rng = np.random.default_rng(seed)
    try:
        return rng.poisson(mean, 4)
    except ValueError:
        return rng.poisson(2.0, 4) - 10


def uncaught(seed, mean):
    return np.random.default_rng(seed).poisson(mean, 4)


def test_exceptions():
    assert jit(counts).lower(1, 2.0).native_program() is not None
    for mean in (3.0, -1.0):
        check(counts, 5, mean)
        check(uncaught, 5, mean)
    check(uncaught, -5, 1.0)


def test_other_threads():
    wrapped = jit(drawn)
    want = [drawn(seed, 300)[0].tolist() for seed in range(3)]

    def call(seed):
        found[seed] = [wrapped(seed, 300)[0].tolist() for _ in range(4)]

    found: dict[int, list[list[float]]] = {}
    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: [row] * 4 for seed, row in enumerate(want)}


def test_a_callback_that_fails_itself(monkeypatch):
    def failing(*args, **kwargs):
        raise RuntimeError("no draws today")

    wrapped = jit(counted)
    wrapped(2)
    monkeypatch.setattr(type(random_draw), "write", failing)
    for _ in range(2):
        with pytest.raises(CallbackError, match="no draws today"):
            wrapped(2)


def test_what_is_called_in_a_run_that_fails_is_not_called_again(monkeypatch):
    def checked(seed):
        counts = np.random.RandomState(seed).poisson(2.0, 3)
        if counts[0] >= 0:
            raise ValueError(f"{seed} is no seed")
        return counts

    def counting(*args, **kwargs):
        calls.append(1)
        return write(*args, **kwargs)

    calls: list[int] = []
    write = type(random_draw).write
    monkeypatch.setattr(type(random_draw), "write", counting)
    wrapped = jit(checked)
    for _ in range(4):
        with pytest.raises(ValueError, match="5 is no seed"):
            wrapped(5)
    assert len(calls) == 4


def test_what_a_function_keeps_of_its_arguments_stays():
    kept = []

    @host
    def keep(x, parts):
        kept.append((x, parts))
        return x.sum() + len(parts)

    @jit
    def twice(x):
        return keep(x * 2.0, [x, (x + 1.0, 3)]) + keep(x - 1.0, [x])

    x = np.arange(40.0)
    for k in range(3):
        assert twice(x + k) == (2 * (x + k)).sum() + 2 + (x + k - 1).sum() + 1
    del kept[:2]  # of the trace, maybe
    for k, (first, second) in enumerate(zip(kept[-6::2], kept[-5::2], strict=True)):
        np.testing.assert_array_equal(first[0], 2 * (x + k))
        np.testing.assert_array_equal(first[1][1][0], x + k + 1)
        np.testing.assert_array_equal(second[0], x + k - 1)


@pytest.mark.parametrize("change", ["list", "tuple", "dict", "array"])
def test_changes_of_arguments_are_refused(change):
    @host
    def changing(x, parts, by_name):
        if change == "array":
            x[0] = 9.0
        elif change == "list":
            parts.append(1)
        elif change == "tuple":
            by_name["pair"][0].append(2)
        else:
            by_name["other"] = by_name.pop("more")
        return x.sum()

    @jit
    def call(x):
        return changing(x, [1.0, 2], {"pair": ([1], 2), "more": 3})

    with pytest.raises(UnsupportedOperationError, match="changes an argument"):
        call(np.arange(3.0))
