"""The functions of `math` on floats, with the errors that `math` raises."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.staging.signature_errors import fitted
from anabranch.runtime.control.stdlib.choices import is_traced
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.index_numbers import class_name
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers import number_subclasses, python_conversions
from anabranch.runtime.values.python_numbers.python_operands import as_kind, kind_of, raised
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, is_python_scalar, python_scalar
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue
from anabranch.runtime.values.union_base import abstract_of_option

Numbers = tuple[float, ...]

# name in math: its ufunc, arguments outside of the domain, arguments whose result overflows or is a pole
_ELEMENTWISE: dict[str, tuple[np.ufunc, Numbers, Numbers]] = {
    "sqrt": (np.sqrt, (-1.0,), ()), "cbrt": (np.cbrt, (), ()), "exp": (np.exp, (), (1e4,)),
    "exp2": (np.exp2, (), (1e5,)), "expm1": (np.expm1, (), (1e4,)), "log2": (np.log2, (-1.0,), (0.0,)),
    "log10": (np.log10, (-1.0,), (0.0,)), "log1p": (np.log1p, (-2.0,), (-1.0,)), "sin": (np.sin, (math.inf,), ()),
    "cos": (np.cos, (math.inf,), ()), "tan": (np.tan, (math.inf,), ()), "asin": (np.arcsin, (2.0,), ()),
    "acos": (np.arccos, (2.0,), ()), "atan": (np.arctan, (), ()), "sinh": (np.sinh, (), (1e4,)),
    "cosh": (np.cosh, (), (1e4,)), "tanh": (np.tanh, (), ()), "asinh": (np.arcsinh, (), ()),
    "acosh": (np.arccosh, (0.0,), ()), "atanh": (np.arctanh, (2.0,), (1.0,)), "fabs": (np.fabs, (), ()),
    "degrees": (np.degrees, (), ()), "radians": (np.radians, (), ()), "atan2": (np.arctan2, (), ()),
    "copysign": (np.copysign, (), ()), "fmod": (np.fmod, (1.0, 0.0), ()), "pow": (np.power, (-1.0, 0.5), (1e200, 2.0)),
    "isnan": (np.isnan, (), ()), "isinf": (np.isinf, (), ()), "isfinite": (np.isfinite, (), ()),
}  # fmt: skip
# The same of functions that are ops of their own.
_OWN: dict[str, tuple[str, Numbers, Numbers]] = {
    "erf": ("libm_erf", (), ()), "erfc": ("libm_erfc", (), ()), "gamma": ("math_gamma", (-1.0,), (1e4,)),
    "lgamma": ("math_lgamma", (-1.0,), (1e308,)),
}  # fmt: skip


def as_float(x: Value) -> Atom:
    """The argument as C's double: what has `__float__`."""
    if isinstance(x, UnionValue):
        x = x.resolve()
    if is_python_scalar(x) and kind_of(x) is not complex:
        return as_kind(x, float)
    if not is_traced(x) and not isinstance(x, (np.generic, np.ndarray)):
        if not hasattr(x, "__float__") and not hasattr(x, "__index__"):
            raise TypeError(f"must be real number, not {type(x).__name__}")
        return atoms.literal(float(x))
    atom = wrap.as_atom(x)
    if atom.type.shape != ():
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    if atom.type.dtype.kind == "c":
        if is_python_scalar(x):
            raise TypeError("must be real number, not complex")
        if _class_of(x) is np.ndarray:
            raise TypeError("float() argument must be a string or a real number, not 'complex'")
        atom = python_conversions.real_part(atom)
    return atoms.convert(atom, np.float64)


