"""Functions of `itertools` over lists whose length, or whose keys, are known only at run time."""

from __future__ import annotations

import itertools
import operator
from itertools import (
    accumulate,
    chain,
    combinations,
    combinations_with_replacement,
    compress,
    dropwhile,
    filterfalse,
    groupby,
    islice,
    pairwise,
    permutations,
    product,
    takewhile,
    zip_longest,
)

import numpy as np
import pytest

from anabranch import AnabranchError, jit
from tests.program_table import Program, Table

case = Table()
X = np.array([3.0, 1, -2, 5, 4, 4])
I = np.array([3, 1, 3, 2, 1, 3, 1])  # noqa: E741


def positive(x):
    return [v for v in x if v > 0]


@case((I,))
def runs_of_equal_numbers(i):
    runs = []
    for k, g in groupby(i):
        runs.append((k, sum(1 for _ in g)))
    return runs, [(k, len(list(g))) for k, g in groupby(sorted(i.tolist()))]


@case((X,), (-X,))
def groups_by_a_key(x):
    out = []
    for k, g in groupby(sorted(positive(x)), key=lambda v: v > 2):
        out.append((k, sum(g)))
    return out


@case((I,))
def groups_of_records(i):
    records = sorted([(int(v), n) for n, v in enumerate(i)], key=lambda r: r[0])
    return {k: [n for _, n in g] for k, g in groupby(records, key=operator.itemgetter(0))}


@case((I,))
def a_group_that_is_left(i):
    found = []
    for k, g in groupby(i):
        for v in g:
            found.append(k * 10 + v)
            break
        if k == 2:
            break
    return found


@case((X,), (-X,))
def selected(x):
    some = positive(x)
    return (
        list(takewhile(lambda v: v > 2, some)), list(dropwhile(lambda v: v > 2, some)), list(islice(some, 1, None, 2)),
        list(filterfalse(lambda v: v > 3, some)), list(compress(some, [v > 2 for v in some])),
        list(islice(accumulate(some), 2)), list(accumulate(some, func=max)), max(accumulate(some), default=0.0),
    )  # fmt: skip


@case((X,), (-X,))
def chosen(x):
    some = positive(x)
    best = 0.0
    for a, b, c in combinations(some, 3):
        best = max(best, a * b - c)
    return (
        best, [a - b for a, b in combinations(some, 2)], [a * b for a, b in product(some, some)],
        [a - b for a, b in permutations(some, 2)], len(list(combinations_with_replacement(some, 2))),
    )  # fmt: skip


@case((X,), (-X,))
def joined(x):
    some, other = positive(x), positive(-x)
    return (
        list(chain(some, [1.0], other)), list(chain.from_iterable([[v, v * 2] for v in some])),
        list(zip_longest(some, other, fillvalue=0.0)), list(map(lambda a, b: a + b, some, some)),
        [b - a for a, b in pairwise(some)], [b - a for a, b in pairwise(accumulate(some))],
    )  # fmt: skip


@case((2,), (0,))
def of_nothing(n):
    none = range(0)
    return (
        list(islice(none, n)), list(islice(none, 0, n)), list(zip(none, range(n), strict=False)), sum(islice(none, n)),
        list(map(lambda a, b: a + b, range(n), none)), max(islice(none, n), default=n), np.array(list(islice(none, n))),
        list(accumulate(islice(none, n))), dict(zip(range(n), none, strict=False)), set(islice(none, n)),
    )  # fmt: skip


@case((1,), (0,), (-1,))
def by_steps(n):
    return list(islice(range(9), 1, None, n))


@case((1,), (0,))
def fails_of_nothing(n):
    try:
        return list(islice(range(0), n))[-1]
    except IndexError:
        return "none"


class Down:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1


@case((5,), (1,))
def asked_by_the_function(n):
    items = Down(n)
    return [item for item in map(lambda _: next(items, 0), range(3))], list(filter(lambda _: next(items, 1), range(2)))


@case(([1, 2], [3, 4, 5]), ([], [1]))
def ended_by_the_function(a, b):
    first, second = iter(a), iter(b)
    return list(map(next, [first] * 5)), list(map(next, [second, first, second])), next(second, -1)


@pytest.mark.parametrize("program", case.programs)
def test_itertools(program: Program) -> None:
    program.check()


def test_groups_that_are_kept_are_empty_or_refused() -> None:
    def kept(i):
        return [list(g) for g in [g for _, g in groupby(i)]]

    with pytest.raises(AnabranchError):
        jit(kept)(I)


@pytest.mark.skipif(not hasattr(itertools, "batched"), reason="Python 3.12 and later")
def test_batched() -> None:
    def f(x):
        return [sum(b) for b in itertools.batched(positive(x), 2)]

    assert jit(f)(X) == f(X)
