"""The order in which Python goes over sets of run-time members that were made of others."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import UnsupportedOperationError, jit
from tests.equivalence import Outcome, alike, check_calls


def _numbers(seed, many=12, few=7):
    rng = np.random.default_rng(seed)
    return rng.integers(-40, 100, many), rng.integers(-40, 100, few) * rng.integers(0, 2)


ARGUMENTS = [_numbers(0), _numbers(1)]


def common(xs, ys):
    a, b = set(xs.tolist()), {y for y in [*ys.tolist(), *xs.tolist()[:5]]}
    return [v for v in a & b], [v for v in a.intersection(xs.tolist()[4:])]


def common_in_place(xs, ys):
    a, b = set(), set()
    for x in xs.tolist():
        a.add(x)
    for y in [*xs.tolist()[:5], *ys.tolist()]:
        b.add(y)
    a &= b
    return [v for v in a]


def others(xs, ys):
    a, b = set(xs.tolist()), set([*xs.tolist()[2:4], *ys.tolist()])
    return [v for v in a - b]


def with_plain_sets(xs, ys):
    a = set(xs.tolist())
    a.update(range(0, 60, 7))
    return [v for v in {49, 7, 14, 1000, 28} & a]


def of_tuples(xs, ys):
    a = {(x, x % 3) for x in xs.tolist()}
    b = {(x, x % 3) for x in [*xs.tolist()[4:], *ys.tolist()]}
    return [v for v in a & b]


def in_a_loop(xs, ys):
    kept = set(xs.tolist())
    seen = []
    for y in ys.tolist():
        kept &= {x for x in xs.tolist() if x != y}
        seen.append(sum(kept))
    for v in kept:
        seen.append(v)
    return seen


@pytest.mark.parametrize("program", [common, common_in_place, others, with_plain_sets, of_tuples, in_a_loop])
def test_orders(program) -> None:
    check_calls(program, *ARGUMENTS)


def test_without_machine_code() -> None:
    loops = jit(others, native_loops=False)
    for args in ARGUMENTS:
        alike(Outcome(others, args, {}), Outcome(loops, args, {}))


def united(a, b):
    a |= b
    return a


def taken_away(a, b):
    a -= b
    return a


def itself(a, b):
    return a & a


def copied(a, b):
    return a.difference(b, [1])


@pytest.mark.parametrize("make", [united, taken_away, itself, copied])
def test_orders_that_hang_on_the_tables_are_refused(make) -> None:
    def f(xs, ys):
        return [v for v in make(set(xs.tolist()), set(ys.tolist()))]

    with pytest.raises(UnsupportedOperationError, match="the order of a set"):
        jit(f)(*ARGUMENTS[0])


def test_the_difference_of_a_much_larger_set_is_refused_when_it_runs() -> None:
    def f(xs, n):
        b = {x for x in xs.tolist()[:3] if x < n}
        return [v for v in set(xs.tolist()) - b]

    wrapped = jit(f)
    xs = ARGUMENTS[0][0]
    assert wrapped(xs, 1000) == f(xs, 1000)
    with pytest.raises(UnsupportedOperationError, match="the order of a set"):
        wrapped(xs, -1000)


def walked(xs, ys):
    a = {x for x in xs.tolist() if x > 0}
    it = iter(a)
    found = []
    for x in iter(a):
        found.append(x)
    return next(it, None), next(it, None), found, next(iter({y for y in ys.tolist() if y > 99}), "nothing")


def unpacked(xs, ys):
    first, second = {x for x in xs.tolist() if x > 0}
    return first, second


def turned(xs, ys):
    return list(reversed({x for x in xs.tolist() if x > 0}))


@pytest.mark.parametrize("function", [walked, unpacked, turned])
def test_iterators_keep_the_order(function) -> None:
    check_calls(function, (np.array([2, 0, 1]), ARGUMENTS[0][1]), (np.array([16, 9, -1]), ARGUMENTS[1][1]))
