"""Closeness, equality, and numbers made finite or rounded."""

from __future__ import annotations

import operator

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    dtype_of,
    fresh,
    handle,
    refused,
    result,
    shape_of,
    zeros_atom,
)
from anabranch.runtime.numpy.operands import elementwise
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufuncs import output_casting_error
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting

rules = Rules()

_F = registry.FUNCTIONS
_PARTS = ("real", "imag")


@rules.any_shape(np.allclose)
def allclose(a: object, b: object, rtol: object = 1.0e-5, atol: object = 1.0e-8, equal_nan: object = False) -> Value:
    """As `numpy.allclose`: a Python bool."""
    return python_bool(_F[np.all](_F[np.isclose](a, b, rtol, atol, equal_nan)))


def python_bool(x: object) -> Value:
    """A traced Python bool of a truth value."""
    return x.item() if hasattr(x, "item") else x


@rules.any_shape(np.array_equal)
def array_equal(a1: object, a2: object, equal_nan: object = False) -> Value:
    """As `numpy.array_equal`: a Python bool."""
    x, y = operands.array(a1), operands.array(a2)
    if x.ndim != y.ndim:
        return False
    alike: Atom = atoms.literal(True)
    for n, m in zip(x.shape, y.shape, strict=True):
        alike = atoms.logical_and(alike, atoms.logical_not(broadcasting.differ(n, m)))
    if isinstance(alike, Literal) and not alike.value:
        return False
    has_nan = equal_nan and all(v.dtype.kind in "fcV" for v in (x, y))
    if not any(map(wrap.is_dynamic_array, (x, y))):
        return python_bool(_F[np.all](_same(x, y, has_nan)))
    x, y = operands.left_packed(x), operands.left_packed(y)
    key = tuple(slice(0, min(n, m)) for n, m in zip(operands.capacity(x), operands.capacity(y), strict=True))
    there = _F[np.logical_and](*(fresh(operands.valid(v))[key] for v in (x, y)))
    same = _same(operands.memory(x)[key], operands.memory(y)[key], has_nan)
    return python_bool(_F[np.logical_and](fresh(alike)[()], _F[np.all](_F[np.logical_or](same, ~there))))


def _same(x: Value, y: Value, equal_nan: object) -> Value:
    """The elements that are equal, or both NaN where that counts."""
    same = apply_ufunc.apply(np.equal, (x, y))
    return _F[np.logical_or](same, _F[np.logical_and](_F[np.isnan](x), _F[np.isnan](y))) if equal_nan else same


@rules.implements(np.array_equiv)
def array_equiv(a1: object, a2: object) -> Value:
    """As `numpy.array_equiv`: a Python bool."""
    try:
        apply_ufunc.broadcast_shapes(shape_of(a1), shape_of(a2))
    except ValueError:
        return False
    return python_bool(_F[np.all](apply_ufunc.apply(np.equal, (a1, a2))))


def _infinite(name: str, sign: float) -> Value:
    def function(x: Value, out: Value = None) -> Value:
        if dtype_of(x).kind == "c":
            raise TypeError(f"This operation is not supported for {dtype_of(x)} values because it would be ambiguous.")
        infinite = apply_ufunc.apply(np.isinf, (x,))
        side = apply_ufunc.apply(np.signbit, (x,))
        side = side if sign < 0 else apply_ufunc.apply(np.logical_not, (side,))
        return _F[np.logical_and](infinite, side, out=out)

    function.__name__ = name
    return function


rules.any_shape(np.isposinf)(elementwise("x")(_infinite("isposinf", 1.0)))
rules.any_shape(np.isneginf)(elementwise("x")(_infinite("isneginf", -1.0)))


def isposinf(x: object) -> Value:
    """Where x is infinity."""
    return apply_ufunc.apply(np.equal, (x, np.inf))


def isneginf(x: object) -> Value:
    """Where x is minus infinity."""
    return apply_ufunc.apply(np.equal, (x, -np.inf))


# ---- rounding --------------------------------------------------------------------------------------------------------


@rules.method("round")
@rules.any_shape(np.round, np.around)
@elementwise("a")
def round_(a: object, decimals: Value = 0, out: object = None) -> Value:
    """As `numpy.round`: to even, by scaling with a power of ten."""
    decimals = operator.index(decimals)
    value = atom_of(a)
    dtype = value.type.dtype
    if dtype.kind == "b":
        if decimals == 0:
            dtype = np.dtype(np.float16)
            return result(atoms.convert(value, dtype), out)
        ufunc = np.multiply if decimals > 0 else np.divide
        raise output_casting_error(ufunc, np.dtype(np.float64), dtype, "same_kind", 2)
    if dtype.kind == "c":
        parts = [_rounded(atoms.op(p, value), decimals) for p in _PARTS]
        return result(atoms.op("complex", *parts), out, "unsafe")
    if dtype.kind in "iu":
        if decimals >= 0:
            return result(value, out)
        return result(atoms.convert(_rounded(atoms.convert(value, np.float64), decimals), dtype), out)
    return result(_rounded(value, decimals), out, "unsafe")


def _rounded(value: Atom, decimals: int) -> Atom:
    if decimals == 0:
        return atoms.ufunc(np.rint, value)
    up, down = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
    scale = zeros_atom(value.type.shape, value.type.dtype, 10.0 ** abs(decimals))
    return atoms.ufunc(down, atoms.ufunc(np.rint, atoms.ufunc(up, value, scale)), scale)


@rules.any_shape(np.fix)
@elementwise("x")
def fix(x: object, out: object = None) -> Value:
    """As `numpy.fix`."""
    return _F[np.trunc](x, out=out)


@rules.implements(np.real_if_close)
def real_if_close(a: object, tol: object = 100) -> TracedArray:
    """As `numpy.real_if_close`, of real arrays; that of complex ones depends on the values."""
    del tol
    if dtype_of(a).kind == "c":
        raise refused("real_if_close", "whether the result is complex is known only at run time")
    return handle(a)
