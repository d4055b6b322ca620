"""Sums, products, extremes, truth and their positions, over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import operands, outputs, ufunc_reductions
from anabranch.runtime.numpy.core import NoValue, keepdims_shape, one_axis
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufunc_reductions import ReductionKeywords, reduce
from anabranch.runtime.ops.reducers import highest, lowest
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting

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
        return outputs.written(out, registry.FUNCTIONS[np.concatenate]([first, running], at), "same_kind")

    return accumulation


rules.any_shape(np.cumulative_sum)(_cumulative(np.add))
rules.any_shape(np.cumulative_prod)(_cumulative(np.multiply))


@rules.any_shape(np.ptp)
def ptp(a: object, axis: object = None, out: object = None, keepdims: object = NoValue) -> Value:
    """Maximum less minimum."""
    x, options = operands.array(a), ReductionKeywords(axis, None, None, keepdims)
    high, low = (reduce(u, x, options) for u in (np.maximum, np.minimum))
    return registry.FUNCTIONS[np.subtract](high, low, out=out)


@rules.any_shape(np.count_nonzero)
def count_nonzero(a: object, axis: object = None, *, keepdims: object = False) -> Value:
    """How many elements are not zero."""
    truth = operands.array(a).astype(np.bool_)
    return reduce(np.add, truth, ReductionKeywords(axis, np.int64, None, keepdims))
