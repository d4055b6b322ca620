"""Fractions, decimals and time spans beside run-time numbers: refused, and neither False nor a TypeError."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from anabranch import UnsupportedOperationError, jit

HALF, TWO = Fraction(1, 2), Decimal(2)

PROGRAMS = {
    "equal": lambda x: x == Fraction(2),
    "not equal": lambda x: x != TWO,
    "less": lambda x: x < TWO,
    "reflected less": lambda x: HALF < x,
    "times": lambda x: x * HALF,
    "reflected plus": lambda x: TWO + x,
    "power": lambda x: x**HALF,
    "member": lambda x: x in (Fraction(2), 3),
    "key": lambda x: {Fraction(2): 1, 3: 4}.get(x),
    "item": lambda x: {TWO: 1, 3: 4}[x],
    "place": lambda x: [Fraction(2), 3].index(x),
    "time span": lambda x: timedelta(days=1) * x,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("x", [2, 2.0])
def test_operators_are_refused(name, x) -> None:
    wrapped = jit(PROGRAMS[name])
    for _ in range(2):
        with pytest.raises(UnsupportedOperationError, match="cannot be computed with or compared in"):
            wrapped(x)


def test_a_handler_does_not_see_the_refusal() -> None:
    def f(x):
        try:
            return x * HALF
        except TypeError:
            return 0

    with pytest.raises(UnsupportedOperationError, match="a Fraction and a number"):
        jit(f)(2)


def test_what_python_itself_tells_apart_stays() -> None:
    def f(x):
        return x == timedelta(2), x == "2", x is None, x + float(HALF), x * int(TWO)

    for _ in range(3):
        assert jit(f)(2) == f(2)
