"""Calls whose values lead to what compiled code does not do, such as ints beyond 64 bits: they are made again."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anabranch import EagerFallbackWarning, IntegerRangeError, UnsupportedOperationError, asarray, host, jit


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


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
@pytest.mark.parametrize(("function", "args"), CASES)
def test_results_are_exact(function, args) -> None:
    for options in ({}, {"native_loops": False}):
        compiled = jit(function, eager_fallback=True, **options)
        for _ in range(3):
            assert compiled(*args) == function(*args)


def test_the_first_call_warns_and_explain_counts() -> None:
    compiled = jit(factorial, eager_fallback=True)
    with pytest.warns(
        EagerFallbackWarning, match="call of factorial was run as plain Python, since a Python int went beyond 64 bits"
    ) as caught:
        compiled(30)
    assert caught[0].filename == __file__
    compiled(30)
    assert compiled(5) == 120
    assert "calls run as plain Python: 2 so far" in str(compiled.explain(5))


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
def test_nothing_of_the_first_run_is_seen(capsys) -> None:
    def drawn(generator, n):
        first = generator.random()
        print("drawn")
        return factorial(n), first, generator.random()

    mine, theirs = np.random.default_rng(1), np.random.default_rng(1)
    assert jit(drawn, eager_fallback=True)(theirs, 25) == drawn(mine, 25)
    assert mine.random() == theirs.random()
    assert capsys.readouterr().out == "drawn\n" * 2
    want, got = np.zeros(3), np.zeros(3)
    assert jit(written, eager_fallback=True)(got, 25) == written(want, 25)
    np.testing.assert_array_equal(got, want)


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
def test_methods_and_generators() -> None:
    class Counter:
        def __init__(self):
            self.value = 1

        @jit(eager_fallback=True)
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
    assert list(jit(products, eager_fallback=True)(30)) == list(products(30))


def test_where_it_stays_an_error() -> None:
    def shown(n):
        v = 1
        for i in range(n):
            if i % 10 == 0:
                print(i)
            v *= 10
        return v

    for function, options, args in (
        (factorial, {"eager_fallback": False}, (25,)),
        (shown, {"eager_fallback": True}, (25,)),
        (lambda x, n: (x.sum(), factorial(n)), {"eager_fallback": True}, (asarray(np.zeros(3)), 25)),
    ):
        with pytest.raises(IntegerRangeError):
            jit(function, **options)(*args)
    with pytest.raises(IntegerRangeError):
        jit(factorial, eager_fallback=True).lower(5).compile()(25)


def test_what_was_printed_and_drawn_before_an_error_is_kept(capsys) -> None:
    def drawn(generator, x):
        print("drawn")
        first = generator.random()
        return first, x**0.5

    generator, other = np.random.default_rng(1), np.random.default_rng(1)
    with pytest.raises(UnsupportedOperationError, match="complex"):
        jit(drawn, eager_fallback=False)(generator, -4.0)
    assert capsys.readouterr().out == "drawn\n"
    other.random()
    assert generator.random() == other.random()
    with pytest.raises(UnsupportedOperationError, match="complex"):
        jit(drawn, eager_fallback=True).lower(generator, 4.0).compile()(generator, -4.0)
    assert capsys.readouterr().out == "drawn\n"


@pytest.mark.filterwarnings("ignore::anabranch.EagerFallbackWarning")
def test_no_handler_catches_what_python_would_not_raise() -> None:
    def handled(x):
        try:
            y = x**0.5
        except Exception:
            y = -1.0
        return y

    assert jit(handled, eager_fallback=True)(-4.0) == handled(-4.0)


def test_an_empty_list_as_a_key_takes_nothing() -> None:
    def chosen(a):
        places = [i for i in range(len(a)) if a[i] > 0]
        a[places] += 1.0
        return a[places]

    for a in (np.array([1.0, -1.0, 2.0]), np.array([-1.0, -2.0])):
        np.testing.assert_array_equal(jit(chosen)(a.copy()), chosen(a.copy()), strict=True)


def test_a_call_in_which_a_host_function_has_run_is_not_made_again() -> None:
    seen = []

    @host(result=float)
    def noted(x):
        seen.append(x)
        return 2.0 * x

    def rooted(x):
        return noted(x), x**0.5

    compiled = jit(rooted, eager_fallback=True)
    compiled(4.0)
    del seen[:]
    with pytest.raises(UnsupportedOperationError, match="complex"):
        compiled(-4.0)
    assert seen == [-4.0]
