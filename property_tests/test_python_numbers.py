"""Python's numbers on run-time values against CPython itself: every operator, special values, the edges of int64."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
from hypothesis import given, strategies as st

from anabranch import UnsupportedOperationError, jit

EDGES = (0, 1, -1, 2, 3, 7, 63, 64, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1)
SPECIAL = (0.0, -0.0, 0.5, 1.0, -1.0, 2.5, 1e16, 2.0**53, 2.0**63, -(2.0**63), 1e300, math.inf, -math.inf, math.nan)
INTS = st.sampled_from(EDGES) | st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 20)
FLOATS = st.sampled_from(SPECIAL) | st.floats(allow_subnormal=False, width=64)
REALS = INTS | FLOATS | st.booleans()
COUNTS = st.integers(-3, 70)
ANY = REALS | st.complex_numbers(allow_subnormal=False, max_magnitude=1e100)
LEAST_NORMAL = 2.0**-1022


def compiled(operation):
    def f(x, y):
        return operation(x, y)

    return jit(f)


PAIRS = {
    symbol: (function, compiled(function))
    for symbol, function in {
        "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
        "%": operator.mod, "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt,
        ">=": operator.ge, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
        ">>": operator.rshift, "**": operator.pow, "divmod": divmod, "round": round, "copysign": math.copysign,
        "fmod": math.fmod, "remainder": math.remainder, "isclose": math.isclose, "nextafter": math.nextafter,
        "gcd": math.gcd, "lcm": math.lcm,
    }.items()
}  # fmt: skip


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return error


def alike(want: Any, got: Any) -> bool:
    """The same to the last bit; numbers below the least normal one are zero."""
    if isinstance(want, tuple):
        return all(map(alike, want, got))
    if isinstance(want, Exception):
        return type(got) is type(want)
    if type(want) is not type(got):
        return False
    if isinstance(want, complex):
        return alike(want.real, got.real) and alike(want.imag, got.imag)
    if isinstance(want, float):
        if 0 < abs(want) <= LEAST_NORMAL:
            return abs(got) <= LEAST_NORMAL
        return (want == got and math.copysign(1, want) == math.copysign(1, got)) or (want != want and got != got)
    return want == got


def beyond(value: Any) -> bool:
    """Return whether a result is an int that compiled code cannot hold."""
    if isinstance(value, tuple):
        return any(map(beyond, value))
    return type(value) is int and not -(2**63) <= value < 2**63


def compare(symbol: str, x: Any, y: Any) -> None:
    function, staged = PAIRS[symbol]
    want, got = outcome(function, x, y), outcome(staged, x, y)
    if beyond(want):
        assert isinstance(got, OverflowError), f"{x!r} {symbol} {y!r} is {want!r}, compiled {got!r}"
    elif not isinstance(got, UnsupportedOperationError):
        assert alike(want, got), f"{x!r} {symbol} {y!r} is {want!r}, compiled {got!r}"


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "divmod", "<", "<=", "==", "!=", ">", ">="])
@given(x=REALS, y=REALS)
def test_real_numbers(symbol, x, y):
    compare(symbol, x, y)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "==", "!="])
@given(x=ANY, y=ANY)
def test_complex_numbers(symbol, x, y):
    compare(symbol, x, y)


@pytest.mark.parametrize("symbol", ["&", "|", "^", "gcd", "lcm"])
@given(x=INTS | st.booleans(), y=INTS | st.booleans())
def test_bits_and_divisors(symbol, x, y):
    compare(symbol, x, y)


@pytest.mark.parametrize("symbol", ["<<", ">>", "**"])
@given(x=INTS, y=COUNTS)
def test_shifts_and_powers(symbol, x, y):
    compare(symbol, x, y)


@given(x=REALS, digits=st.integers(-30, 30))
def test_round(x, digits):
    compare("round", x, digits)


@pytest.mark.parametrize("symbol", ["copysign", "fmod", "remainder", "isclose", "nextafter"])
@given(x=FLOATS | INTS, y=FLOATS | INTS)
def test_exact_functions_of_math(symbol, x, y):
    compare(symbol, x, y)
