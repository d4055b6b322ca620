"""Python's arithmetic of floats and complex numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.values import atoms
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import (
    Operand,
    Rule,
    as_kind,
    made,
    quotient_check,
    raised,
    zero_check,
)

_PYTHON: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
}


def _plain(function: np.ufunc, kind: type) -> Rule:
    return lambda x, y: made(atoms.ufunc(function, as_kind(x, kind), as_kind(y, kind)))


def _divides(function: np.ufunc, kind: type) -> Rule:
    def rule(x: Operand, y: Operand) -> Value:
        b = as_kind(y, kind)
        quotient_check(y, b, _PYTHON[function], kind)
        return made(atoms.ufunc(function, as_kind(x, kind), b))

    return rule


def power(x: Operand, y: Operand) -> Value:
    """`x ** y` of floats.

    What fails has no finite result, which is asked before all else.
    """
    a, b = as_kind(x, float), as_kind(y, float)
    zero = atoms.literal(0.0)
    whole = isinstance(b, Literal) and bool(b.value == np.floor(b.value))
    r = atoms.ufunc(np.multiply, a, a) if isinstance(b, Literal) and b.value == 2 else atoms.ufunc(np.power, a, b)
    odd = atoms.op("logical_not", atoms.ufunc(np.isfinite, r))
    finite = atoms.logical_and(atoms.ufunc(np.isfinite, a), atoms.ufunc(np.isfinite, b))
    errors = settings().zero_division_errors
    if errors and not (isinstance(b, Literal) and b.value >= 0):
        below = atoms.logical_and(atoms.ufunc(np.less, b, zero), atoms.ufunc(np.greater, b, atoms.literal(-np.inf)))
        bad = atoms.logical_and(atoms.ufunc(np.equal, a, zero), below)
        run_time_checks.fail_if(atoms.logical_and(odd, bad), raised(operator.pow, 0.0, -1.0))
    if not whole:
        fractional = atoms.ufunc(np.not_equal, b, atoms.ufunc(np.floor, b))
        negative = atoms.logical_and(atoms.ufunc(np.less, a, zero), finite)
        message = (
            "a negative float to a fractional power is complex in Python, which the float result of a compiled "
            "function cannot hold; write complex(x) ** y"
        )
        bad = atoms.logical_and(negative, fractional)
        run_time_checks.fail_if(atoms.logical_and(odd, bad), lambda _: UnsupportedOperationError(message))
    if not errors:  # and not a pole
        finite = atoms.logical_and(finite, atoms.ufunc(np.not_equal, a, zero))
    bad = atoms.logical_and(finite, atoms.ufunc(np.isinf, r))
    run_time_checks.fail_if(atoms.logical_and(odd, bad), raised(operator.pow, 1e200, 2.0))
    return made(r)


FLOATS: dict[np.ufunc, Rule] = {
    **{f: _plain(f, float) for f in (np.add, np.subtract, np.multiply)},
    **{f: _divides(f, float) for f in (np.true_divide, np.floor_divide, np.remainder)},
    np.power: power,
}


# ---- complex numbers -------------------------------------------------------------------------------------------------


def _parts(x: Operand) -> tuple[Atom, Atom]:
    z = as_kind(x, complex)
    return atoms.op("real", z), atoms.op("imag", z)


def _multiply(x: Operand, y: Operand) -> Value:
    """Four products, each rounded, which NumPy's loop fuses."""
    (a, b), (c, d) = _parts(x), _parts(y)
    times = np.multiply
    real = atoms.ufunc(np.subtract, atoms.ufunc(times, a, c), atoms.ufunc(times, b, d))
    return made(atoms.op("complex", real, atoms.ufunc(np.add, atoms.ufunc(times, a, d), atoms.ufunc(times, b, c))))


def _divide(x: Operand, y: Operand) -> Value:
    """Smith's method with quotients at its end, as CPython has it."""
    zero_check(y, as_kind(y, complex), operator.truediv, complex)
    (a, b), (c, d) = _parts(x), _parts(y)
    sizes = (atoms.ufunc(np.absolute, part) for part in (c, d))
    by_real = atoms.ufunc(np.greater_equal, *sizes)
    big, small = atoms.select(by_real, c, d), atoms.select(by_real, d, c)
    ratio = atoms.ufunc(np.divide, small, big)
    scale = atoms.ufunc(np.add, big, atoms.ufunc(np.multiply, small, ratio))
    first, second = atoms.select(by_real, a, b), atoms.select(by_real, b, a)
    real = atoms.ufunc(np.add, first, atoms.ufunc(np.multiply, second, ratio))
    scaled_first = atoms.ufunc(np.multiply, first, ratio)
    imag = atoms.ufunc(np.subtract, second, scaled_first)
    imag = atoms.select(by_real, imag, atoms.ufunc(np.subtract, scaled_first, second))
    return made(atoms.op("complex", atoms.ufunc(np.divide, real, scale), atoms.ufunc(np.divide, imag, scale)))


def _complex_power(x: Operand, y: Operand) -> Value:
    z, w = as_kind(x, complex), as_kind(y, complex)
    zero = atoms.literal(0.0)
    real, imag = _parts(y)
    wrong = atoms.logical_or(atoms.ufunc(np.less, real, zero), atoms.ufunc(np.not_equal, imag, zero))
    nothing = atoms.ufunc(np.equal, z, atoms.literal(0j))
    run_time_checks.fail_if(atoms.logical_and(nothing, wrong), raised(operator.pow, 0j, -1))
    result = atoms.ufunc(np.power, z, w)
    finite = atoms.logical_and(atoms.ufunc(np.isfinite, z), atoms.ufunc(np.isfinite, w))
    infinite = atoms.ufunc(np.isinf, result)
    run_time_checks.fail_if(atoms.logical_and(finite, infinite), raised(operator.pow, complex(1e200, 1e200), 2.5))
    return made(result)


COMPLEX: dict[np.ufunc, Rule] = {
    **{f: _plain(f, complex) for f in (np.add, np.subtract)},
    np.multiply: _multiply,
    np.true_divide: _divide,
    np.power: _complex_power,
}
