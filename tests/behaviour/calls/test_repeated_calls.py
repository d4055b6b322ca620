"""Helpers that are called again and again: each call is what it would be if its body were traced anew."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anabranch as ab
from anabranch.runtime.control.calls import repeated_calls
from anabranch.testing import assert_equivalent as assert_matches

X, Y = np.linspace(-1.0, 1.0, 6), np.linspace(1.0, 2.0, 6)
SCALE = 3.0
TABLE = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
SETTINGS = {"factor": 2.0}
LOG: list[Any] = []


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return how many calls were copied from a recording."""
    made = []
    emitted = repeated_calls._emitted

    def counted(*args: Any) -> Any:
        made.append(args)
        return emitted(*args)

    monkeypatch.setattr(repeated_calls, "_emitted", counted)
    return lambda: len(made)


def same_program(function: Callable[..., Any], *args: Any) -> bool:
    """Return whether the function's Program is, to the letter, the one of a trace of each call."""
    text = str(ab.jit(function).trace(*args).program)
    frequent, repeated_calls.FREQUENT = repeated_calls.FREQUENT, 10**9
    try:
        return text == str(ab.jit(function).trace(*args).program)
    finally:
        repeated_calls.FREQUENT = frequent


def step(x, y, power=2, *, shift=0.5):
    a = np.sin(x) * y + shift
    if a[0] > 0:
        a = a + 1
    b = a - a.mean()
    for k in range(2):
        b[k] += a[k]
    return np.where(b > 0, b, -b) ** power / SCALE


def chain(x, y):
    for _ in (1, 2, 3):
        x = step(x, y)
    x = step(x, y)
    x = step(x, y)
    return step(x, y)


def test_chain(copies):
    assert_matches(chain, X, Y)
    assert copies() == 3
    assert same_program(chain, X, Y)


def test_other_types_and_constants(copies):
    def f(x, y):
        small = x.astype(np.float32)
        found = [step(x, y) for _ in (1, 2, 3, 4, 5)]
        found += [step(small, y[:1].astype(np.float32)), step(small, y[:1].astype(np.float32))]
        found += [step(x, y, 3), step(x, y, 3), step(x, y, shift=1), step(x, y, shift=1.0), step(x, y, shift=True)]
        found += [step(x[:3], y[:3]), step(x[3:], y[3:]), step(x[::-1], y), step(x, x), step(x, x)]
        return found

    assert_matches(f, X, Y)
    assert copies() > 6
    assert same_program(f, X, Y)


def pair(x, n):
    m = x * n + 1
    m = m - m.min() + np.abs(x) / (1 + np.exp(-m))
    return m, x, x[1:], (m[::2], float(n) + 1.5, None), n


def test_parts_of_arguments_and_of_results(copies):
    def f(x, n):
        found = []
        for _ in (1, 2, 3, 4, 5, 6):
            m, same, tail, (half, number, _), n = pair(x, n)
            m[0] = 7.0  # the result's own memory, of which `half` is a part
            tail[0] += number  # the argument's
            found += [m, half, same is x, tail.copy(), np.shares_memory(tail, x), np.shares_memory(m, half)]
        return found, x, n

    assert_matches(f, X, 2)
    assert copies()
    assert same_program(f, X, 2)


def reader(x):
    y = x * SETTINGS["factor"] + TABLE
    y = y - np.sort(y) * 0.5 + np.cumsum(y) / 3 - np.tanh(y)
    return y + np.sqrt(np.abs(y))


def test_what_changes_outside():
    def f(x):
        global SCALE
        found = [reader(x) for _ in (1, 2, 3, 4, 5)]
        SETTINGS["factor"] = 5.0
        found += [reader(x), step(x, x), step(x, x), step(x, x), step(x, x)]
        SETTINGS["factor"] = 2.0
        SCALE = 4.0
        found += [reader(x), step(x, x), step(x, x)]
        SCALE = 3.0
        return found

    assert_matches(f, X)


def test_arrays_from_outside(copies):
    def f(x):
        first = [reader(x), reader(x), reader(x), reader(x)]
        TABLE[0] += 10.0
        first += [reader(x), reader(x)]
        TABLE[0] -= 10.0
        return first

    assert_matches(f, X)
    assert copies() > 1
    assert same_program(f, X)


def writer(x, y):
    x[0] = y.sum()
    z = np.sin(x) * np.cos(y) + np.exp(-x) * np.abs(y)
    x[1:] += z[1:] - z.mean()
    return z


def noter(x):
    LOG.append(len(LOG))
    z = np.sin(x) * len(LOG) + np.exp(-x) * np.abs(x) - x.mean()
    print("noted", len(LOG))
    return z / 2


