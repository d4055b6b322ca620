"""Functions that write into an array."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.behaviour.numpy.cases import Table
from tests.behaviour.numpy.samples import FLOATS, INTS, TALL, TRUTHS, VECTOR
from tests.equivalence import Outcome, alike

case = Table()

case(np.copyto, FLOATS.copy(), VECTOR)
case(np.copyto, FLOATS.copy(), VECTOR, where=TRUTHS)
case(np.copyto, INTS.copy(), VECTOR)
case(np.putmask, FLOATS.copy(), TRUTHS, VECTOR)
case(np.place, FLOATS.copy(), TRUTHS, VECTOR)
case(np.put, FLOATS.copy(), np.array([1, 5, -1]), VECTOR[:2])
case(np.put, FLOATS.copy(), np.array([1, 50]), VECTOR)
case(np.fill_diagonal, FLOATS.copy(), 5)
case(np.fill_diagonal, TALL.copy(), VECTOR)
case(np.fill_diagonal, np.zeros((9, 3)), VECTOR, wrap=True)
case(np.fill_diagonal, np.zeros((3, 3, 3)), VECTOR)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


# ---- floats that become integers one by one --------------------------------------------------------------------------

CONVERSIONS = {
    "element": lambda a, k: a.__setitem__(0, k),
    "slice": lambda a, k: a.__setitem__(slice(None), k),
    "list": lambda a, k: a.__setitem__(slice(0, 1), [k]),
    "places": lambda a, k: a.__setitem__([0], k),
    "mask": lambda a, k: a.__setitem__(a > 1, k),
    "fill": lambda a, k: a.fill(k),
    "array": lambda a, k: np.array(k, dtype=np.int64),
    "array of a list": lambda a, k: np.array([1, k], dtype=np.int8),
    "scalar": lambda a, k: np.int16(k),
    "insert": lambda a, k: np.insert(a, 1, k),
    "insert a list": lambda a, k: np.insert(a, 1, [k, k]),
    "pad": lambda a, k: np.pad(a, 1, constant_values=k),
    "piecewise": lambda a, k: np.piecewise(a, [a > 1], [k]),
}
NUMBERS = (
    2, 2.75, -2.5, float("nan"), -float("inf"), 300.0, 1j, np.float64("nan"), np.float32("inf"), np.float64(-2.5),
)  # fmt: skip


@pytest.mark.parametrize("name", CONVERSIONS)
def test_floats_that_no_integer_is_worth_raise_as_elements(name: str) -> None:
    for k in NUMBERS:
        args = (np.array([3, 1, 2]), k)
        want, got = Outcome(CONVERSIONS[name], args, {}), Outcome(jit(CONVERSIONS[name]), args, {})
        alike(want, got, where=f"{k!r}: ")


def test_lists_of_floats_as_integers() -> None:
    def f(a, items):
        a[:] = items
        return np.array(items, dtype=np.int64), a

    wrapped = jit(f)
    for items in ([1.5, -2.5], [1.5, float("nan")], [float("inf"), 1.5]):
        args = (np.array([1, 2]), items)
        alike(Outcome(f, args, {}), Outcome(wrapped, args, {}))


def test_floats_of_an_array_as_integers_in_a_loop() -> None:
    def f(a, b):
        for i in range(len(a)):
            a[i] = b[i] * 2
        return a

    wrapped = jit(f)
    for b in (np.array([1.5, -2.5]), np.array([1.5, np.nan])):
        args = (np.array([1, 2]), b)
        alike(Outcome(f, args, {}), Outcome(wrapped, args, {}))


def test_an_array_that_may_not_be_written_to_is_refused_before_what_is_written() -> None:
    def f(a, b):
        np.copyto(a, b)
        return a

    for b in (np.ones(2), np.ones(3, complex), np.ones(3)):
        args = (np.broadcast_to(np.zeros(1), (3,)), b)
        alike(Outcome(f, args, {}), Outcome(jit(f), args, {}))
