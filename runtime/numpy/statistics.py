"""Means, spreads, order statistics and histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import ufunc_reductions
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    axes_tuple,
    fresh,
    keepdims_shape,
    result,
    supported,
    zeros_atom,
)
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()

_F = registry.FUNCTIONS
_NO_AXIS = "Axis must be specified when shapes of a and weights differ."


def _flag(keepdims: object) -> bool:
    return keepdims is not NoValue and bool(keepdims)


def _items(x: Atom, axis: object, where: object, keepdims: bool) -> Value:
    """How many elements each mean takes in: an int, or an array with `where`."""
    if where is True or where is NoValue:
        axes = axes_tuple(axis, len(x.type.shape))
        return np.intp(math.prod(x.type.shape[a] for a in axes))
    mask = atoms.broadcast_to(atom_of(where, np.bool_), x.type.shape)
    return ufunc_reductions.reduce(
        np.add, fresh(mask), ufunc_reductions.ReductionKeywords(axis, np.intp, None, keepdims)
    )


def _divided(total: TracedArray, count: object, dtype: np.dtype) -> Atom:
    (value,) = apply_ufunc.apply_atoms(np.true_divide, (total, count))
    return atoms.convert(value, dtype)


def mean_atom(x: Atom, axis: object, dtype: object, keepdims: bool, where: object) -> Atom:
    """The mean in NumPy's dtype: float64 of integers, float16 summed in float32."""
    source = x.type.dtype
    half = dtype is None and source == np.float16
    computed = np.dtype(np.float64) if source.kind in "biu" else np.dtype(np.float32) if half else source
    computed = computed if dtype is None else supported(dtype)
    total = ufunc_reductions.reduce_atom(
        np.add, x, ufunc_reductions.ReductionKeywords(axis, computed, None, keepdims, NoValue, where)
    )
    value = _divided(fresh(total), _items(x, axis, where, keepdims), total.type.dtype)
    return atoms.convert(value, np.float16) if half else value


@rules.method("mean")
@rules.implements(np.mean)
def mean(
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: object = NoValue,
    *,
    where: object = NoValue,
) -> Value:
    """As `numpy.mean`."""
    return result(mean_atom(atom_of(a), axis, dtype, _flag(keepdims), where), out, "unsafe")


def _correction(ddof: object, correction: object) -> Value:
    if correction is NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def var_atom(x: Atom, axis: object, dtype: object, ddof: object, keepdims: bool, where: object, known: object) -> Atom:
    """The variance, by two passes as NumPy does it."""
    source = x.type.dtype
    half = dtype is None and source == np.float16
    computed = np.dtype(np.float64) if source.kind in "biu" else np.dtype(np.float32) if half else source
    computed = computed if dtype is None else supported(dtype)
    if known is NoValue or known is None:
        total = ufunc_reductions.reduce_atom(
            np.add, x, ufunc_reductions.ReductionKeywords(axis, computed, None, True, NoValue, where)
        )
        center = _divided(fresh(total), _items(x, axis, where, True), total.type.dtype)
    else:
        center = atom_of(known)
    (deviation,) = apply_ufunc.apply_atoms(np.subtract, (fresh(x), fresh(center)))
    if deviation.type.dtype.kind == "c":
        parts = [atoms.op(p, deviation) for p in ("real", "imag")]
        squares = atoms.ufunc(np.add, *(atoms.ufunc(np.multiply, p, p) for p in parts))
        computed = squares.type.dtype
    else:
        squares = atoms.ufunc(np.multiply, deviation, deviation)
    total = ufunc_reductions.reduce_atom(
        np.add, squares, ufunc_reductions.ReductionKeywords(axis, computed, None, keepdims, NoValue, where)
    )
    (count,) = apply_ufunc.apply_atoms(np.subtract, (_items(x, axis, where, keepdims), ddof))
    (count,) = apply_ufunc.apply_atoms(np.maximum, (wrap.numpy_result(count), 0))
    value = _divided(fresh(total), wrap.numpy_result(count), total.type.dtype)
    return atoms.convert(value, np.float16) if half else value


@rules.method("var")
@rules.implements(np.var)
def var(
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    ddof: object = 0,
    keepdims: object = NoValue,
    *,
    where: object = NoValue,
    mean: object = NoValue,
    correction: object = NoValue,
) -> Value:
    """As `numpy.var`."""
    value = var_atom(atom_of(a), axis, dtype, _correction(ddof, correction), _flag(keepdims), where, mean)
    return result(value, out, "unsafe")


@rules.method("std")
@rules.implements(np.std)
def std(
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    ddof: object = 0,
    keepdims: object = NoValue,
    *,
    where: object = NoValue,
    mean: object = NoValue,
    correction: object = NoValue,
) -> Value:
    """As `numpy.std`."""
    value = var_atom(atom_of(a), axis, dtype, _correction(ddof, correction), _flag(keepdims), where, mean)
    return result(atoms.ufunc(np.sqrt, value), out, "unsafe")


