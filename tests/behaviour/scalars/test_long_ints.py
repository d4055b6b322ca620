"""Calls in which a Python int goes beyond 64 bits: they are made again as plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anabranch import IntegerRangeError, LongIntegerWarning, asarray, jit


def factorial(n):
    product = 1
    for i in range(2, n + 1):
        product *= i
    return product


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def powers(n):
    return 2**n * 3**n, math.factorial(n)


def modular(base, exponent, m):
    result = 1
    while exponent > 0:
        if exponent & 1:
            result = result * base % m
        base, exponent = base * base % m, exponent >> 1
    return result


def caught(n):
    try:
        return factorial(n)
    except OverflowError:
        return -1


def written(x, n):
    out, v = [], 1
    for i in range(n):
        v *= 10
        out.append(v)
        x[i % 3] += 1
    return out


CASES = (
    (factorial, (25,)), (factorial, (5,)), (fibonacci, (200,)), (powers, (70,)), (modular, (2, 100, 2**89 - 1)),
    (caught, (25,)), (lambda n: n + 1, (2**70,)),
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::anabranch.LongIntegerWarning")
@pytest.mark.parametrize(("function", "args"), CASES)
def test_results_are_exact(function, args) -> None:
    for options in ({}, {"native_loops": False}):
        compiled = jit(function, long_ints=True, **options)
        for _ in range(3):
            assert compiled(*args) == function(*args)


def test_the_first_call_warns_and_explain_counts() -> None:
    compiled = jit(factorial, long_ints=True)
    with pytest.warns(LongIntegerWarning, match="of factorial went beyond 64 bits") as caught:
        compiled(30)
    assert caught[0].filename == __file__
    compiled(30)
    assert compiled(5) == 120
    assert "calls run as plain Python: 2 so far" in str(compiled.explain(5))


@pytest.mark.filterwarnings("ignore::anabranch.LongIntegerWarning")
def test_nothing_of_the_first_run_is_seen(capsys) -> None:
    def drawn(generator, n):
        first = generator.random()
        print("drawn")
        return factorial(n), first, generator.random()

    mine, theirs = np.random.default_rng(1), np.random.default_rng(1)
    assert jit(drawn, long_ints=True)(theirs, 25) == drawn(mine, 25)
    assert mine.random() == theirs.random()
    assert capsys.readouterr().out == "drawn\n" * 2
    want, got = np.zeros(3), np.zeros(3)
    assert jit(written, long_ints=True)(got, 25) == written(want, 25)
    np.testing.assert_array_equal(got, want)


@pytest.mark.filterwarnings("ignore::anabranch.LongIntegerWarning")
def test_methods_and_generators() -> None:
    class Counter:
        def __init__(self):
            self.value = 1

        @jit(long_ints=True)
        def grow(self, n):
            for _ in range(n):
                self.value *= 7
            return self.value

    def products(n):
        v = 1
        for i in range(1, n):
            v *= i
            yield v

    counter = Counter()
    assert counter.grow(30) == counter.value == 7**30
    assert counter.grow(1) == 7**31
    assert list(jit(products, long_ints=True)(30)) == list(products(30))


def test_where_it_stays_an_error() -> None:
    def shown(n):
        v = 1
        for i in range(n):
            if i % 10 == 0:
                print(i)
            v *= 10
        return v

    for function, options, args in (
        (factorial, {"long_ints": False}, (25,)),
        (shown, {"long_ints": True}, (25,)),
        (lambda x, n: (x.sum(), factorial(n)), {"long_ints": True}, (asarray(np.zeros(3)), 25)),
    ):
        with pytest.raises(IntegerRangeError):
            jit(function, **options)(*args)
    with pytest.raises(IntegerRangeError):
        jit(factorial, long_ints=True).lower(5).compile()(25)
