"""New arrays that are made of static ones, and written to where or with what only the run knows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import Outcome, alike, check

TABLE = np.arange(6.0).reshape(2, 3)
METHODS = (
    lambda c: c.copy(),
    lambda c: c.astype(np.float64),
    lambda c: c.T.copy(),
    lambda c: c.flatten(),
    lambda c: c.take([0, 1], axis=1),
    lambda c: c.cumsum(axis=1),
    lambda c: c.sum(axis=0),
    lambda c: c.repeat(2),
)
OPERATORS = (
    lambda c: c + 1,
    lambda c: 2.0 - c,
    lambda c: -c,
    lambda c: c @ c.T,
    lambda c: c[1:] * 2,
    lambda c: c[[1, 0]],
    lambda c: c > 2,
    lambda c: divmod(c, 2)[1],
)
FUNCTIONS = (
    lambda c: np.where(c > 2, c, 0.0),
    lambda c: np.sqrt(c),
    lambda c: np.zeros_like(c),
    lambda c: np.vstack([c, c]),
    lambda c: np.sort(c)[::-1],
    lambda c: np.array([c, c + 1]),
)


@pytest.mark.parametrize("births", [METHODS, OPERATORS, FUNCTIONS])
def test_written_at_a_run_time_index(births) -> None:
    def f(n, x, c):
        made = [birth(c) for birth in births]
        for w in made:
            w[n % len(w)] = 7
            w[0] = x
        return made

    check(f, 3, 2.0, TABLE, static=("c",))
    plain, loops = Outcome(f, (3, 2.0, TABLE), {}), jit(f, static_argnames=["c"], native_loops=False)
    for _ in range(3):
        alike(plain, Outcome(loops, (3, 2.0, TABLE), {}))
    assert TABLE[1, 2] == 5.0


def test_written_with_a_run_time_value() -> None:
    def f(x, c):
        w, v = c.copy(), c + 1
        w[0] = x
        v += x
        v[1, :] = w[0]
        return w, v

    def g(n, c):
        w = c[1:] * 2
        for i in range(n):
            w[0, i % 3] = i
        return w

    check(f, 2.0, TABLE, static=("c",))
    check(g, 4, TABLE, static=("c",))


def test_written_under_a_run_time_condition() -> None:
    def f(n, c):
        w = c.copy()
        if n > 1:
            w[0, 1] = -1.0
        for _ in range(n):
            w[1] = 3.0
        return w

    for n in (0, 1, 2):
        check(f, n, TABLE, static=("c",))


def test_static_arrays_are_shapes_bounds_and_conditions_still() -> None:
    def f(n, c, k):
        w = c.copy()
        w[n % 2] = 9
        made = np.zeros(tuple(k)) + np.ones(k)
        total = 0
        for i in range(k[0]):
            for j in range(int(k[1])):
                total += w[j % 2] * i
        if k[1] > 2 and c[0] == 4:
            total += "many"[k[0]] == "n"
        names = {int(v): str(v) for v in c}
        return w, made, total, names, k.tolist(), [n] * k[0], c.reshape(k[0], -1) + 1

    for n in (0, 1):
        check(f, n, np.array([4, 5]), np.array([2, 3]), static=("c", "k"))


def test_parts_and_shapes_in_loops_are_known() -> None:
    def f(n, c):
        w = c.astype(np.float64)
        for i in range(n):
            w[i % 3] += np.ones(c[1]).sum()
        return w

    check(f, 5, np.array([1, 2, 3]), static=("c",))


def test_a_view_of_a_static_array_cannot_be_written_to() -> None:
    def f(n, c):
        w = c.copy()
        w[n] = 1.0
        v = c[1:]
        v[0] = 5.0
        return w, v

    def g(n, c):
        w = c.copy()
        w[n] = 1.0
        c += n
        return w

    for function in (f, g):
        frozen = TABLE.copy()
        frozen.flags.writeable = False
        want = Outcome(function, (1, frozen), {})
        wrapped = jit(function, static_argnames=["c"])
        for _ in range(3):
            alike(want, Outcome(wrapped, (1, frozen), {}))


def test_results_can_be_written_to_and_are_no_parts_of_the_argument() -> None:
    def f(n, c):
        w = c.copy()
        w[n] = 1.0
        return w, c, c[0], c.T

    given = TABLE.copy()
    wrapped = jit(f, static_argnames=["c"])
    for _ in range(3):
        for made in wrapped(1, given):
            made[0] = 100.0
    np.testing.assert_array_equal(given, TABLE)


@dataclasses.dataclass(frozen=True)
class Setup:
    weights: np.ndarray
    parts: tuple


class Holder:
    def __init__(self, rows):
        self.rows = rows


@pytest.mark.parametrize("made", [lambda a: (a, 1), lambda a: ((a, a), 1), lambda a: Setup(a, (a,))])
def test_arrays_in_static_containers(made) -> None:
    def f(n, c):
        first = c.weights if isinstance(c, Setup) else c[0][1] if isinstance(c[0], tuple) else c[0]
        w = first * 2
        w[n] = 1.0
        return w

    for n in (0, 1):
        check(f, n, made(TABLE.copy()), static=("c",))


def test_an_object_in_a_static_tuple_stays_as_it_is() -> None:
    holder = Holder(TABLE.copy())

    def f(n, c):
        w = c[1].copy()
        w[n] = c[0].rows[0, 1]
        return w

    wrapped = jit(f, static_argnames=["c"])
    for _ in range(3):
        np.testing.assert_array_equal(wrapped(1, (holder, TABLE)), f(1, (holder, TABLE)))
    assert type(holder.rows) is np.ndarray


def test_copies_of_an_array_that_an_object_from_outside_holds() -> None:
    holder = Holder(TABLE.copy())

    def f(n):
        w = holder.rows.copy()
        w[n] = 1.0
        v = holder.rows[0].astype(np.int64)
        v[n] = n
        return w, v

    check(f, 1)


def test_out_of_range_and_overflow() -> None:
    def f(n, c):
        w = c.astype(np.int8)
        w[n] = n * 100
        return w

    for n in (0, 1, 2, 5):
        check(f, n, np.array([1, 2, 3]), static=("c",))
