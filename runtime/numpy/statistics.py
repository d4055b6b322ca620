"""Means, spreads, order statistics, covariances and correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import operands, outputs, sorting
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    axes_tuple,
    fresh,
    keepdims_shape,
    supported,
    zeros_atom,
)
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufunc_reductions import ReductionKeywords, reduce
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar

rules = Rules()

_F = registry.FUNCTIONS
_REMAPPED = (
    "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and requested shape {}"
)
_NO_AXIS = "Axis must be specified when shapes of a and weights differ."


def _flag(keepdims: object) -> bool:
    return keepdims is not NoValue and bool(keepdims)


def _items(x: Value, axis: Value, where: Value, keepdims: bool) -> Value:
    """How many elements each mean takes in: an int, or an array with `where`."""
    if where is not True and where is not NoValue:
        return reduce(np.add, where, ReductionKeywords(axis, np.intp, None, keepdims))
    count: Any = math.prod(x.shape[i] for i in axes_tuple(axis, x.ndim))
    return fresh(size_arithmetic.atom_of(count)) if isinstance(count, PythonScalar) else np.intp(count)


def _picked(x: Value, where: Value) -> Value:
    """The mask that says which elements count, as an array of the shape of theirs."""
    if where is True or where is NoValue:
        return where
    if any(map(wrap.is_dynamic_array, (x, where))):
        where = broadcasting.fitted(where, x, _REMAPPED)
    mask = atom_of(where, np.bool_)
    return wrap.part_of(fresh(atoms.broadcast_to(mask, operands.capacity(x))), operands.extents(x), operands.origin(x))


def _divided(total: Value, count: Value) -> Value:
    return as_dtype(apply_ufunc.apply(np.true_divide, (total, count)), total.dtype)


def as_dtype(x: Value, dtype: np.dtype) -> Value:
    """The array or scalar in another dtype."""
    return x if x.dtype == dtype else x.astype(dtype)


def _computed(source: np.dtype, dtype: Value) -> np.dtype:
    """The dtype of sums: float64 of integers."""
    if dtype is not None:
        return supported(dtype)
    return np.dtype(np.float64) if source.kind in "biu" else source


def mean_of(x: Value, axis: Value, dtype: Value = None, keepdims: bool = False, where: Value = NoValue) -> Value:
    """The mean in NumPy's dtype, of float16 computed in float32."""
    half = dtype is None and x.dtype == np.float16
    computed = np.dtype(np.float32) if half else _computed(x.dtype, dtype)
    where = _picked(x, where)
    total = reduce(np.add, x, ReductionKeywords(axis, computed, None, keepdims, NoValue, where))
    value = _divided(total, _items(x, axis, where, keepdims))
    return as_dtype(value, np.dtype(np.float16)) if half else value


@rules.method("mean")
@rules.any_shape(np.mean)
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
    return outputs.written(out, mean_of(operands.array(a), axis, dtype, _flag(keepdims), where))


def _correction(ddof: object, correction: object) -> Value:
    if correction is NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _variance(x: Value, axis: Value, dtype: Value, ddof: Value, keepdims: bool, where: Value, known: Value) -> Value:
    """The variance, by two passes as NumPy does it: of float16 in float16, unlike the mean."""
    computed = _computed(x.dtype, dtype)
    where = _picked(x, where)
    if known is NoValue or known is None:
        total = reduce(np.add, x, ReductionKeywords(axis, computed, None, True, NoValue, where))
        known = _divided(total, _items(x, axis, where, True))
    deviation = apply_ufunc.apply(np.subtract, (x, known))
    if deviation.dtype.kind == "c":
        parts = [_F[f](deviation) for f in (np.real, np.imag)]
        squares = apply_ufunc.apply(np.add, [apply_ufunc.apply(np.multiply, (p, p)) for p in parts])
        computed = squares.dtype
    else:
        squares = apply_ufunc.apply(np.multiply, (deviation, deviation))
    total = reduce(np.add, squares, ReductionKeywords(axis, computed, None, keepdims, NoValue, where))
    free = apply_ufunc.apply(np.subtract, (_items(x, axis, where, keepdims), ddof))
    return _divided(total, apply_ufunc.apply(np.maximum, (free, 0)))


