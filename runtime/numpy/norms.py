"""Norms of vectors and matrices."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import one_axis, refused
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import registry, static_requests, wrap
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

_F = registry.FUNCTIONS


def _floats(x: Value) -> Value:
    array = operands.array(x)
    return array if array.dtype.kind in "fc" else array.astype(np.float64)


def _squares(x: Value) -> Value:
    return x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x


@rules.any_shape(np.linalg.norm)
def norm(x: Value, ord: Value = None, axis: Value = None, keepdims: Value = False) -> Value:
    """As `numpy.linalg.norm`."""
    array = _floats(x)
    ndim = array.ndim
    if axis is None:
        is_number = _is_run_time_number(ord)
        if ord is None or (not is_number and ((ord in ("f", "fro") and ndim == 2) or (ord == 2 and ndim == 1))):
            line = _F[np.ravel](array)
            total = _F[np.sqrt](_F[np.sum](_squares(line)))
            return _F[np.reshape](total, (1,) * ndim) if keepdims else total
        axis = tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        rule = _vector_of_any_order if _is_run_time_number(ord) else _vector
        return rule(array, ord, one_axis(axes[0], ndim), keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rows, columns = (one_axis(a, ndim) for a in axes)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    return _matrix(array, ord, rows, columns, keepdims)


def _vector(x: Value, ord: Value, axis: int, keepdims: Value) -> Value:
    size = _F[np.abs](x)
    if ord is None or ord == 2:
        return _F[np.sqrt](_F[np.sum](_squares(x), axis=axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == np.inf:
        return _F[np.max](size, axis=axis, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return _F[np.min](size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return _F[np.sum]((x != 0).astype(x.real.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return _F[np.sum](size, axis=axis, keepdims=keepdims)
    total = _F[np.sum](_F[np.power](size, ord), axis=axis, keepdims=keepdims)
    return _F[np.power](total, _F[np.reciprocal](np.asarray(ord, dtype=total.dtype)))


def _is_run_time_number(ord: object) -> bool:
    return isinstance(ord, Tracer) and not wrap.shape_of(ord) and static_requests.source_leaves(ord) is None


def _vector_of_any_order(x: Value, ord: Value, axis: int, keepdims: Value) -> Value:
    """The norm of an order known only at run time."""
    size = _F[np.abs](x)
    total = _F[np.sum](_F[np.power](size, ord), axis=axis, keepdims=keepdims)
    value = _F[np.power](total, _F[np.reciprocal](_F[np.asarray](ord, dtype=total.dtype)))
    if value.dtype != size.dtype:
        raise refused("linalg.norm", f"its result is of {size.dtype} or {value.dtype}, as the run-time order says")
    for special in (1, 0, -np.inf, np.inf, 2):
        value = _F[np.where](ord == special, _vector(x, special, axis, keepdims), value)
    return value if value.ndim else value[()]


def _matrix(x: object, ord: object, rows: int, columns: int, keepdims: object) -> Value:
    both = (rows, columns)
    if ord is None or ord in ("fro", "f"):
        return _F[np.sqrt](_F[np.sum](_squares(x), axis=both, keepdims=keepdims))
    if ord in (2, -2, "nuc"):
        value = _of_singular_values(_F[np.linalg.svdvals](_F[np.moveaxis](x, both, (-2, -1))), ord)
        return _F[np.expand_dims](value, both) if keepdims else value
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    summed, left = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = _F[np.sum](_F[np.abs](x), axis=summed, keepdims=True)
    most = {"axis": left, "keepdims": True}
    value = _F[np.max](sums, initial=0, **most) if ord > 0 else _F[np.min](sums, **most)
    return value if keepdims else _F[np.squeeze](value, both) if value.ndim > 2 else value[0, 0]


def _of_singular_values(s: Value, ord: Value) -> Value:
    if ord == "nuc":
        return _F[np.sum](s, axis=-1)
    return _F[np.max](s, axis=-1, initial=0) if ord > 0 else _F[np.min](s, axis=-1)
