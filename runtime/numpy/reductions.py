"""Sums, products, extremes, truth and their positions, over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import ufunc_reductions
from anabranch.runtime.numpy.core import NoValue, atom_of, fresh, keepdims_shape, one_axis, result, store
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.dynamic_shapes.ufunc_methods import reduce
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufunc_reductions import ReductionKeywords
from anabranch.runtime.values import atoms, registry
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar

rules = Rules()

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
    dtypes = ufunc_reductions.loop_dtypes(ufunc, x.type.dtype, ReductionKeywords(dtype=dtype, out=out))
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


@rules.any_shape(np.ptp)
def ptp(a: object, axis: object = None, out: object = None, keepdims: object = NoValue) -> Value:
    """Maximum less minimum."""
    x, options = operands.array(a), ReductionKeywords(axis, None, None, keepdims)
    high, low = (reduce(u, x, options) for u in (np.maximum, np.minimum))
    return registry.FUNCTIONS[np.subtract](high, low, out=out)


# In older releases the count of a whole array is an int of Python's.
_COUNT_IS_INT = isinstance(np.count_nonzero(np.zeros(1)), int)


@rules.any_shape(np.count_nonzero)
def count_nonzero(a: object, axis: object = None, *, keepdims: object = False) -> Value:
    """How many elements are not zero."""
    truth = operands.array(a).astype(np.bool_)
    count = reduce(np.add, truth, ReductionKeywords(axis, np.int64, None, keepdims))
    return python_scalar(atom_of(count)) if _COUNT_IS_INT and axis is None and not keepdims else count
