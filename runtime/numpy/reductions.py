"""Sums, products, extremes, truth and their positions, over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import ufunc_reductions
from anabranch.runtime.numpy.core import NoValue, atom_of, fresh, keepdims_shape, one_axis, result, store
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar

rules = Rules()

Table = dict[str, tuple[Callable[..., Any], np.ufunc]]
# The reductions that count their keywords alike: name, function, ufunc.
_PLAIN: Table = {
    "sum": (np.sum, np.add),
    "prod": (np.prod, np.multiply),
}
_EXTREMES: Table = {"max": (np.max, np.maximum), "min": (np.min, np.minimum)}
_TRUTHS: Table = {"any": (np.any, np.logical_or), "all": (np.all, np.logical_and)}


def _arithmetic(ufunc: np.ufunc) -> Callable[..., Any]:
    def reduction(
        a: object,
        axis: object = None,
        dtype: object = None,
        out: object = None,
        keepdims: object = NoValue,
        initial: object = NoValue,
        where: object = True,
    ) -> Value:
        return ufunc_reductions.reduce(
            ufunc, a, ufunc_reductions.ReductionKeywords(axis, dtype, out, keepdims, initial, where)
        )

    return reduction


def _extreme(ufunc: np.ufunc) -> Callable[..., Any]:
    def reduction(
        a: object,
        axis: object = None,
        out: object = None,
        keepdims: object = NoValue,
        initial: object = NoValue,
        where: object = True,
    ) -> Value:
        return ufunc_reductions.reduce(
            ufunc, a, ufunc_reductions.ReductionKeywords(axis, None, out, keepdims, initial, where)
        )

    return reduction


def _truth(ufunc: np.ufunc) -> Callable[..., Any]:
    def reduction(
        a: object, axis: object = None, out: object = None, keepdims: object = NoValue, *, where: object = True
    ) -> Value:
        truth = ufunc_reductions.reduce_atom(
            ufunc, atom_of(a), ufunc_reductions.ReductionKeywords(axis, np.bool_, None, keepdims, NoValue, where)
        )
        return result(truth, out)

    return reduction


for _table, _make in ((_PLAIN, _arithmetic), (_EXTREMES, _extreme), (_TRUTHS, _truth)):
    for _name, (_original, _ufunc) in _table.items():
        _function = _make(_ufunc)
        rules.implements(_original)(_function)
        rules.method(_name)(_function)
rules.implements(np.amax)(rules.methods["max"])
rules.implements(np.amin)(rules.methods["min"])


def _position(name: str) -> Callable[..., Any]:
    def reduction(a: object, axis: object = None, out: object = None, *, keepdims: object = NoValue) -> Value:
        x = atom_of(a)
        shape = x.type.shape
        keep = keepdims is not NoValue and bool(keepdims)
        if axis is None or not shape:
            if axis is not None:
                one_axis(axis, 1)
            x, at, kept_shape = atoms.reshape(x, (x.type.size,)), 0, keepdims_shape(shape, range(len(shape)))
        else:
            at = one_axis(axis, len(shape))
            kept_shape = keepdims_shape(shape, (at,))
        if x.type.shape[at] == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        value = atoms.op(name, x, axis=at)
        return result(atoms.reshape(value, kept_shape) if keep else value, out)

    return reduction


for _name in ("argmax", "argmin"):
    rules.implements(getattr(np, _name))(rules.method(_name)(_position(_name)))


def _running(ufunc: np.ufunc) -> Callable[..., Any]:
    def accumulation(a: object, axis: object = None, dtype: object = None, out: object = None) -> TracedArray:
        return accumulate(ufunc, atom_of(a), axis, dtype, out)

    return accumulation


def accumulate(ufunc: np.ufunc, x: Atom, axis: Value, dtype: Value = None, out: Value = None) -> TracedArray:
    """`np.cumsum` and `np.cumprod`: along an axis, or over all elements in C order."""
    if axis is None:
        x, axis = atoms.reshape(x, (x.type.size,)), 0
    if not x.type.shape:
        one_axis(axis, 1)
        x, axis = atoms.reshape(x, (1,)), 0
    dtypes = ufunc_reductions.loop_dtypes(ufunc, x.type.dtype, ufunc_reductions.ReductionKeywords(dtype=dtype, out=out))
    value = ufunc_reductions.accumulate_atom(ufunc, x, one_axis(axis, len(x.type.shape)), dtypes)
    return fresh(value) if out is None else store(out, value, "unsafe")


for _name, _ufunc in (("cumsum", np.add), ("cumprod", np.multiply)):
    rules.implements(getattr(np, _name))(rules.method(_name)(_running(_ufunc)))


def _cumulative(ufunc: np.ufunc) -> Callable[..., Any]:
    def accumulation(
        x: object, /, *, axis: object = None, dtype: object = None, out: object = None, include_initial: bool = False
    ) -> TracedArray:
        value = atom_of(x)
        shape = value.type.shape
        if not shape:
            value, shape = atoms.reshape(value, (1,)), (1,)
        if axis is None:
            if len(shape) > 1:
                raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
            axis = 0
        at = one_axis(axis, len(shape))
        if not include_initial:
            return accumulate(ufunc, value, at, dtype, out)
        running = atom_of(accumulate(ufunc, value, at, dtype))
        first = atoms.literal(np.full(keepdims_shape(shape, (at,)), ufunc.identity, running.type.dtype))
        joined = atoms.op("concatenate", first, running, axis=at)
        return fresh(joined) if out is None else store(out, joined)

    return accumulation


if hasattr(np, "cumulative_sum"):
    rules.implements(np.cumulative_sum)(_cumulative(np.add))
    rules.implements(np.cumulative_prod)(_cumulative(np.multiply))


@rules.implements(np.ptp)
def ptp(a: object, axis: object = None, out: object = None, keepdims: object = NoValue) -> Value:
    """Maximum less minimum."""
    options = ufunc_reductions.ReductionKeywords(axis, None, None, keepdims)
    x = atom_of(a)
    high, low = (ufunc_reductions.reduce_atom(u, x, options) for u in (np.maximum, np.minimum))
    (span,) = apply_ufunc.apply_atoms(np.subtract, (fresh(high), fresh(low)))
    return result(span, out)


# In older releases the count of a whole array is an int of Python's.
_COUNT_IS_INT = isinstance(np.count_nonzero(np.zeros(1)), int)


@rules.implements(np.count_nonzero)
def count_nonzero(a: object, axis: object = None, *, keepdims: object = False) -> Value:
    """How many elements are not zero."""
    truth = atoms.convert(atom_of(a), np.bool_)
    count = ufunc_reductions.reduce(
        np.add, fresh(truth), ufunc_reductions.ReductionKeywords(axis, np.int64, None, keepdims)
    )
    return python_scalar(atom_of(count)) if _COUNT_IS_INT and axis is None and not keepdims else count
