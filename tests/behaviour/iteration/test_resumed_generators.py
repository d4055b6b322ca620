"""Generators that are asked in several places, or under run-time conditions, and go on from where they wait."""

from __future__ import annotations

from itertools import accumulate, islice

import numpy as np
import pytest

from anabranch import ConcretizationError, UnsupportedValueError, jit
from tests.program_table import Program, Table

case = Table()
X = np.array([1.0, 2, 3, -1, 5, 6])


def count(n):
    i = 0
    while i < n:
        yield i
        i += 1


def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def chunks(x, k):
    held = []
    for v in x:
        held.append(v)
        if len(held) == k:
            yield sum(held)
            held = []
    if held:
        yield -sum(held)


def uniform(seed):
    while True:
        seed = (1103515245 * seed + 12345) % 2147483648
        yield seed / 2147483648.0


def each(x):
    for v in x:
        yield v + 0.0


def take(g, k):
    total = 0
    for _ in range(k):
        total += next(g)
    return total


class Source:
    def __init__(self, n):
        self.items, self.last = count(n), -1

    def draw(self):
        self.last = next(self.items)
        return self.last


@case((9,), (4,))
def next_after_a_break(n):
    g = count(n)
    total = 0
    for v in g:
        total += v
        if v > 2:
            break
    return total, next(g), next(g)


@case((30,))
def another_loop_after_a_break(n):
    f = fib()
    total = 0
    for v in f:
        if v > n:
            break
        total += v
    for v in f:
        if v > 10 * n:
            break
        total -= v
    return total, next(f)


@case((9,), (2,))
def the_rest_as_a_list(n):
    g = count(n)
    for v in g:
        if v > 2:
            break
    return v, list(g), next(g, -1)


@case((9, 4), (9, 0))
def items_in_a_loop(n, k):
    g = count(n)
    out = []
    for _ in range(k):
        out.append(next(g))
    return out, sum(g)


@case((9, 3))
def a_helper_that_takes_some(n, k):
    g = count(n)
    return take(g, k), take(g, k), next(g)


@case((9, 4))
def an_attribute(n, k):
    s = Source(n)
    total = 0
    for i in range(k):
        if i % 2 == 0:
            total += s.draw()
    return total, s.draw(), s.last


@case((5,))
def one_of_two(n):
    made = [count(n), count(n + 1)]
    total = 0
    for i in range(4):
        total += 10 * next(made[i % 2]) + i
    return total


@case((5, 42))
def asked_where_a_condition_says(n, seed):
    r = uniform(seed)
    hits = tries = 0
    while hits < n:
        u, v = next(r), next(r)
        tries += 1
        if u * u + v * v < 1:
            hits += 1
        elif u > 0.99:
            next(r)
    return hits, tries, next(r)


@case((np.array([1.0, 3, 5]), np.array([2.0, 3, 9, 10])))
def merged(x, y):
    a, b = each(x), each(y)
    out = []
    p, q = next(a, None), next(b, None)
    while p is not None and q is not None:
        if p <= q:
            out.append(p)
            p = next(a, None)
        else:
            out.append(q)
            q = next(b, None)
    return out, list(a), list(b)


@case((X,))
def with_several_yields(x):
    g = chunks(x, 4)
    first = next(g)
    rest = 0.0
    for v in g:
        if v > 0:
            break
        rest += v
    return first, rest, next(g, None)


@case((6,), (2,))
def closed_after_a_break(n):
    g = count(n)
    for v in g:
        if v == 2:
            break
    g.close()
    return list(g), v


@case((X, 2), (X[:1], 2))
def appended_until_the_end(x, k):
    g, out = chunks(x, k), []
    while True:
        try:
            total = next(g)
        except StopIteration:
            break
        out.append(total)
    return out


@case((X,))
def functions_inside(x):
    def positive(least=0):
        for v in x:
            if v > least:
                yield v + shift

    shift, kept = x[0] + 1, []
    values, others = positive(), positive(least=2)
    while (v := next(values, None)) is not None:
        kept.append(v)
        if v > 4:
            kept.append(next(others, -1.0))
    return kept, next(positive()), list(zip(positive(), [1], strict=False))


@case((X,))
def a_function_inside_that_is_sent_values(x):
    def averages():
        total, n, mean = 0.0, 0, None
        while True:
            v = yield mean
            total += v
            n += 1
            mean = total / n

    mean, found = averages(), 0.0
    next(mean)
    for v in x:
        if v > 1:
            found = mean.send(v)
    return found


@case((np.array([3, 4, 0, 5, 0]),), (np.array([1, 0, 2]),))
def calls_until_a_value(x):
    place = [0]

    def read():
        place[0] += 1
        return x[place[0] - 1]

    values = iter(read, 0)
    first = next(values)
    if first > 2:
        first += next(values)
    return first, list(values), place


@case((X, 1.0))
def totals_where_a_condition_says(x, least):
    totals, found = accumulate(x, max, initial=0.5), []
    for v in x:
        if v > least:
            found.append(next(totals))
    return found, list(totals)


@case((3, 2.0, [1.0, 2.0, 3.0]), (1, 1.0, [1.0, 2.0, 3.0]), (4, 1.0, [1.0, 2.0, 3.0]))
def steps_that_index_a_list(n, x, values):
    """Each trace made steps of its own, of which it was not known that their subscripts are staged."""

    def steps(k):
        yield values[n % 3]
        for _ in range(n % 4):
            yield values[k % 3]

    it = steps(int(x))
    y = next(it, 2.0)
    y += next(it, y)
    return y


@case((np.arange(40.0), 3), (np.arange(40.0), 41), (np.arange(40.0), 20))
def parts_of_a_long_array(x, size):
    """Its iterator is made of another one, which moves with it."""
    items = iter(x)
    sums = []
    while True:
        part = list(islice(items, size))
        if not part:
            return sums, next(items, None)
        sums.append(sum(part))


@pytest.mark.parametrize("program", case.programs)
def test_generators_go_on(program: Program) -> None:
    program.check()


def test_a_generator_that_sets_a_variable_around_it_is_asked_in_loops_alone() -> None:
    def f(x):
        seen = 0

        def positive():
            nonlocal seen
            for v in x:
                seen += 1
                if v > 0:
                    yield v

        values = positive()
        return next(values) + next(values, 0.0), seen

    with pytest.raises(ConcretizationError, match="use a for statement"):
        jit(f)(X)


def test_a_generator_is_no_result() -> None:
    def f(n):
        g = count(n)
        for v in g:
            if v == 2:
                break
        next(g)
        return g

    with pytest.raises(UnsupportedValueError, match="the result is a generator"):
        jit(f)(9)
