"""Ints that calls have to know: where there come to be many values, one executable serves the later ones."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.api import compiled_signatures


def coins(n):
    ways = [0] * (n + 1)
    ways[0] = 1
    for coin in (1, 2, 5):
        for i in range(coin, n + 1):
            ways[i] += ways[i - coin]
    return ways[n]


def marked(n, k):
    marks = [False] * n
    for i in range(0, n, k):
        marks[i] = True
    return [i for i in range(n) if marks[i]]


def rows(x, n):
    return x[: n * (len(x) // n)].reshape(n, -1).sum(axis=1)


class Board:
    def __init__(self, size):
        self.size = size

    @jit
    def ways(self, n):
        return coins(n) + self.size


def test_one_executable_serves_later_values() -> None:
    for function, values in ((coins, [(n,) for n in range(60)]), (marked, [(n, n % 4 + 1) for n in range(1, 60)])):
        compiled = jit(function)
        for _ in range(2):
            for args in values:
                assert compiled(*args) == function(*args)
        assert compiled.cache_info().misses <= 12  # eight, one for all, and that again where a buffer was too small
        assert compiled(*(3000, 7)[: len(values[0])]) == function(*(3000, 7)[: len(values[0])])
        assert "by itself" not in str(compiled.explain(*values[50]))
        assert "by itself" in str(compiled.explain(*values[2]))


def test_a_value_that_is_met_often_has_its_own_again() -> None:
    compiled = jit(coins)
    for n in range(30):
        compiled(n)
    before = compiled.cache_info().misses
    for _ in range(1_000_000):
        assert compiled(25) == 42
        if compiled.cache_info().misses > before:
            break
    assert compiled.cache_info().misses == before + 1
    assert compiled(25) == 42
    assert compiled(26) == coins(26)
    assert compiled.cache_info().misses == before + 1


def test_where_it_cannot_be_each_value_has_its_own() -> None:
    x, compiled = np.arange(24.0), jit(rows)
    for n in range(1, 13):
        np.testing.assert_array_equal(compiled(x, n), rows(x, n), strict=True)
    assert compiled.cache_info().misses == 12
    assert "by itself" in str(compiled.explain(x, 12))


STEP = 1


def test_globals_are_guarded_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def steps(n):
        out = [0] * n
        for i in range(n):
            out[i] = i * STEP
        return out

    compiled = jit(steps)
    for n in range(12):
        assert compiled(n) == steps(n)
    monkeypatch.setitem(globals(), "STEP", 5)
    for n in range(12, 24):
        assert compiled(n) == steps(n) == [5 * i for i in range(n)]


def test_methods() -> None:
    board = Board(7)
    for n in range(20):
        assert board.ways(n) == coins(n) + 7
    board.size = 9
    assert [board.ways(n) for n in range(20)] == [coins(n) + 9 for n in range(20)]


def test_views_that_are_returned_stay_views() -> None:
    def strided(a, n):
        return a[:: n + 1], a[n:]

    def windows(a, n):
        return [a[i : i + 2] for i in range(n)]

    a = np.arange(40.0)
    for function in (strided, windows):
        compiled = jit(function)
        for n in range(14):
            got, want = compiled(a, n), function(a, n)
            assert [np.shares_memory(v, a) for v in got] == [np.shares_memory(v, a) for v in want]
            for one, other in zip(got, want, strict=True):
                np.testing.assert_array_equal(one, other, strict=True)


ROWS = False


def test_what_cannot_serve_all_values_any_more_is_compiled_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    def either(x, n):
        return rows(x, n) if ROWS else coins(n)

    x, compiled = np.arange(60.0), jit(either)
    for n in range(1, 13):
        assert compiled(x, n) == coins(n)
    monkeypatch.setitem(globals(), "ROWS", True)
    for n in range(1, 16):
        np.testing.assert_array_equal(compiled(x, n), rows(x, n), strict=True)


def test_a_list_that_is_longer_than_lists_of_run_time_length_may_be() -> None:
    compiled = jit(coins, capacity_limit=300)
    for n in range(14):
        assert compiled(n) == coins(n)
    assert compiled(500) == coins(500)
    assert compiled(20) == coins(20)


def test_an_interrupt_of_the_compilation_for_all_leaves_each_value_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = jit(coins)
    for n in range(8):
        compiled(n)
    with monkeypatch.context() as interrupting:
        interrupting.setattr(type(compiled), "_compile_as", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            compiled(9)
    for n in range(8, 14):
        assert compiled(n) == coins(n)


def test_an_attempt_that_takes_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_signatures, "_MOST_SECONDS", 0.0)
    numbers, words = jit(coins), jit(lambda text: sum(c == "a" for c in text))
    for n in range(12):
        assert numbers(n) == coins(n)
        assert words(f"a{n}a") == 2
    assert numbers.cache_info().misses == words.cache_info().misses == 12
