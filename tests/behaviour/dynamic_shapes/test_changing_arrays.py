"""Arrays whose size changes in loops, in all kinds of loops and ways to leave them."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import configure, jit
from tests.program_table import Program, Table

case = Table()
A = np.arange(8.0)
B = np.array([3.0, -1, 4, -2, 5])


@case((A,), (B,))
def appended_where(a):
    x = np.zeros(0)
    for v in a:
        if v > 0:
            x = np.append(x, v)
    return x


@case((A,), (B,))
def concatenated_so_often(a):
    m = int(a[1] + 3)
    x = np.zeros(1)
    for i in range(m):
        x = np.concatenate([x, [i]])
    return x


@case((A,), (B,))
def written_after_growing(a):
    m = int(a[1] + 3)
    x = np.zeros(1)
    for i in range(m):
        x = np.append(x, i * 1.0)
    x[0] = 7
    x += 1
    return x


@case((A,), (B,))
def without_its_first(a):
    s = 0.0
    x = a
    while len(x) > 1:
        x = x[1:]
        s += x[0]
    return s, x


@case((A,), (B,))
def every_second(a):
    x = a
    n = 0
    while len(x) > 1:
        x = x[::2]
        n += 1
    return n, x


@case((A,), (B,))
def greater_ones_left(a):
    x = a * 1
    n = 0
    while x.size:
        p = x[0]
        x = x[x > p]
        n += 1
    return n


@case((A,), (B,))
def filtered_so_often(a):
    x = a * 1
    n = 0
    while x.size > 2 and n < 4:
        x = x[x > n]
        n += 1
    return n, x


@case((A,), (B,))
def rows_stacked_where(a):
    m = np.zeros((0, 2))
    for v in a:
        if v > 1:
            m = np.vstack([m, [v, v * 2]])
    return m


@case((A,), (B,))
def rows_stacked_until(a):
    m = np.zeros((1, 2))
    i = 0
    while m[-1, 0] < a[2]:
        m = np.vstack([m, m[-1] + 1])
        i += 1
    return m


@case((A,), (B,))
def sequence_of_a_while(a):
    n = int(a[2]) + 20
    s = np.array([n])
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        s = np.append(s, n)
    return s


@case((A,), (B,))
def doubled(a):
    x = a[:1]
    m = int(a[2]) + 2
    for i in range(m):
        x = np.concatenate([x, x])
    return x


@case((A,), (B,))
def of_a_short_range(a):
    x = np.zeros(1)
    for i in range(4):
        x = np.append(x, a[i])
    return x


@case((A,), (B,))
def until_a_break(a):
    x = np.zeros(0, int)
    for i in range(1000):
        if i * i > a[2] * 3:
            break
        x = np.append(x, i)
    return x.sum(), x


@case((A,), (B,))
def until_a_return(a):
    x = np.zeros(0)
    for v in a:
        x = np.append(x, v)
        if v == 4:
            return x
    return x * 2


@case((A,), (B,))
def item_of_a_dict(a):
    d = {"x": np.zeros(0)}
    for v in a:
        if v > 1:
            d["x"] = np.append(d["x"], v)
    return d["x"]


@case((A,), (B,))
def stack(a):
    s = np.array([0.0])
    t = 0.0
    while s.size:
        v = s[-1]
        s = s[:-1]
        t += v
        if v < a[2]:
            s = np.append(s, [v + 1, v + 2])
    return t


@case((A,), (B,))
def windows_are_views(a):
    x = a
    while len(x) > 1:
        x[0] = -1
        x = x[2:]
    return a


@case((A, 3), (A, 0), (B, 2))
def two_at_once(a, p):
    small, large = np.zeros(0), np.zeros(0)
    for v in a:
        if v > p:
            large = np.append(large, v)
        else:
            small = np.concatenate([[v], small])
    return small, large


@case((A, 3), (A, 0), (B, 2))
def nested(a, p):
    x = np.zeros(0)
    for v in a:
        for w in a:
            if v + w > p and len(x) < 20:
                x = np.append(x, v * w)
        if v == 4:
            break
    return x


@case((A, 3), (A, 0), (B, 2))
def in_a_helper(a, p):
    def put(x, v):
        return np.append(x, [v, v]) if v > p else x[:1]

    x = np.zeros(1)
    for v in a:
        x = put(x, v)
    return x


@case((A, 3), (A, 0), (B, 2))
def quick_selection(a, p):
    k = p
    while True:
        pivot = a[0]
        low, high = a[a < pivot], a[a > pivot]
        if k < len(low):
            a = low
        elif k >= len(a) - len(high):
            k -= len(a) - len(high)
            a = high
        else:
            return pivot


@case((A, 3), (A, 0), (B, 2))
def queue(a, p):
    q, done = a[:1] * 0, 0
    while len(q) > 0 and done < 20:
        v, q = q[0], q[1:]
        done += 1
        if v < p:
            q = np.append(q, [v + 1, v + 2])
    return done, q


@case((A, 3), (A, 0), (B, 2))
def caught(a, p):
    x = a[a > p]
    n = 0
    while True:
        try:
            x = x[1:]
            n += x[0] > 0
        except IndexError:
            return n, x


@case((A, 3), (A, 0), (B, 2))
def merged_runs(a, p):
    left, right = a[a > p], np.sort(a)[::-1] * 1
    out = np.zeros(0)
    while len(left) and len(right):
        if left[0] < right[0]:
            out, left = np.append(out, left[0]), left[1:]
        else:
            out, right = np.append(out, right[0]), right[1:]
    return np.concatenate([out, left, right])


@case((A,), (B,))
def none_at_first(a):
    r = None
    for v in a:
        if v > 2:
            r = np.array([v]) if r is None else np.append(r, v)
    return r


@case((A,), (B,))
def written_through_both_names(a):
    x, n = a, 0
    while len(x) > 1:
        a[len(x) - 1] = n
        n += 1
        x = x[:-1]
        x[0] += x[-1]
    return x, a


@case((A,), (B,))
def written_before_it_grows(a):
    x = a
    y = x
    for i in range(int(a[2])):
        x[0] = 50 + i
        x = np.append(x, i)
    return x, y


@case((A,), (B,))
def item_of_a_dict_is_a_view(a):
    d = {"x": a}
    while len(d["x"]) > 2:
        d["x"] = d["x"][1:]
        d["x"][0] = -5
    return a, d


@case((A,), (B,))
def on_both_axes(a):
    m = np.zeros((1, 1))
    for i in range(int(abs(a[2])) % 4):
        m = np.pad(m, 1, constant_values=i)
    return m


@case((A,), (B,))
def names_traded(a):
    x, y = a[:2], a[2:]
    for i in range(int(abs(a[2]))):
        x, y = np.append(y, i), x
    return x, y


@case((A,), (B,))
def both_ways(a):
    x = np.zeros(0)
    for i in range(200):
        if a[i % 5] > 2:
            x = np.append(x, i)
        if len(x) > 6:
            x = x[3:]
    return x


@pytest.mark.parametrize("program", case.programs)
def test_matches_eager(program: Program) -> None:
    program.check()


def sequence(n):
    s = np.array([n])
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        s = np.append(s, n)
    return s


def test_what_does_not_fit_is_computed_again_with_more_room(compiled: list[object]) -> None:
    with configure(capacity=8):
        f = jit(lambda a: sequence(int(a[0])))
        for n in (6, 27, 97, 6):
            np.testing.assert_array_equal(f(np.array([n])), sequence(n))
        assert len(compiled) == 3


def test_the_loops_bound_is_room_enough(compiled: list[object]) -> None:
    @jit
    def f(a):
        x = np.zeros(0)
        for v in a:
            if v > 0.5:
                x = np.append(x, v)
        return x

    for seed in range(3):
        a = np.random.default_rng(seed).random(500)
        np.testing.assert_array_equal(f(a), a[a > 0.5])
    assert len(compiled) == 1


def test_a_short_range_has_static_shapes() -> None:
    def f(a):
        x = np.zeros(1)
        for i in range(3):
            x = np.append(x, a[i])
        return x

    text = jit(f).lower(A).as_text()
    assert "while" not in text
    assert "select" not in text
