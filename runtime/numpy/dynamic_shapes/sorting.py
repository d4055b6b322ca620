"""Sorting of arrays whose size is known only at run time: invalid elements are sorted behind all valid ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import quantiles
from anabranch.runtime.numpy.core import NoValue, axes_tuple, fresh, one_axis
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.dynamic_shapes.outputs import stored
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.sorting import is_descending
from anabranch.runtime.ops.reducers import lowest
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


def _flat_unless_axis(a: Value, axis: Value) -> tuple[Value, int]:
    """The array, flat where no axis is given, and the axis."""
    return (operands.flat(a), 0) if axis is None else (a, one_axis(axis, a.ndim))


def in_order(a: Value, axis: int, **how: Value) -> Value:
    """The array sorted along an axis, its valid elements at the front."""
    if operands.extents(a)[axis] is None:
        made = FUNCTIONS[np.sort](operands.memory(a), axis, **how)
        return a.with_memory(made) if wrap.is_dynamic_array(a) else made
    made = FUNCTIONS[np.sort](a.padded(_last(a.dtype, "descending" in how)), axis, **how)
    return operands.with_axis(a, made, axis, operands.window(_size(a, axis)))


def _last(dtype: np.dtype, downwards: bool) -> Value:
    """The value of a dtype that no other is sorted behind; NaNs are last downwards, too."""
    return lowest(dtype) if downwards and dtype.kind in "biu" else operands.behind(dtype)


def _direction(name: str, kind: Value, descending: Value) -> dict[str, bool]:
    return {"descending": True} if is_descending(name, kind, descending) else {}


def _size(a: Value, axis: int) -> Value:
    return size_arithmetic.limited(a.shape[axis], 0, a.capacity[axis])


@rules.dynamic_shape(np.sort)
def sort(
    a: Value,
    axis: Value = -1,
    kind: Value = None,
    order: Value = None,
    *,
    stable: Value = None,
    descending: Value = NoValue,
) -> Value:
    """As `numpy.sort`."""
    direction = _direction("sort", kind, descending)
    x, at = _flat_unless_axis(a, axis)
    return in_order(x, at, kind=kind, order=order, stable=stable, **direction)


@rules.dynamic_shape_method("sort")
def sort_in_place(
    a: Value,
    axis: Value = -1,
    kind: Value = None,
    order: Value = None,
    *,
    stable: Value = None,
    descending: Value = NoValue,
) -> None:
    """As `ndarray.sort`."""
    a.assign(sort(a, one_axis(axis, a.ndim), kind, order, stable=stable, descending=descending))


@rules.dynamic_shape(np.argsort)
def argsort(
    a: Value,
    axis: Value = -1,
    kind: Value = None,
    order: Value = None,
    *,
    stable: Value = None,
    descending: Value = NoValue,
) -> Value:
    """As `numpy.argsort`; ties stay in order for every kind."""
    direction = _direction("argsort", kind, descending)
    x, at = _flat_unless_axis(a, axis)
    # Compacted: of equal elements the valid ones come first.
    x = x.left_packed(at) if operands.extents(x)[at] is not None else x
    padded = x.padded(_last(x.dtype, bool(direction)))
    made = FUNCTIONS[np.argsort](padded, at, kind, order, stable=stable, **direction)
    return x.with_memory(made)


@rules.dynamic_shape(np.partition)
def partition(a: object, kth: object, axis: object = -1, kind: object = "introselect", order: object = None) -> Value:
    """As `numpy.partition`: sorted, which is one of the partitions."""
    x, at = _flat_unless_axis(a, axis)
    _check_kth(kth, x, at)
    return sort(x, at, order=order)


@rules.dynamic_shape(np.argpartition)
def argpartition(
    a: object, kth: object, axis: object = -1, kind: object = "introselect", order: object = None
) -> Value:
    """As `numpy.argpartition`: the positions that sort."""
    x, at = _flat_unless_axis(a, axis)
    _check_kth(kth, x, at)
    return argsort(x, at, order=order)


@rules.dynamic_shape_method("partition")
def partition_in_place(
    a: Value, kth: Value, axis: Value = -1, kind: Value = "introselect", order: Value = None
) -> None:
    """As `ndarray.partition`."""
    a.assign(partition(a, kth, one_axis(axis, a.ndim), kind, order))


def _check_kth(kth: Value, x: Value, axis: int) -> None:
    """Raise for a position that is not on the axis, unless the axis is empty."""
    places = list(kth) if isinstance(kth, (list, tuple, np.ndarray)) and np.ndim(kth) else [kth]
    size, some = x.shape[axis], broadcasting.differ(x.size, 0)
    count = size_arithmetic.atom_of(size)
    text = "kth(={}) out of bounds ({})"
    for place in map(size_arithmetic.bound_of, places):
        at = size_arithmetic.atom_of(place)
        over = atoms.ufunc(np.greater_equal, at, count)
        broadcasting.refuse(atoms.logical_and(some, over), ValueError, text, place, size)
        under = atoms.ufunc(np.less, at, atoms.ufunc(np.negative, count))
        broadcasting.refuse(atoms.logical_and(some, under), ValueError, text, size_arithmetic.add(place, size), size)


@rules.dynamic_shape(np.lexsort)
def lexsort(keys: Value, axis: object = -1) -> Value:
    """As `numpy.lexsort`."""
    items = [keys[i] for i in range(len(keys))] if isinstance(keys, (list, tuple)) else list(keys)
    if not items:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    text = "all keys need to be the same shape"
    aligned = broadcasting.broadcast([operands.left_packed(operands.array(k)) for k in items], text=text)
    made = [wrap.part_of(operands.array(k), aligned.extents) for k in aligned.operands]
    given = [
        k.padded(operands.behind(k.dtype)) if wrap.is_dynamic_array(k) else k for k in map(operands.left_packed, made)
    ]
    return aligned.made(FUNCTIONS[np.lexsort](given, axis))


# ---- order statistics ------------------------------------------------------------------------------------------------


def _columns(a: Value, axis: Value) -> tuple[Value, tuple[int, ...]]:
    """The array with the axes that are gone over as the last one, and which they were."""
    axes = axes_tuple(axis, a.ndim)
    if len(axes) == a.ndim:
        return operands.flat(a), axes
    if len(axes) == 1:
        return FUNCTIONS[np.moveaxis](a, axes[0], -1), axes
    return a._needs_size("one axis, or all,"), axes


def _shaped(made: object, a: Value, axes: tuple[int, ...], keepdims: object, out: object) -> Value:
    if keepdims is not NoValue and keepdims:
        made = FUNCTIONS[np.expand_dims](made, axes) if hasattr(made, "shape") else made
    return stored(out, made)


@rules.dynamic_shape(np.median)
def median(
    a: object, axis: object = None, out: object = None, overwrite_input: object = False, keepdims: object = False
) -> Value:
    """As `numpy.median`: NaN where a line holds one, or nothing."""
    x, axes = _columns(a, axis)
    made = _middle(in_order(x, x.ndim - 1), x.shape[-1])
    if x.dtype.kind in "fcV":
        made = FUNCTIONS[np.where](FUNCTIONS[np.any](FUNCTIONS[np.isnan](x), axis=-1), x.dtype.type(np.nan), made)
    return _shaped(_scalar(made), a, axes, keepdims, out)


@rules.dynamic_shape(np.nanmedian)
def nanmedian(
    a: object, axis: object = None, out: object = None, overwrite_input: object = False, keepdims: object = NoValue
) -> Value:
    """As `numpy.nanmedian`."""
    x, axes = _columns(a, axis)
    count = x.shape[-1]
    if x.dtype.kind in "fcV":
        numbers = FUNCTIONS[np.logical_not](FUNCTIONS[np.isnan](x))
        count = FUNCTIONS[np.count_nonzero](numbers, axis=-1)
    return _shaped(_scalar(_middle(in_order(x, x.ndim - 1), count)), a, axes, keepdims, out)


def _scalar(made: Any) -> Value:
    return made if wrap.is_dynamic_array(made) or made.shape else made[()]


def _middle(ordered: Value, count: Value) -> Value:
    """The mean of the one or two elements in the middle of the first `count` of each line."""
    view = operands.memory(ordered)
    if not view.shape[-1]:
        return FUNCTIONS[np.mean](view, axis=-1)
    # A line's count on an axis of its own, beside the places of that line.
    counts = FUNCTIONS[np.asarray](operands.memory(count) if wrap.is_dynamic_array(count) else count)[..., None]
    low, high = ((counts + shift) // 2 for shift in (-1, 0))
    pair = [_picked(view, FUNCTIONS[np.maximum](i, 0)) for i in (low, high)]
    both = FUNCTIONS[np.mean](FUNCTIONS[np.stack](pair, axis=-1), axis=-1)
    alone = FUNCTIONS[np.mean](pair[0][..., None], axis=-1)
    made = FUNCTIONS[np.where](low == high, alone, both)
    made = FUNCTIONS[np.where](counts == 0, made.dtype.type(np.nan), made)[..., 0]
    rest = operands.extents(ordered)[:-1]
    return wrap.with_extents(made, rest, operands.origin(ordered))


def _picked(view: Any, index: object) -> Value:
    shape = (*view.shape[:-1], 1)
    index = FUNCTIONS[np.broadcast_to](index, shape)
    return FUNCTIONS[np.take_along_axis](view, FUNCTIONS[np.asarray](index), -1)


def _quantile(function: Callable[..., Any], scale: str, ignores_nan: bool) -> None:
    def rule(
        a: Value,
        q: Value,
        axis: Value = None,
        out: Value = None,
        overwrite_input: Value = False,
        method: Any = "linear",
        keepdims: Value = NoValue,
        *,
        weights: Value = None,
    ) -> Value:
        del overwrite_input  # a permission
        for name, x in (("q", q), ("weights", weights)):
            if wrap.is_dynamic_array(x):
                x._needs_size(f"{name} of {function.__name__}()")
        if weights is not None:
            a._needs_size(f"the array of {function.__name__}() with weights")
        keep = keepdims is not NoValue and bool(keepdims)
        asked = quantiles.Request(a.memory, q, axis, None, method, keep, None, scale, ignores_nan)
        return stored(out, _of_lines(asked, a, axis))

    rules.dynamic_shape(function)(rule)


def _of_lines(asked: quantiles.Request, a: Value, axis: Value) -> Value:
    """The quantiles along one axis of an array, or of all of it."""
    x, axes = _columns(a, axis)
    level = quantiles.checked_levels(asked)
    count, rest = x.shape[-1], operands.extents(x)[:-1]
    _check_some(asked, level, x, atoms.logical_not(broadcasting.differ(count, 0)))
    outer = operands.capacity(x)[:-1]
    kept = [None if i in axes else e for i, e in enumerate(a.extents)]
    wide = tuple(1 if i in axes else n for i, n in enumerate(a.capacity))
    table = FUNCTIONS[np.transpose](operands.memory(in_order(x, x.ndim - 1)).reshape((math.prod(outer), -1)))
    counts, missing = _counts(x, count, asked.ignores_nan)
    lines = quantiles.OrderedVectors(table, counts, outer, wide, missing)
    made = quantiles.found(asked, level, table, lines)
    extents = [None] * level.ndim + (kept if asked.keepdims else rest)
    return wrap.with_extents(made, extents, operands.origin(x)) if any(extents) else made


def _check_some(asked: quantiles.Request, level: Value, x: Value, nothing: Atom) -> None:
    """Raise where the axis is empty; NumPy's functions that leave NaN out then return a single NaN."""
    if not asked.ignores_nan:
        broadcasting.refuse(nothing, IndexError, quantiles.NOTHING)
        return
    if x.dtype.kind != "f" and quantiles.names_element(asked.method):
        x._needs_size(f"a method whose result can be NaN, in place of method={asked.method!r},")
    if level.ndim:
        text = "several quantiles of an empty array: NumPy returns a single NaN for them; test the array's size before"
        broadcasting.refuse(nothing, UnsupportedOperationError, text)


def _counts(x: Value, count: Value, ignores_nan: bool) -> tuple[Value, Value]:
    """How many elements of each line are gone over, and which lines have no quantile."""
    lines = math.prod(operands.capacity(x)[:-1])
    every = fresh(atoms.broadcast_to(size_arithmetic.atom_of(count), (lines,)))
    if x.dtype.kind != "f":
        return every, FUNCTIONS[np.equal](every, 0) if ignores_nan else None
    numbers = FUNCTIONS[np.logical_not](FUNCTIONS[np.isnan](x))
    there = operands.memory(FUNCTIONS[np.count_nonzero](numbers, axis=-1))
    there = FUNCTIONS[np.reshape](FUNCTIONS[np.asarray](there), (lines,))
    bad = FUNCTIONS[np.equal](there, 0) if ignores_nan else FUNCTIONS[np.not_equal](there, every)
    return (there if ignores_nan else every), bad


_quantile(np.quantile, "unit", ignores_nan=False)
_quantile(np.percentile, "percent", ignores_nan=False)
_quantile(np.nanquantile, "unit", ignores_nan=True)
_quantile(np.nanpercentile, "percent", ignores_nan=True)