def test_writes_and_effects():
    def f(x, y):
        x = x.copy()
        found = [writer(x, y) for _ in (1, 2, 3, 4, 5)]
        found += [noter(x), noter(x), noter(x), noter(x), noter(x)]
        LOG.clear()
        return found, x

    assert_matches(f, X, Y)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def norm(self):
        return np.sqrt(self.x**2 + self.y**2)


def objects(x, y):
    p = Point(np.sin(x) * 2, np.cos(y) - 1)
    p.x = p.x + p.norm()
    p.y = p.y - p.norm() * 0.5
    return p.norm() * p.x


def made(x):
    return Point(np.sin(x) * np.cos(x) + 1, np.exp(x) - np.tanh(x) + np.abs(x))


def test_objects(copies):
    def f(x, y):
        found = [objects(x, y), objects(x, y), objects(x, y), objects(x, y), objects(x, y)]
        p, q, *more = made(x), made(x), made(x), made(x), made(x)
        p.x[0] = 9.0
        return found, p.norm(), q.norm(), p is q, [m.norm() for m in more]

    assert_matches(f, X, Y)
    assert copies() >= 2


def checked(x, i):
    a = x[i] * 2.0
    b = a + x[i + 1] - np.sin(a)
    if b > 50.0:
        raise ValueError(f"too large: {i}")
    return b / (x[0] + 1) + 10 // (i + 1)


def calls_checked(x, i):
    s = checked(x, i)
    s += checked(x, i - 1)
    s += checked(x, i - 2)
    s += checked(x, i - 3)
    s += checked(x, i - 4)
    if s > 0:
        s += checked(x, i - 5)
    for j in range(3):
        s += checked(x * 50, i + j)
    return s


@pytest.mark.parametrize("i", [0, 1, 2, 3, 4, 5, 6, 9, -3])
def test_failures_name_each_call(i, copies):
    compiled = ab.jit(calls_checked)
    for x in (X, np.ones(6), X - X[0] - 1.0):
        outcomes = []
        for function in (calls_checked, compiled):
            try:
                outcomes.append(function(x, i))
            except Exception as error:
                frames = traceback.extract_tb(error.__traceback__)
                places = [(f.name, f.lineno) for f in frames if f.filename == __file__][1:]
                outcomes.append((type(error), str(error).partition("\n")[0], places))
        assert outcomes[0] == outcomes[1] or np.allclose(*outcomes)
    assert copies() >= 3


def picks(x, k):
    s = checked(x, k[0])
    s += checked(x, k[1])
    s += checked(x, k[2])
    s += checked(x, k[3])
    s += checked(x, k[4])
    if s == s:
        s += checked(x, k[5])
    for j in range(6, 8):
        s += checked(x, k[j])
    return s + checked(x, k[8])


@pytest.mark.parametrize("bad", [-7, 5, 4])
@pytest.mark.parametrize("place", range(9))
def test_the_call_that_fails_is_named(bad, place, copies):
    k, x = np.arange(9) % 4, np.linspace(0.0, 100.0 if bad == 4 else 1.0, 6) ** 3
    k[:] = 1
    k[place] = bad
    x[:4] = 1.0
    found = []
    for function in (picks, ab.jit(picks)):
        with pytest.raises((IndexError, ValueError)) as caught:
            function(x, k)
        frames = traceback.extract_tb(caught.value.__traceback__)
        places = [(f.name, f.lineno) for f in frames if f.filename == __file__][1:]
        found.append((caught.type, str(caught.value).partition("\n")[0], places))
    assert found[0] == found[1]
    assert copies() >= 4


@pytest.mark.slow
def test_failures_in_try():
    def f(x, i):
        s = 0.0
        for k in (0, 1, 2, 3, 4, 5, 6, 7):
            try:
                s += checked(x, i - k)
            except (IndexError, ZeroDivisionError) as error:
                s -= 100.0 if isinstance(error, IndexError) else 10.0
        return s

    for i in range(12):
        assert_matches(f, X, i)


def handles(x, i):
    try:
        a = x[i] * 2 + 10 // i
    except ZeroDivisionError:
        a = -1.0
    except IndexError:
        a = -2.0
    return np.sin(a) + np.cos(a) * a - a / 3.0 + np.abs(x[2]) + np.tanh(a)


def test_helper_with_try():
    def f(x, i):
        s = handles(x, i) + handles(x, i - 1) * 3 + handles(x, i + 1) * 5
        for k in (2, 3, 4, 5, 6):
            s = s * 2 + handles(x, i - k)
        return s

    for i in range(9):
        assert_matches(f, X, i)


def fibonacci(n, x):
    if n < 2:
        return x * n
    return fibonacci(n - 1, x) + fibonacci(n - 2, x) * 0.5


