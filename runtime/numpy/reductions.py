"""Sums, products, extremes, truth and their positions, over axes; and of what is left without NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import operands, outputs, sorting, statistics, ufunc_reductions
from anabranch.runtime.numpy.core import NoValue, fresh, keepdims_shape, one_axis, zeros_atom
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufunc_reductions import ReductionKeywords, reduce
from anabranch.runtime.ops.reducers import highest, lowest
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()

_F = registry.FUNCTIONS

_Reduction = Callable[..., Any]


def _arithmetic(ufunc: np.ufunc) -> _Reduction:
    def reduction(
        a: object,
        axis: object = None,
        dtype: object = None,
        out: object = None,
        keepdims: object = NoValue,
        initial: object = NoValue,
        where: object = True,
    ) -> Value:
        return reduce(ufunc, a, ReductionKeywords(axis, dtype, out, keepdims, initial, where))

    return reduction


def _extreme(ufunc: np.ufunc) -> _Reduction:
    def reduction(
        a: object,
        axis: object = None,
        out: object = None,
        keepdims: object = NoValue,
        initial: object = NoValue,
        where: object = True,
    ) -> Value:
        return reduce(ufunc, a, ReductionKeywords(axis, None, out, keepdims, initial, where))

    return reduction


def _truth(ufunc: np.ufunc) -> _Reduction:
    def reduction(
        a: object, axis: object = None, out: object = None, keepdims: object = NoValue, *, where: object = True
    ) -> Value:
        return reduce(ufunc, a, ReductionKeywords(axis, np.bool_, out, keepdims, NoValue, where))

    return reduction


for _function, _reduction in (
    (np.sum, _arithmetic(np.add)),
    (np.prod, _arithmetic(np.multiply)),
    (np.max, _extreme(np.maximum)),
    (np.min, _extreme(np.minimum)),
    (np.any, _truth(np.logical_or)),
    (np.all, _truth(np.logical_and)),
):
    rules.any_shape(_function)(_reduction)
    rules.method(_function.__name__)(_reduction)
rules.any_shape(np.amax)(rules.methods["max"])
rules.any_shape(np.amin)(rules.methods["min"])


def refuse_empty(name: str, x: Value, axis: Value) -> None:
    """Raise where no element is on the axis that a position is looked for on."""
    size = x.size if axis is None or not x.ndim else x.shape[one_axis(axis, x.ndim)]
    empty = atoms.logical_not(broadcasting.differ(size, 0))
    broadcasting.refuse(empty, ValueError, f"attempt to get {name} of an empty sequence")


def _position(name: str, worst: Callable[[np.dtype], Value]) -> _Reduction:
    def reduction(a: object, axis: object = None, out: object = None, *, keepdims: object = NoValue) -> Value:
        x = operands.array(a)
        if axis is not None and not x.ndim:
            one_axis(axis, 1)
        is_flat = axis is None or not x.ndim
        line, at = (operands.flat(x), 0) if is_flat else (x, one_axis(axis, x.ndim))
        refuse_empty(name, line, at)
        # Compacted, so that of equal elements a valid one comes first.
        line = operands.left_packed(line, at)
        value, rest = atoms.op(name, operands.padded(line, worst(x.dtype)), axis=at), operands.extents(line)
        rest[at : at + 1] = []
        if keepdims is not NoValue and keepdims:
            axes = range(x.ndim) if is_flat else (at,)
            value = atoms.reshape(value, keepdims_shape(operands.capacity(x), axes))
            rest = [None if i in axes else e for i, e in enumerate(operands.extents(line))] if not is_flat else []
        made = wrap.with_extents(wrap.numpy_result(value), rest, operands.origin(x))
        return outputs.written(out, made)

    return reduction


for _name, _worst in (("argmax", lowest), ("argmin", highest)):
    rules.any_shape(getattr(np, _name))(rules.method(_name)(_position(_name, _worst)))


def _running(ufunc: np.ufunc) -> _Reduction:
    def accumulation(a: object, axis: object = None, dtype: object = None, out: object = None) -> Value:
        return _accumulate(ufunc, operands.array(a), axis, dtype, out)

    return accumulation


def _accumulate(ufunc: np.ufunc, x: Value, axis: Value, dtype: Value = None, out: Value = None) -> Value:
    """`np.cumsum` and `np.cumprod`: along an axis, or over all elements in C order."""
    if axis is not None and not x.ndim:
        one_axis(axis, 1)
    if axis is None or not x.ndim:
        x, axis = operands.flat(x), 0
    return ufunc_reductions.accumulate(ufunc, x, axis, dtype, out)


for _name, _ufunc in (("cumsum", np.add), ("cumprod", np.multiply)):
    rules.any_shape(getattr(np, _name))(rules.method(_name)(_running(_ufunc)))


def _cumulative(ufunc: np.ufunc) -> _Reduction:
    def accumulation(
        x: object, /, *, axis: object = None, dtype: object = None, out: object = None, include_initial: bool = False
    ) -> Value:
        value = operands.array(x)
        if axis is None and value.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        if not include_initial:
            return _accumulate(ufunc, value, axis, dtype, out)
        running = _accumulate(ufunc, value, axis, dtype)
        at = one_axis(0 if axis is None else axis, running.ndim)
        first = reduce(ufunc, running[(slice(None),) * at + (slice(0, 0),)], ReductionKeywords(at, keepdims=True))
        return outputs.written(out, _F[np.concatenate]([first, running], at), "same_kind")

    return accumulation


rules.any_shape(np.cumulative_sum)(_cumulative(np.add))
rules.any_shape(np.cumulative_prod)(_cumulative(np.multiply))


@rules.any_shape(np.ptp)
def ptp(a: object, axis: object = None, out: object = None, keepdims: object = NoValue) -> Value:
    """Maximum less minimum."""
    x, options = operands.array(a), ReductionKeywords(axis, None, None, keepdims)
    high, low = (reduce(u, x, options) for u in (np.maximum, np.minimum))
    return _F[np.subtract](high, low, out=out)


@rules.any_shape(np.count_nonzero)
def count_nonzero(a: object, axis: object = None, *, keepdims: object = False) -> Value:
    """How many elements are not zero."""
    truth = operands.array(a).astype(np.bool_)
    return reduce(np.add, truth, ReductionKeywords(axis, np.int64, None, keepdims))


def _has_nan(dtype: np.dtype) -> bool:
    """Return whether NumPy takes a dtype for one of inexact numbers, which bfloat16 is not."""
    return dtype.kind in "fc"


def _replaced(x: Value, value: float) -> Value:
    """The array with another value for NaN."""
    if not _has_nan(x.dtype):
        return x
    view = operands.memory(x)
    made = fresh(atoms.select(atoms.ufunc(np.isnan, view.atom), zeros_atom(view.shape, x.dtype, value), view.atom))
    return x.with_memory(made) if wrap.is_dynamic_array(x) else made


def _filled(plain_: Callable[..., object], value: int) -> Callable[..., Any]:
    def function(a: Value, *args: Value, **kwargs: Value) -> Value:
        return _F[plain_](_replaced(operands.array(a), value), *args, **kwargs)

    return function


for _original, _plain, _value in (
    (np.nansum, np.sum, 0),
    (np.nanprod, np.prod, 1),
    (np.nancumsum, np.cumsum, 0),
    (np.nancumprod, np.cumprod, 1),
):
    rules.any_shape(_original)(_filled(_plain, _value))


def _extreme_number(ufunc: np.ufunc, numbers: np.ufunc) -> Callable[..., Any]:
    def function(
        a: Value,
        axis: Value = None,
        out: Value = None,
        keepdims: Value = NoValue,
        initial: Value = NoValue,
        where: Value = NoValue,
    ) -> Value:
        # fmin and fmax take the number where one of two is NaN.
        x = operands.array(a)
        chosen = numbers if x.dtype.kind in "fcV" else ufunc
        return reduce(chosen, x, ReductionKeywords(axis, None, out, keepdims, initial, where))

    return function


rules.any_shape(np.nanmax)(_extreme_number(np.maximum, np.fmax))
rules.any_shape(np.nanmin)(_extreme_number(np.minimum, np.fmin))


def _position_of_number(plain_: Callable[..., object], value: float) -> Callable[..., Any]:
    def function(a: Value, axis: Value = None, out: Value = None, *, keepdims: Value = NoValue) -> Value:
        x = operands.array(a)
        if _has_nan(x.dtype):
            refuse_empty(plain_.__name__, x, axis)
            bad = _F[np.any](_F[np.all](_F[np.isnan](x), axis=axis))
            run_time_checks.fail_if(wrap.as_atom(bad), lambda _: ValueError("All-NaN slice encountered"))
        return _F[plain_](_replaced(x, value), axis=axis, out=out, keepdims=keepdims)

    return function


rules.any_shape(np.nanargmax)(_position_of_number(np.argmax, -np.inf))
rules.any_shape(np.nanargmin)(_position_of_number(np.argmin, np.inf))


def _present(x: Value, where: object) -> Value:
    """A `where=` that leaves NaN out."""
    if not _has_nan(x.dtype):
        return where
    valid = _F[np.logical_not](_F[np.isnan](x))
    return valid if where is NoValue or where is True else _F[np.logical_and](valid, where)


def _check_inexact(x: Value, dtype: Value, out: Value) -> None:
    for name, given in (("dtype", dtype), ("out", None if out is None else out.dtype)):
        if _has_nan(x.dtype) and given is not None and np.dtype(given).kind not in "fc":
            raise TypeError(f"If a is inexact, then {name} must be inexact")


@rules.any_shape(np.nanmean)
def nanmean(
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: object = NoValue,
    *,
    where: object = NoValue,
) -> Value:
    """As `numpy.nanmean`."""
    x = operands.array(a)
    _check_inexact(x, dtype, out)
    return _F[np.mean](_replaced(x, 0), axis, dtype, out, keepdims, where=_present(x, where))


def _spread(original: Callable[..., object], root: bool) -> None:
    def function(
        a: Value,
        axis: Value = None,
        dtype: Value = None,
        out: Value = None,
        ddof: Value = 0,
        keepdims: Value = NoValue,
        *,
        where: Value = NoValue,
        mean: Value = NoValue,
        correction: Value = NoValue,
    ) -> Value:
        x = operands.array(a)
        _check_inexact(x, dtype, out)
        valid = _present(x, where)
        free = ddof if correction is NoValue else correction
        value = _F[np.var](_replaced(x, 0), axis, dtype, None, free, keepdims, where=valid, mean=mean)
        if _has_nan(x.dtype):
            few = _F[np.sum](valid, axis, np.int64, keepdims=keepdims) <= free
            value = _F[np.where](few, value.dtype.type(np.nan), value)
        return outputs.written(out, _F[np.sqrt](value) if root else value)

    rules.any_shape(original)(function)


_spread(np.nanvar, root=False)
_spread(np.nanstd, root=True)


@rules.any_shape(np.nanmedian)
def nanmedian(
    a: object, axis: object = None, out: object = None, overwrite_input: object = False, keepdims: object = NoValue
) -> Value:
    """As `numpy.nanmedian`: NaN sorts last, so the middle is found from how many numbers there are."""
    del overwrite_input  # a permission
    x = operands.array(a)
    if not _has_nan(x.dtype):
        return statistics.median(x, axis, out, keepdims=keepdims)
    line, axes = statistics.reduced_axes_last(x, axis)
    numbers = _F[np.logical_not](_F[np.isnan](line))
    count = reduce(np.add, numbers, ReductionKeywords(-1, np.int64))
    places = _F[np.stack]([(operands.memory(count) + shift) // 2 for shift in (-1, 0)])
    ordered = sorting.placed_at(line, line.ndim - 1, places)
    return statistics.in_rest(statistics.middle(ordered, count), x, axes, keepdims, out)
