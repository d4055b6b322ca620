"""The functions of `cmath` on run-time values: Python's numbers out, and the errors that `cmath` raises."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.stdlib.choices import is_traced
from anabranch.runtime.control.stdlib.math_floats import are_close, as_float, staged
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import as_kind, raised
from anabranch.runtime.values.python_numbers.python_scalar import is_python_scalar, python_scalar
from anabranch.runtime.values.union import UnionValue

Wrong = Callable[[Atom, Atom], Atom]  # of the real and the imaginary part


def _as_complex(x: Value) -> Atom:
    if isinstance(x, UnionValue):
        x = x.resolve()
    if is_python_scalar(x):
        return as_kind(x, complex)
    if not is_traced(x) and not isinstance(x, (np.generic, np.ndarray)):
        return atoms.literal(complex(x)) if hasattr(x, "__complex__") else atoms.convert(as_float(x), np.complex128)
    atom = wrap.as_atom(x)
    if atom.type.shape != ():
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return atoms.convert(atom, np.complex128)


def _parts(z: Atom) -> tuple[Atom, Atom]:
    return atoms.op("real", z), atoms.op("imag", z)


def _is(test: np.ufunc, x: Atom) -> Atom:
    return atoms.ufunc(test, x)


def _no_nan(x: Atom) -> Atom:
    return atoms.logical_not(_is(np.isnan, x))


def _equal(x: Atom, value: float) -> Atom:
    return atoms.ufunc(np.equal, x, atoms.literal(value))


def _endless(x: Atom, other: Atom) -> Atom:
    """Return whether an angle is infinite; where the other part is NaN so is the result."""
    return atoms.logical_and(_is(np.isinf, x), _no_nan(other))


def _endless_beside_finite(x: Atom, other: Atom) -> Atom:
    return atoms.logical_and(_is(np.isinf, x), _is(np.isfinite, other))


def _exp_is_wrong(real: Atom, imag: Atom) -> Atom:
    grows = atoms.logical_or(_is(np.isfinite, real), _equal(real, math.inf))
    return atoms.logical_and(_is(np.isinf, imag), grows)


def _is_zero(real: Atom, imag: Atom) -> Atom:
    return atoms.logical_and(_equal(real, 0.0), _equal(imag, 0.0))


def _is_one(real: Atom, imag: Atom) -> Atom:
    return atoms.logical_and(_equal(atoms.ufunc(np.absolute, real), 1.0), _equal(imag, 0.0))


def _never(*_: Atom) -> Atom:
    return atoms.literal(False)


# name in cmath: its ufunc, where arguments are outside of the domain, such an argument, one whose result overflows
_ELEMENTWISE: dict[str, tuple[np.ufunc, Wrong, complex, complex | None]] = {
    "sqrt": (np.sqrt, _never, 0j, None),
    "exp": (np.exp, _exp_is_wrong, complex(0, math.inf), 1e4 + 0j),
    "log": (np.log, _is_zero, 0j, None),
    "log10": (np.log10, _is_zero, 0j, None),
    "sin": (np.sin, _endless, complex(math.inf, 0), 1e4j),
    "cos": (np.cos, _endless, complex(math.inf, 0), 1e4j),
    "tan": (np.tan, _endless_beside_finite, complex(math.inf, 0), None),
    "sinh": (np.sinh, lambda re, im: _endless(im, re), complex(0, math.inf), 1e4 + 0j),
    "cosh": (np.cosh, lambda re, im: _endless(im, re), complex(0, math.inf), 1e4 + 0j),
    "tanh": (np.tanh, lambda re, im: _endless_beside_finite(im, re), complex(0, math.inf), None),
    "asin": (np.arcsin, _never, 0j, None),
    "acos": (np.arccos, _never, 0j, None),
    "atan": (np.arctan, lambda re, im: _is_one(im, re), 1j, None),
    "asinh": (np.arcsinh, _never, 0j, None),
    "acosh": (np.arccosh, _never, 0j, None),
    "atanh": (np.arctanh, _is_one, 1 + 0j, None),
}


def _elementwise(name: str) -> Callable[..., Any]:
    original = getattr(cmath, name)
    function, wrong, outside, beyond = _ELEMENTWISE[name]

    @staged(original)
    def compute(*args: object) -> Value:
        if len(args) != 1:
            return original(*(0.0 for _ in args))  # raises TypeError
        z = _as_complex(args[0])
        run_time_checks.fail_if(wrong(*_parts(z)), raised(original, outside))
        result = atoms.ufunc(function, z)
        if beyond is not None:
            overflows = atoms.logical_and(_is(np.isfinite, z), _is(np.isinf, result))
            run_time_checks.fail_if(overflows, raised(original, beyond))
        return python_scalar(result)

    return compute


_log = _elementwise("log")


@staged(cmath.log)
def log(z: object, base: object = None) -> Value:
    """`cmath.log(z, base)`."""
    result = _log(z)
    if base is None:
        return result
    divisor = _log(base)
    run_time_checks.fail_if(_is_zero(*_parts(_as_complex(divisor))), raised(cmath.log, 2.0, 1.0))
    return result / divisor


@staged(cmath.phase)
def phase(z: object) -> Value:
    """`cmath.phase`."""
    real, imag = _parts(_as_complex(z))
    return python_scalar(atoms.ufunc(np.arctan2, imag, real))


@staged(cmath.polar)
def polar(z: object) -> Value:
    """`cmath.polar`."""
    real, imag = parts = _parts(_as_complex(z))
    size = atoms.ufunc(np.hypot, *parts)
    finite = atoms.logical_and(_is(np.isfinite, real), _is(np.isfinite, imag))
    run_time_checks.fail_if(
        atoms.logical_and(finite, _is(np.isinf, size)), raised(cmath.polar, complex(1.5e308, 1.5e308))
    )
    return python_scalar(size), phase(z)


@staged(cmath.rect)
def rect(r: object, phi: object) -> Value:
    """`cmath.rect`."""
    size, angle = as_float(r), as_float(phi)
    wrong = atoms.logical_and(_is(np.isinf, angle), atoms.logical_not(_equal(size, 0.0)))
    run_time_checks.fail_if(atoms.logical_and(wrong, _no_nan(size)), raised(cmath.rect, 1.0, math.inf))
    zero, endless = _equal(angle, 0.0), _is(np.isinf, angle)  # of infinite angles only those of a size of 0 are left
    straight = atoms.ufunc(np.multiply, atoms.ufunc(np.copysign, atoms.literal(1.0), size), angle)
    parts = [atoms.ufunc(np.multiply, size, atoms.ufunc(f, angle)) for f in (np.cos, np.sin)]
    nothing = atoms.literal(0.0)
    real = atoms.select(zero, size, atoms.select(atoms.logical_and(endless, _no_nan(size)), nothing, parts[0]))
    imag = atoms.select(zero, straight, atoms.select(atoms.logical_and(endless, _no_nan(size)), nothing, parts[1]))
    return python_scalar(atoms.op("complex", real, imag))


@staged(cmath.isclose)
def isclose(a: object, b: object, *, rel_tol: object = 1e-9, abs_tol: object = 0.0) -> Value:
    """`cmath.isclose`."""
    return are_close(cmath.isclose, _as_complex(a), _as_complex(b), rel_tol, abs_tol)


def _test(name: str, function: np.ufunc) -> Callable[..., Any]:
    @staged(getattr(cmath, name))
    def compute(z: object) -> Value:
        return python_scalar(_is(function, _as_complex(z)))

    return compute


COUNTERPARTS: dict[object, Callable[..., Any]] = {
    **{getattr(cmath, name): _elementwise(name) for name in _ELEMENTWISE},
    **{getattr(cmath, name): _test(name, getattr(np, name)) for name in ("isnan", "isinf", "isfinite")},
    cmath.log: log,
    cmath.phase: phase,
    cmath.polar: polar,
    cmath.rect: rect,
    cmath.isclose: isclose,
}