def even(n, x):
    return x if n == 0 else odd(n - 1, np.sin(x) + np.cos(x) * 2 - np.abs(x) / 3)


def odd(n, x):
    return -x if n == 0 else even(n - 1, x * 1.5 + np.tanh(x) - np.exp(-x * x))


def test_recursion():
    def f(x):
        return [fibonacci(k, x) for k in (1, 2, 3, 4, 5, 6)], [even(k, x) for k in (3, 4, 3, 4, 3, 4, 3, 4)]

    assert_matches(f, X)


def applied(function, x):
    return function(np.sin(x) + x) * 2 - function(x * x) + function(np.abs(x) + 1.0) / 3


def test_functions_and_closures():
    def f(x, c):
        scale = 1.0

        def inner(v):
            return np.sin(v) * scale + np.cos(v) * c - np.abs(v) / 3 + np.tanh(v) * np.exp(-v)

        found = [applied(np.cos, x), applied(np.sin, x), applied(inner, x), applied(objects_free, x)]
        found += [applied(objects_free, x), applied(objects_free, x), applied(objects_free, x)]
        for k in (1, 2, 3, 4, 5):
            scale = scale + k
            found.append(inner(x))
        return found

    assert_matches(f, X, 2.0)


def objects_free(v):
    return v * 2 + 1


def test_in_branches_and_loops(copies):
    def f(x, y, n):
        x = step(x, y)
        if x[0] > 0:
            x = step(x, y) + step(x, y)
        else:
            y = step(y, x)
        for _ in range(n):
            x = step(x, y) * 0.1
            y = step(y, y)
            k = 0
            while k < 3 and x.sum() > 0:
                x = step(x, y) * 0.01
                k += 1
        return step(x, y), step(y, y)

    for n in (0, 1, 5):
        assert_matches(f, X, Y, n)
    assert copies() >= 3


def sized(x, n):
    return np.zeros(n) + x[:n] * np.sin(x[:n]) - np.cos(x[:n]) + np.abs(x[:n]) * 3


def counted(x):
    n = int((x > 0).sum())
    kept = x[x > 0]
    return kept.sum() * n, n, np.sin(x).max() - np.cos(x).min() + kept.mean()


def test_sizes(copies):
    def f(x, n):
        found = [sized(x, n), sized(x, n), sized(x, n - 1), sized(x, n - 1), sized(x, n), sized(x, n)]
        return found, [counted(x - k) for k in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]

    for n in (3, 4, 3):
        assert_matches(f, X, n)


def kinds(a, b):
    c = a * 2 + b
    d = c / 3 - a
    return c, d, c + d * a - b, (c > d, -c, abs(d)), round(d), c == a, d * d * d, a + a + b


def test_numbers_of_each_kind(copies):
    def f(i, v):
        s = np.float32(v)
        found = []
        for _ in (1, 2, 3, 4, 5):
            found += [kinds(v, v), kinds(v, 2), kinds(s, s), kinds(i, v), kinds(s, 1.5), kinds(v, s)]
        return found

    assert_matches(f, 3, 2.5)
    assert copies() > 10
    assert same_program(f, 3, 2.5)


@ab.jit
def compiled_helper(x, y=1.0):
    z = np.sin(x) * y + np.cos(x)
    if z.sum() > 0:
        z = z - 1
    return np.abs(z) + np.exp(-z) * np.tanh(z) / 2


def test_compiled_helper(copies):
    def f(x, v):
        found = [compiled_helper(x), compiled_helper(x, v)]
        for _ in (1, 2, 3, 4):
            found += [compiled_helper(x), compiled_helper(x, v), compiled_helper(x, y=v)]
        return found

    assert_matches(f, X, 2.0)
    assert copies() > 5
    assert same_program(f, X, 2.0)


def collected(x):
    found = []
    for v in (1.0, 2.0, 3.0):
        found.append(np.sin(x) * v + np.cos(x))
    return found


def grown(x, k=[]):  # noqa: B006 - on purpose
    k.append(1)
    return np.sin(x) * len(k) + np.cos(x) - np.abs(x) / 2 + np.tanh(x) * 3 - np.exp(x)


def test_lists():
    def f(x):
        lists = [collected(x), collected(x), collected(x), collected(x), collected(x)]
        lists[0][0][0] = 5.0
        lists[1].append(x)
        return lists, [len(found) for found in lists]

    assert_matches(f, X)


def test_default_that_is_changed():
    def f(x):
        made = [grown(x), grown(x), grown(x), grown(x), grown(x), grown(x)]
        grown.__defaults__[0].clear()
        return made

    assert_matches(f, X)