def staged(original: Callable[..., object]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Python's own function where nothing is traced; else the decorated one."""

    def decorate(function: Callable[..., object]) -> Callable[..., Any]:
        form = fitted(function, original)

        @functools.wraps(original)
        def either(*args: object, **kwargs: object) -> Value:
            values = (*args, *kwargs.values())
            choice = next((v for v in values if isinstance(v, UnionValue) and not _is_real(v)), None)
            if choice is not None:
                with_one = functools.partial(_with_one, either, choice, args, kwargs)
                return choice.each(with_one)
            return (form if any(map(is_traced, values)) else original)(*args, **kwargs)

        return either

    return decorate


def _is_real(choice: UnionValue) -> bool:
    """Return whether each number that a choice may be is a real one; None counts for nothing."""
    known = (abstract_of_option(o) for o in choice.options if o is not None and not isinstance(o, Undefined))
    return all(a is not None and not a.shape and a.dtype.kind != "c" for a in known)


def _with_one(
    call: Callable[..., Any], choice: UnionValue, args: tuple[object, ...], kwargs: dict[str, object], one: object
) -> Value:
    """The call with one of its options in place of a choice."""
    return call(*(one if a is choice else a for a in args), **{k: one if v is choice else v for k, v in kwargs.items()})


def _both(test: np.ufunc, operands: tuple[Atom, ...]) -> Atom:
    result: Atom = atoms.literal(True)
    for operand in operands:
        result = atoms.logical_and(result, atoms.ufunc(test, operand))
    return result


def _elementwise(name: str) -> Callable[..., Any]:
    """CPython's rule: a NaN from no NaN is a domain error; an infinity from finite operands overflows or is a pole."""
    original = getattr(math, name)
    table: dict[str, tuple[np.ufunc | str, Numbers, Numbers]] = {**_ELEMENTWISE, **_OWN}
    function, outside, infinite = table[name]

    @staged(original)
    def compute(*args: object) -> Value:
        if len(args) != (1 if isinstance(function, str) else function.nin):
            return original(*(0.0 for _ in args))  # raises TypeError
        operands = tuple(map(as_float, args))
        result = atoms.op(function, *operands) if isinstance(function, str) else atoms.ufunc(function, *operands)
        if outside:
            known = atoms.logical_not(atoms.ufunc(np.isnan, operands[0]))
            for other in operands[1:]:
                known = atoms.logical_and(known, atoms.logical_not(atoms.ufunc(np.isnan, other)))
            run_time_checks.fail_if(atoms.logical_and(known, atoms.ufunc(np.isnan, result)), raised(original, *outside))
        if infinite:
            beyond = atoms.logical_and(_both(np.isfinite, operands), atoms.ufunc(np.isinf, result))
            if name == "pow":
                pole = atoms.ufunc(np.equal, operands[0], atoms.literal(0.0))
                run_time_checks.fail_if(atoms.logical_and(beyond, pole), raised(original, 0.0, -1.0))
            run_time_checks.fail_if(beyond, raised(original, *infinite))
        return python_scalar(result)

    return compute


@staged(math.log)
def log(x: Value, base: object = None) -> Value:
    """`math.log(x, base)`."""
    if not is_traced(x):
        result: Any = math.log(x)
    else:
        operand = as_float(x)
        run_time_checks.fail_if(atoms.ufunc(np.less_equal, operand, atoms.literal(0.0)), raised(math.log, 0.0))
        result = python_scalar(atoms.ufunc(np.log, operand))
    return result if base is None else result / log(base)


def _to_int(name: str, function: np.ufunc) -> Callable[..., Any]:
    @staged(getattr(math, name))
    def compute(x: Value) -> Value:
        if isinstance(x, UnionValue):
            x = x.resolve()
        method = f"__{name}__"
        if isinstance(x, PythonScalar) and kind_of(x) is not complex:
            return python_conversions.rounded_to_int(function, x)
        if name == "trunc" and not hasattr(_class_of(x), method):
            raise TypeError(f"type {class_name(x)} doesn't define {method} method")
        return python_conversions.rounded_to_int(function, python_scalar(as_float(x)))  # NumPy's integers, too

    return compute


def _class_of(x: Value) -> type:
    known = x.abstract
    if known.kind is Kind.PYTHON:
        return known.python  # type: ignore[no-any-return]
    return np.ndarray if known.kind is Kind.ARRAY else known.dtype.type


@staged(math.hypot)
def hypot(*coordinates: object) -> Value:
    """`math.hypot` of any number of coordinates: infinite where one is, else NaN where one is."""
    if not coordinates:
        return 0.0
    first, *others = map(as_float, coordinates)
    result = functools.reduce(lambda found, x: atoms.ufunc(np.hypot, found, x), others, first)
    return python_scalar(result if others else atoms.ufunc(np.fabs, first))


def dist(p: Value, q: Value) -> Value:
    """`math.dist`: the distance of two points."""
    if not any(map(is_traced, (p, q, *p, *q))):
        return math.dist(p, q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    pairs = zip(map(as_float, p), map(as_float, q), strict=True)
    return hypot(*(python_scalar(atoms.ufunc(np.subtract, a, b)) for a, b in pairs))


@staged(math.isclose)
def isclose(a: object, b: object, *, rel_tol: object = 1e-9, abs_tol: object = 0.0) -> Value:
    """`math.isclose`."""
    return are_close(math.isclose, as_float(a), as_float(b), rel_tol, abs_tol)


def are_close(function: Callable[..., bool], x: Atom, y: Atom, rel_tol: Value, abs_tol: Value) -> Value:
    """`isclose` of floats or of complex numbers; `function` is that of `math` or of `cmath`."""
    relative, absolute = as_float(rel_tol), as_float(abs_tol)
    negative = [atoms.ufunc(np.less, tolerance, atoms.literal(0.0)) for tolerance in (relative, absolute)]
    wrong = raised(functools.partial(function, 1.0, 2.0, rel_tol=-1.0))
    run_time_checks.fail_if(atoms.logical_or(*negative), wrong)
    difference = atoms.ufunc(np.absolute, atoms.ufunc(np.subtract, x, y))
    close: Atom = atoms.ufunc(np.less_equal, difference, absolute)
    for z in (x, y):
        bound = atoms.ufunc(np.multiply, relative, atoms.ufunc(np.absolute, z))
        close = atoms.logical_or(close, atoms.ufunc(np.less_equal, difference, bound))
    # The difference of finite numbers may be infinite, and no greater than a bound that is.
    endless = atoms.logical_or(atoms.ufunc(np.isinf, x), atoms.ufunc(np.isinf, y))
    close = atoms.logical_and(close, atoms.logical_not(endless))
    return python_scalar(atoms.logical_or(close, atoms.ufunc(np.equal, x, y)))


@staged(math.remainder)
def remainder(x: object, y: object) -> Value:
    """`math.remainder`, that of IEEE 754: from the nearest multiple, ties to the even one."""
    a, b = as_float(x), as_float(y)
    numbers = atoms.logical_not(atoms.logical_or(atoms.ufunc(np.isnan, a), atoms.ufunc(np.isnan, b)))
    wrong = atoms.logical_or(atoms.ufunc(np.isinf, a), atoms.ufunc(np.equal, b, atoms.literal(0.0)))
    run_time_checks.fail_if(atoms.logical_and(numbers, wrong), raised(math.remainder, 1.0, 0.0))
    size, step = atoms.ufunc(np.absolute, a), atoms.ufunc(np.absolute, b)
    m = atoms.ufunc(np.fmod, size, step)
    c = atoms.ufunc(np.subtract, step, m)
    half = atoms.ufunc(np.multiply, atoms.literal(0.5), atoms.ufunc(np.subtract, size, m))
    odd = atoms.ufunc(np.multiply, atoms.literal(2.0), atoms.ufunc(np.fmod, half, step))
    tie = atoms.ufunc(np.subtract, m, odd)
    nearer = atoms.select(atoms.ufunc(np.greater, m, c), atoms.ufunc(np.negative, c), tie)
    r = atoms.select(atoms.ufunc(np.less, m, c), m, nearer)
    sign = atoms.ufunc(np.copysign, atoms.literal(1.0), a)
    return python_scalar(atoms.select(atoms.ufunc(np.isinf, b), a, atoms.ufunc(np.multiply, sign, r)))


@staged(math.frexp)
def frexp(x: object) -> Value:
    """`math.frexp`: a fraction and an int."""
    fraction, exponent = atoms.ufunc_all(np.frexp, as_float(x))
    return python_scalar(fraction), python_scalar(atoms.convert(exponent, np.int64), Interval(-1080, 1080))


@staged(math.modf)
def modf(x: object) -> Value:
    """`math.modf`."""
    return tuple(map(python_scalar, atoms.ufunc_all(np.modf, as_float(x))))


@staged(math.ldexp)
def ldexp(x: Value, i: Value) -> Value:
    """`math.ldexp`; overflows as `math` does."""
    i = number_subclasses.plain(i)
    if not is_python_scalar(i) or kind_of(i) not in (int, bool):
        raise TypeError("Expected an int as second argument to ldexp.")  # nor a NumPy scalar, unlike elsewhere
    a = as_float(x)
    exponent = wrap.as_atom(i, np.int64) if is_traced(i) else atoms.literal(min(max(int(i), -(10**6)), 10**6))
    result = atoms.ufunc(np.ldexp, a, atoms.convert(exponent, np.int64))
    beyond = atoms.logical_and(atoms.ufunc(np.isfinite, a), atoms.ufunc(np.isinf, result))
    run_time_checks.fail_if(beyond, raised(math.ldexp, 1.0, 5000))
    return python_scalar(result)


@staged(math.ulp)
def ulp(x: object) -> Value:
    """`math.ulp`: the distance to the next float away from zero."""
    a = as_float(x)
    size = atoms.ufunc(np.absolute, a)
    special = atoms.logical_not(atoms.ufunc(np.isfinite, a))
    top = atoms.literal(math.ulp(1.7e308))
    finite = atoms.select(atoms.ufunc(np.equal, size, atoms.literal(1.7976931348623157e308)), top, _spacing(size))
    return python_scalar(atoms.select(special, size, finite))


def _spacing(size: Atom) -> Atom:
    return atoms.ufunc(np.spacing, size)


@staged(math.nextafter)
def nextafter(x: object, y: object) -> Value:
    """`math.nextafter`, one step."""
    return python_scalar(atoms.ufunc(np.nextafter, as_float(x), as_float(y)))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    # cbrt and exp2 came with Python 3.11
    **{name: _elementwise(name) for name in (*_ELEMENTWISE, *_OWN) if hasattr(math, name)},
    **{name: _to_int(name, getattr(np, name)) for name in ("floor", "ceil", "trunc")},
    "log": log, "hypot": hypot, "dist": dist, "isclose": isclose, "remainder": remainder, "frexp": frexp,
    "modf": modf, "ldexp": ldexp, "ulp": ulp, "nextafter": nextafter,
}  # fmt: skip
