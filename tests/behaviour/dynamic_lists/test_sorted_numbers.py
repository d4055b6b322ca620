"""Lists of run-time length with numbers in order: what lies behind their ends takes no part."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import Outcome, alike

LAST = 2**63 - 1


def remainders(n):
    out = []
    while n > 0:
        out.append(n % 7 - 3)
        n //= 2
    out.sort(reverse=True)
    return out, sorted(out), out[:3]


def without_nines(x):
    out = [LAST]
    for v in x:
        if v != 9:
            out.append(v)
    out.sort()
    return out, sorted(out, reverse=True)


def zeros(x):
    out = []
    for v in x:
        if v != 9:
            out.append(v * 0.0)
    out.sort()
    return out


def pairs(x):
    out = []
    for i, v in enumerate(x):
        if v != 9:
            out.append((v > 0, -v, i))
    out.sort(key=lambda p: p[:2], reverse=True)
    return out


def of_two_kinds(x):
    out = []
    for v in x:
        if v != 9:
            out.append(v if v > 0 else 2.5)
    out.sort()
    return out


def latest(x):
    line = []
    for v in x:
        line.append(v)
        if len(line) > 5:
            line.pop(0)
    line.sort()
    return line


NUMBERS = [1, -1, 9, -1, LAST, 3, -2, 9, 4] * 4


@pytest.mark.parametrize(
    ("function", "argsets"),
    [
        (remainders, [(12345,), (0,), (1,), (987654321,)]),
        (without_nines, [(NUMBERS,), ([9] * 36,), (np.array(NUMBERS),)]),
        (zeros, [(NUMBERS,), (np.array(NUMBERS),)]),
        (pairs, [(NUMBERS,), (np.array(NUMBERS),)]),
        (of_two_kinds, [([1, -1, 9, 3, -2] * 4,)]),
        (latest, [(NUMBERS,), (np.array(NUMBERS) / 2,)]),
    ],
)
def test_sorted(function, argsets):
    wrapped = jit(function)
    for args in argsets:
        alike(Outcome(function, args, {}), Outcome(wrapped, args, {}))


def test_few_of_many_are_sorted_alone():
    def smallest(x):
        out = []
        for v in x:
            if v < 0.001:
                out.append(v)
        return sorted(out)

    x = np.random.default_rng(2).random(3000)
    wrapped = jit(smallest)
    alike(Outcome(smallest, (x,), {}), Outcome(wrapped, (x,), {}))
    assert str(wrapped.trace(x).program).count("argsort") == 1
