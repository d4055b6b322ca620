"""Python's arithmetic of floats and complex numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir import Literal
from anabranch.runtime.values import atoms, checks
from anabranch.runtime.values.python_operands import as_kind, made, raised, zero_check

_PYTHON: dict[Any, Callable[[Any, Any], Any]] = {
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
}


def _plain(function: np.ufunc, kind: type) -> Callable[[Any, Any], Any]:
    return lambda x, y: made(atoms.ufunc(function, as_kind(x, kind), as_kind(y, kind)))


def _divides(function: np.ufunc, kind: type) -> Callable[[Any, Any], Any]:
    def rule(x: Any, y: Any) -> Any:
        b = as_kind(y, kind)
        zero_check(y, b, _PYTHON[function], kind)
        return made(atoms.ufunc(function, as_kind(x, kind), b))

    return rule


def power(x: Any, y: Any) -> Any:
    """`x ** y` of floats."""
    a, b = as_kind(x, float), as_kind(y, float)
    zero = atoms.literal(0.0)
    whole = isinstance(b, Literal) and bool(b.value == np.floor(b.value))
    if not (isinstance(b, Literal) and b.value >= 0):
        below = atoms.logical_and(atoms.ufunc(np.less, b, zero), atoms.ufunc(np.greater, b, atoms.literal(-np.inf)))
        bad = atoms.logical_and(atoms.ufunc(np.equal, a, zero), below)
        checks.fail_if(bad, raised(operator.pow, 0.0, -1.0))
    if not whole:
        fractional = atoms.ufunc(np.not_equal, b, atoms.ufunc(np.floor, b))
        finite = atoms.logical_and(atoms.ufunc(np.isfinite, a), atoms.ufunc(np.isfinite, b))
        negative = atoms.logical_and(atoms.ufunc(np.less, a, zero), finite)
        message = (
            "a negative float to a fractional power is complex in Python, which the float result of a compiled "
            "function cannot hold; write complex(x) ** y"
        )
        checks.fail_if(atoms.logical_and(negative, fractional), lambda _: UnsupportedOperationError(message))
    r = atoms.ufunc(np.multiply, a, a) if isinstance(b, Literal) and b.value == 2 else atoms.ufunc(np.power, a, b)
    operands = atoms.logical_and(atoms.ufunc(np.isfinite, a), atoms.ufunc(np.isfinite, b))
    checks.fail_if(atoms.logical_and(atoms.ufunc(np.isinf, r), operands), raised(operator.pow, 1e200, 2.0))
    return made(r)


FLOATS: dict[Any, Callable[[Any, Any], Any]] = {
    **{f: _plain(f, float) for f in (np.add, np.subtract, np.multiply)},
    **{f: _divides(f, float) for f in (np.true_divide, np.floor_divide, np.remainder)},
    np.power: power,
}
COMPLEX: dict[Any, Callable[[Any, Any], Any]] = {
    **{f: _plain(f, complex) for f in (np.add, np.subtract, np.multiply, np.power)},
    np.true_divide: _divides(np.true_divide, complex),
}
