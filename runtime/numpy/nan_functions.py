"""Reductions that leave NaN out: the plain ones on arrays where NaN has been replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import operands, outputs, sorting, statistics
from anabranch.runtime.numpy.core import NoValue, fresh, zeros_atom
from anabranch.runtime.numpy.reductions import refuse_empty
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufunc_reductions import ReductionKeywords, reduce
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()

_F = registry.FUNCTIONS


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


def _extreme(ufunc: np.ufunc, numbers: np.ufunc) -> Callable[..., Any]:
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


rules.any_shape(np.nanmax)(_extreme(np.maximum, np.fmax))
rules.any_shape(np.nanmin)(_extreme(np.minimum, np.fmin))


def _position(plain_: Callable[..., object], value: float) -> Callable[..., Any]:
    def function(a: Value, axis: Value = None, out: Value = None, *, keepdims: Value = NoValue) -> Value:
        x = operands.array(a)
        if _has_nan(x.dtype):
            refuse_empty(plain_.__name__, x, axis)
            bad = _F[np.any](_F[np.all](_F[np.isnan](x), axis=axis))
            run_time_checks.fail_if(wrap.as_atom(bad), lambda _: ValueError("All-NaN slice encountered"))
        return _F[plain_](_replaced(x, value), axis=axis, out=out, keepdims=keepdims)

    return function


rules.any_shape(np.nanargmax)(_position(np.argmax, -np.inf))
rules.any_shape(np.nanargmin)(_position(np.argmin, np.inf))


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
