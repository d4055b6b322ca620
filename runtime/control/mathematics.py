"""The `math` module on traced values: Python floats in and out, and the errors that `math` raises."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.runtime.control.builtins import is_traced
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir import Atom
from anabranch.runtime.values import atoms, checks, python_conversions, python_operands, wrap
from anabranch.runtime.values.choice import ChoiceValue
from anabranch.runtime.values.python_scalar import PythonScalar, python_scalar

# name in math: (ufunc, arguments for which math raises OverflowError)
_UNARY: dict[str, tuple[np.ufunc, tuple[float, ...] | None]] = {
    "sqrt": (np.sqrt, None), "cbrt": (np.cbrt, None), "exp": (np.exp, (1e4,)), "exp2": (np.exp2, (1e5,)),
    "expm1": (np.expm1, (1e4,)), "log2": (np.log2, None), "log10": (np.log10, None), "log1p": (np.log1p, None),
    "sin": (np.sin, None), "cos": (np.cos, None), "tan": (np.tan, None), "asin": (np.arcsin, None),
    "acos": (np.arccos, None), "atan": (np.arctan, None), "sinh": (np.sinh, (1e4,)), "cosh": (np.cosh, (1e4,)),
    "tanh": (np.tanh, None), "asinh": (np.arcsinh, None), "acosh": (np.arccosh, None), "atanh": (np.arctanh, None),
    "fabs": (np.fabs, None), "degrees": (np.degrees, None), "radians": (np.radians, None),
}  # fmt: skip
_BINARY: dict[str, tuple[np.ufunc, tuple[float, ...] | None]] = {
    "atan2": (np.arctan2, None), "copysign": (np.copysign, None),
    "fmod": (np.fmod, None), "pow": (np.power, (1e200, 2.0)),
}  # fmt: skip
_PREDICATES = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}


def _float(x: Any) -> Atom:
    if isinstance(x, ChoiceValue):
        x = x.resolve()
    atom = wrap.as_atom(x)
    if atom.type.shape != ():
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    if atom.type.dtype.kind == "c":
        raise TypeError("must be real number, not complex")
    return atoms.convert(atom, np.float64)


def _checked(name: str, function: np.ufunc, operands: tuple[Atom, ...], overflow: tuple[float, ...] | None) -> Any:
    """CPython's rule: a NaN from no NaN is a domain error; an infinity from finite operands overflows or is a pole."""
    result = atoms.ufunc(function, *operands)
    original = getattr(math, name)
    known, finite = atoms.literal(True), atoms.literal(True)
    no_nan: Atom = known
    all_finite: Atom = finite
    for operand in operands:
        no_nan = atoms.logical_and(no_nan, atoms.logical_not(atoms.ufunc(np.isnan, operand)))
        all_finite = atoms.logical_and(all_finite, atoms.ufunc(np.isfinite, operand))
    checks.fail_if(atoms.logical_and(no_nan, atoms.ufunc(np.isnan, result)), lambda _: ValueError("math domain error"))
    infinite = atoms.logical_and(all_finite, atoms.ufunc(np.isinf, result))
    if overflow is not None:
        checks.fail_if(infinite, python_operands.raised(original, *overflow))
    elif function in (np.log2, np.log10, np.log1p, np.arctanh):
        checks.fail_if(infinite, lambda _: ValueError("math domain error"))
    return python_scalar(result)


def _elementwise(name: str, function: np.ufunc, overflow: tuple[float, ...] | None) -> Callable[..., Any]:
    original = getattr(math, name)

    def staged(*args: Any) -> Any:
        if not any(map(is_traced, args)):
            return original(*args)
        return _checked(name, function, tuple(map(_float, args)), overflow)

    return staged


def _log(x: Any, base: Any = None) -> Any:
    """`math.log(x, base)`."""
    if not is_traced(x) and not is_traced(base):
        return math.log(x) if base is None else math.log(x, base)
    operand = _float(x)
    checks.fail_if(atoms.ufunc(np.less_equal, operand, atoms.literal(0.0)), lambda _: ValueError("math domain error"))
    result = python_scalar(atoms.ufunc(np.log, operand))
    return result if base is None else result / _log(base)


def _predicate(name: str) -> Callable[[Any], Any]:
    original, function = getattr(math, name), _PREDICATES[name]
    return lambda x: python_scalar(atoms.ufunc(function, _float(x))) if is_traced(x) else original(x)


def _to_int(name: str, function: np.ufunc) -> Callable[[Any], Any]:
    original = getattr(math, name)

    def staged(x: Any) -> Any:
        if not is_traced(x):
            return original(x)
        if isinstance(x, PythonScalar) and x.python is not float:
            return python_conversions.to_int(x)
        return python_conversions.to_int(python_scalar(atoms.ufunc(function, _float(x))))

    return staged


def _hypot(*args: Any) -> Any:
    """`math.hypot` of any number of coordinates."""
    if not any(map(is_traced, args)):
        return math.hypot(*args)
    total = atoms.literal(0.0)
    result: Atom = total
    for a in args:
        result = atoms.ufunc(np.hypot, result, _float(a))
    return python_scalar(result)


def _gcd(*args: Any) -> Any:
    if not any(map(is_traced, args)):
        return math.gcd(*args)
    result: Atom = atoms.literal(0, np.int64)
    for a in args:
        result = atoms.ufunc(np.gcd, result, wrap.as_atom(a, np.int64))
    return python_scalar(result)


class Mathematics:
    """Stands for the module `math` in rewritten code."""

    def __init__(self) -> None:
        for name, (function, overflow) in {**_UNARY, **_BINARY}.items():
            if hasattr(math, name):  # cbrt and exp2 came with Python 3.11
                setattr(self, name, _elementwise(name, function, overflow))
        for name in _PREDICATES:
            setattr(self, name, _predicate(name))
        for name, function in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc)):
            setattr(self, name, _to_int(name, function))
        self.log, self.hypot, self.gcd = _log, _hypot, _gcd

    def __getattr__(self, name: str) -> Any:
        original = getattr(math, name)
        if not callable(original):
            return original

        def refusing(*args: Any, **kwargs: Any) -> Any:
            if any(map(is_traced, (*args, *kwargs.values()))):
                raise UnsupportedOperationError(f"math.{name} of a value known only at run time is not supported")
            return original(*args, **kwargs)

        return refusing


mathematics = Mathematics()
COUNTERPARTS = {getattr(math, n): n for n in dir(math) if callable(getattr(math, n)) and not n.startswith("_")}