def _spread(name: str, root: bool) -> None:
    def function(
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
        free = _correction(ddof, correction)
        value = _variance(operands.array(a), axis, dtype, free, _flag(keepdims), where, mean)
        return outputs.written(out, apply_ufunc.apply(np.sqrt, (value,)) if root else value)

    rules.any_shape(getattr(np, name))(rules.method(name)(function))


_spread("var", root=False)
_spread("std", root=True)


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


def reduced_axes_last(x: Value, axis: Value) -> tuple[Value, tuple[int, ...]]:
    """The elements to order as the last axis, and the axes that they were on."""
    axes = axes_tuple(axis, x.ndim)
    rest = [i for i in range(x.ndim) if i not in axes]
    if wrap.is_dynamic_array(x):
        if rest and len(axes) != 1:
            x._needs_size("one axis, or all,")
        return (_F[np.transpose](x, (*rest, *axes)) if rest else operands.flat(x)), axes
    turned = atoms.transpose(atom_of(x), (*rest, *axes))
    shape = (*(x.shape[i] for i in rest), math.prod(x.shape[i] for i in axes))
    return fresh(atoms.reshape(turned, shape)), axes


def in_rest(made: Atom, x: Value, axes: tuple[int, ...], keepdims: Value, out: Value) -> Value:
    """The values for the lines of an array along some axes, as the result that is asked for."""
    keep = _flag(keepdims)
    extents = [None if i in axes else e for i, e in enumerate(operands.extents(x)) if keep or i not in axes]
    made = atoms.reshape(made, keepdims_shape(operands.capacity(x), axes)) if keep else made
    value = fresh(made) if keep else wrap.numpy_result(made)
    value = wrap.with_extents(value, extents, operands.origin(x))
    return value if out is None else outputs.written(out, value, "same_kind")


def middle(ordered: Value, count: Value) -> Atom:
    """The mean of the one or two elements in the middle of the first `count` of each line."""
    view = operands.memory(ordered)
    *outer, n = view.shape
    last = len(outer)
    if not n:
        return atom_of(mean_of(view, last))
    if isinstance(count, int):
        rows = atoms.cut(view.atom, (count - 1) // 2, count // 2 + 1, last)
        return atom_of(mean_of(fresh(rows), last))
    counts: Any = fresh(atoms.broadcast_to(atom_of(operands.memory(count), np.int64), outer))
    low, high = (_F[np.maximum]((counts + shift) // 2, 0) for shift in (-1, 0))
    places = _F[np.stack]([low, high], axis=-1)
    pair = _F[np.take_along_axis](view, places, last)
    both, alone = mean_of(pair, last), mean_of(pair[..., :1], last)
    made = _F[np.where](_F[np.equal](low, high), alone, both)
    return atom_of(_F[np.where](_F[np.equal](counts, 0), made.dtype.type(np.nan), made))


@rules.any_shape(np.median)
def median(
    a: object, axis: object = None, out: object = None, overwrite_input: object = False, keepdims: object = False
) -> Value:
    """As `numpy.median`: NaN where a line holds one, or nothing."""
    del overwrite_input  # a permission
    x = operands.array(a)
    line, axes = reduced_axes_last(x, axis)
    n = line.shape[-1]
    places = [(n - 1) // 2, n // 2]
    is_static, at = isinstance(n, int), line.ndim - 1
    ordered = sorting.placed(line, at, places) if is_static else sorting.placed_at(line, at, _F[np.array](places))
    made = middle(ordered, n)
    if x.dtype.kind in "fc":
        bad = reduce(np.logical_or, apply_ufunc.apply(np.isnan, (line,)), ReductionKeywords(-1))
        made = atoms.select(atom_of(operands.memory(bad)), zeros_atom(made.type.shape, made.type.dtype, np.nan), made)
    return in_rest(made, x, axes, keepdims, out)


def _variables(m: object, rowvar: object, name: str) -> Value:
    """One variable in each row."""
    array = operands.array(m)
    if array.ndim > 2:
        raise ValueError(f"{name} has more than 2 dimensions")
    table = xp.atleast_2d(array)
    several = array.ndim != 1 if name == "m" else not _is(table.shape[0], 1)
    return table.T if several and not rowvar else table


def _is(size: object, number: int) -> bool:
    """Return whether a size is surely this."""
    return isinstance(size, int) and size == number


def _weights(given: object, count: Value, name: str) -> Value:
    weights = operands.array(given).astype(np.float64)
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    wrong = broadcasting.differ(weights.shape[0], count) if weights.ndim else atoms.literal(True)
    broadcasting.refuse(wrong, RuntimeError, f"incompatible numbers of samples and {name}")
    _refuse(xp.any(weights < 0), ValueError(f"{name} cannot be negative"))
    return weights


def _refuse(where: object, error: Exception) -> None:
    run_time_checks.fail_if(wrap.as_atom(where), lambda _: error)


@rules.any_shape(np.cov)
def cov(
    m: object,
    y: object = None,
    rowvar: object = True,
    bias: Value = False,
    ddof: Value = None,
    fweights: object = None,
    aweights: object = None,
    *,
    dtype: object = None,
) -> Value:
    """As `numpy.cov`."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    parts = [_variables(v, rowvar, name) for v, name in ((m, "m"), (y, "y")) if v is not None]
    chosen = np.result_type(*(p.dtype for p in parts), np.float64) if dtype is None else dtype
    x, *others = [p.astype(chosen) for p in parts]
    if _is(x.shape[0], 0):
        return xp.zeros((0, 0))
    x = xp.concatenate((x, *others), axis=0) if others else x
    free = (0 if bias else 1) if ddof is None else int(ddof)
    weights, total = _all_weights(fweights, aweights, x.shape[1])
    mean = xp.average(x, axis=1, weights=weights)
    count = _freedom(weights, aweights, total, free, x.shape[1])
    x = x - mean[:, None]
    product = xp.dot(x, xp.conjugate((x if weights is None else x * weights).T))
    scaled = product * xp.true_divide(1.0, xp.where(xp.greater(count, 0), count, 0.0))
    made = scaled.astype(chosen)
    if not wrap.is_dynamic_array(made):
        return xp.squeeze(made)
    alone = atoms.logical_not(broadcasting.differ(made.shape[0], 1))
    text = "cov() of a number of variables known only at run time, which is 1 here: NumPy returns a number for one"
    broadcasting.refuse(alone, UnsupportedOperationError, text)
    return made


def _all_weights(fweights: object, aweights: object, count: Value) -> tuple[Value, Value]:
    """The weight of each observation, and their sum; None where all count alike."""
    weights = None
    if fweights is not None:
        weights = _weights(fweights, count, "fweights")
        _refuse(xp.any(weights != xp.round(weights)), TypeError("fweights must be integer"))
    if aweights is not None:
        given = _weights(aweights, count, "aweights")
        weights = given if weights is None else weights * given
    return weights, None if weights is None else xp.sum(weights)


def _freedom(weights: object, aweights: object, total: Value, free: int, count: Value) -> Value:
    """Return the divisor of the sum of products."""
    if weights is None:
        return count - free
    if free == 0 or aweights is None:
        return total - free
    return total - free * xp.sum(weights * operands.array(aweights)) / total