@rules.any_shape(np.average)
def average(
    a: object, axis: object = None, weights: object = None, returned: object = False, *, keepdims: object = NoValue
) -> Value:
    """As `numpy.average`; a sum of weights of zero raises `ZeroDivisionError` at run time."""
    array, keep = operands.array(a), _flag(keepdims)
    if weights is None:
        made = _F[np.mean](array, axis, keepdims=keep)
        nothing = atoms.logical_not(broadcasting.differ(made.size, 0))
        broadcasting.refuse(nothing, ZeroDivisionError, "division by zero")
        if not returned:
            return made
        sums = _F[np.full_like](made, _F[np.size](array, axis))
        return made, sums if made.shape else sums[()]
    array, weight = weighted(array, operands.array(weights), axis)
    dtype = np.result_type(array.dtype, weight.dtype, *(["f8"] if array.dtype.kind in "biu" else []))
    sums = _F[np.sum](weight, axis, dtype, keepdims=keep)
    zero = wrap.as_atom(_F[np.any](_F[np.equal](sums, 0)))
    run_time_checks.fail_if(zero, lambda _: ZeroDivisionError("Weights sum to zero, can't be normalized"))
    total = _F[np.sum](_F[np.multiply](array, weight), axis, dtype, keepdims=keep)
    made = _F[np.divide](total, sums)
    return (made, sums) if returned else made


def weighted(array: Value, weight: Value, axis: object) -> tuple[Value, Value]:
    """The array, and weights of its shape."""
    text = "Shape of weights must be consistent with shape of a along specified axis."
    if array.ndim == weight.ndim:
        other = _differs(array.shape, weight.shape)
        if not (isinstance(other, Literal) and other.value):
            broadcasting.refuse(other, *((TypeError, _NO_AXIS) if axis is None else (ValueError, text)))
            return array, weight
    if axis is None:
        raise TypeError(_NO_AXIS)
    axes = axes_tuple(axis, array.ndim, "axis")
    if weight.ndim != len(axes):
        raise ValueError(text)
    broadcasting.refuse(_differs(weight.shape, [array.shape[i] for i in axes]), ValueError, text)
    turned = _F[np.transpose](weight, [int(i) for i in np.argsort(axes)])
    wide = _F[np.expand_dims](turned, tuple(i for i in range(array.ndim) if i not in axes))
    if any(map(wrap.is_dynamic_array, (array, wide))):
        return array, _F[np.add](_F[np.zeros_like](array, weight.dtype), wide)
    return array, _F[np.broadcast_to](wide, array.shape)


def _differs(shape: Sequence[Value], other: Sequence[Value]) -> Atom:
    differ: Atom = atoms.literal(False)
    for n, m in zip(shape, other, strict=True):
        differ = atoms.logical_or(differ, broadcasting.differ(n, m))
    return differ


# ---- order statistics ------------------------------------------------------------------------------------------------


def reduced_axes_last(a: object, axis: object) -> tuple[Atom, tuple[int, ...]]:
    """The elements to order as the last axis, and the shape with the reduced axes at size 1."""
    value = atom_of(a)
    shape = value.type.shape
    axes = axes_tuple(axis, len(shape))
    rest = [i for i in range(len(shape)) if i not in axes]
    turned = atoms.transpose(value, (*rest, *axes))
    size = 1
    for i in axes:
        size *= shape[i]
    return atoms.reshape(turned, (*(shape[i] for i in rest), size)), keepdims_shape(shape, axes)


def _nan_lines(line: Atom) -> Atom | None:
    """Which lines hold a NaN."""
    if line.type.dtype.kind not in "fc":
        return None
    return atoms.op("reduce_any", atoms.ufunc(np.isnan, line), axes=(len(line.type.shape) - 1,))


@rules.implements(np.median)
def median(
    a: object, axis: object = None, out: object = None, overwrite_input: object = False, keepdims: object = False
) -> Value:
    """As `numpy.median`: NaN where a line holds one."""
    del overwrite_input  # a permission
    line, wide = reduced_axes_last(a, axis)
    last = len(line.type.shape) - 1
    n = line.type.shape[last]
    if n == 0:
        value = mean_atom(line, last, None, False, NoValue)
    else:
        ordered = atoms.op("sort", line, axis=last, stable=False)
        low, high = (n - 1) // 2, n // 2
        value = mean_atom(ufunc_reductions.rows(ordered, low, high + 1, last), last, None, False, NoValue)
        bad = _nan_lines(line)
        if bad is not None:
            value = atoms.select(bad, zeros_atom(value.type.shape, value.type.dtype, np.nan), value)
    if _flag(keepdims):
        value = atoms.reshape(value, wide)
        return fresh(value) if out is None else result(value, out)
    return result(value, out)
