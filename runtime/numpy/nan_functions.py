"""Reductions that leave NaN out: the plain ones on arrays where NaN has been replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import statistics, ufunc_reductions
from anabranch.runtime.numpy.core import NoValue, atom_of, dtype_of, fresh, handle, result, zeros_atom
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()

_F = registry.FUNCTIONS


def _nan_mask(x: Atom) -> Atom | None:
    return atoms.ufunc(np.isnan, x) if x.type.dtype.kind in "fc" else None


def _replaced(x: Atom, value: float) -> Atom:
    mask = _nan_mask(x)
    return x if mask is None else atoms.select(mask, zeros_atom(x.type.shape, x.type.dtype, value), x)


def _filled(plain_: Callable[..., object], value: int) -> Callable[..., Any]:
    def function(a: Value, *args: Value, **kwargs: Value) -> Value:
        return _F[plain_](fresh(_replaced(atom_of(a), value)), *args, **kwargs)

    return function


for _original, _plain, _value in (
    (np.nansum, np.sum, 0),
    (np.nanprod, np.prod, 1),
    (np.nancumsum, np.cumsum, 0),
    (np.nancumprod, np.cumprod, 1),
):
    rules.implements(_original)(_filled(_plain, _value))


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
        x = atom_of(a)
        chosen = numbers if x.type.dtype.kind in "fc" else ufunc
        return ufunc_reductions.reduce(
            chosen, fresh(x), ufunc_reductions.ReductionKeywords(axis, None, out, keepdims, initial, where)
        )

    return function


rules.implements(np.nanmax)(_extreme(np.maximum, np.fmax))
rules.implements(np.nanmin)(_extreme(np.minimum, np.fmin))


def _position(plain_: Callable[..., object], value: float) -> Callable[..., Any]:
    def function(a: Value, axis: Value = None, out: Value = None, *, keepdims: Value = NoValue) -> Value:
        x = atom_of(a)
        mask = _nan_mask(x)
        if mask is None:
            return _F[plain_](fresh(x), axis=axis, out=out, keepdims=keepdims)
        every = ufunc_reductions.reduce_atom(np.logical_and, mask, ufunc_reductions.ReductionKeywords(axis))
        bad = atoms.op("reduce_any", every, axes=tuple(range(len(every.type.shape))))
        run_time_checks.fail_if(bad, lambda _: ValueError("All-NaN slice encountered"))
        return _F[plain_](fresh(_replaced(x, value)), axis=axis, out=out, keepdims=keepdims)

    return function


rules.implements(np.nanargmax)(_position(np.argmax, -np.inf))
rules.implements(np.nanargmin)(_position(np.argmin, np.inf))


def _present(x: Atom, where: object) -> Value:
    """A `where=` that leaves NaN out."""
    mask = _nan_mask(x)
    if mask is None:
        return where
    valid = atoms.logical_not(mask)
    if where is not NoValue and where is not True:
        valid = atoms.logical_and(valid, atoms.broadcast_to(atom_of(where, np.bool_), valid.type.shape))
    return fresh(valid)


def _check_inexact(x: Atom, dtype: Value, out: Value) -> None:
    for name, given in (("dtype", dtype), ("out", None if out is None else dtype_of(out))):
        if x.type.dtype.kind in "fc" and given is not None and np.dtype(given).kind not in "fc":
            raise TypeError(f"If a is inexact, then {name} must be inexact")


@rules.implements(np.nanmean)
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
    x = atom_of(a)
    _check_inexact(x, dtype, out)
    return statistics.mean(fresh(_replaced(x, 0)), axis, dtype, out, keepdims, where=_present(x, where))


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
        x = atom_of(a)
        _check_inexact(x, dtype, out)
        valid = _present(x, where)
        free = ddof if correction is NoValue else correction
        keep = keepdims is not NoValue and bool(keepdims)
        value = statistics.var_atom(_replaced(x, 0), axis, dtype, free, keep, valid, mean)
        if valid is not NoValue:
            count = ufunc_reductions.reduce_atom(
                np.add, atom_of(valid), ufunc_reductions.ReductionKeywords(axis, np.int64, None, keep)
            )
            few = atoms.ufunc(np.less_equal, count, zeros_atom(count.type.shape, np.int64, free))
            value = atoms.select(few, zeros_atom(value.type.shape, value.type.dtype, np.nan), value)
        return result(atoms.ufunc(np.sqrt, value) if root else value, out, "unsafe")

    rules.implements(original)(function)


_spread(np.nanvar, root=False)
_spread(np.nanstd, root=True)


@rules.implements(np.nanmedian)
def nanmedian(
    a: object, axis: object = None, out: object = None, overwrite_input: object = False, keepdims: object = NoValue
) -> Value:
    """As `numpy.nanmedian`: NaN sorts last, so the middle is found from how many numbers there are."""
    del overwrite_input  # a permission
    x = atom_of(a)
    if _nan_mask(x) is None:
        return statistics.median(fresh(x), axis, out, keepdims=keepdims)
    line, wide = statistics.reduced_axes_last(fresh(x), axis)
    *outer, n = line.type.shape
    mask = _nan_mask(line)
    assert mask is not None
    ordered = handle(fresh(atoms.op("sort", line, axis=len(outer), stable=False)))
    count = atoms.op("reduce_sum", atoms.convert(atoms.logical_not(mask), np.int64), axes=(len(outer),))
    low, high = (_halved(count, shift) for shift in (-1, 0))
    pair = [atom_of(_F[np.take_along_axis](ordered, fresh(i), len(outer))) for i in (low, high)] if n else [line, line]
    both = atoms.op("concatenate", *pair, axis=len(outer))
    value = statistics.mean_atom(both, len(outer), None, False, NoValue)
    if keepdims is not NoValue and bool(keepdims):
        value = atoms.reshape(value, wide)
        return fresh(value) if out is None else result(value, out)
    return result(value, out)


def _halved(count: Atom, shift: int) -> Atom:
    shape = count.type.shape
    index = atoms.ufunc(
        np.floor_divide,
        atoms.ufunc(np.add, count, zeros_atom(shape, np.int64, shift)),
        zeros_atom(shape, np.int64, 2),
    )
    index = atoms.ufunc(np.maximum, index, zeros_atom(shape, np.int64))
    return atoms.reshape(index, (*shape, 1))
