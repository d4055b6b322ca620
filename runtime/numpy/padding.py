"""`np.pad`, `np.delete`, `np.insert`, and functions applied along axes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import (
    atom_of,
    fresh,
    handle,
    one_axis,
    refused,
    traced_inside,
)
from anabranch.runtime.numpy.joining import concatenate
from anabranch.runtime.numpy.repeats import picked
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, passed_functions, registry
from anabranch.runtime.values.arrays import indexing, integer_elements
from anabranch.runtime.values.arrays.traced_array import TracedArray

rules = Rules()

_F = registry.FUNCTIONS
_BY_POSITION = ("edge", "wrap", "reflect", "symmetric")
_STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}


@rules.implements(np.pad)
def pad(array: object, pad_width: object, mode: Value = "constant", **kwargs: object) -> Value:
    """As `numpy.pad`, in all modes but odd reflection."""
    value = atom_of(array)
    ndim = len(value.type.shape)
    widths = _pairs(pad_width, ndim)
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    if mode == "empty":
        mode = "constant"
    if mode == "constant":
        constants = kwargs.pop("constant_values", 0)
        _no_more(mode, kwargs)
        return fresh(_constant(value, widths, constants))
    if mode == "linear_ramp":
        ends = kwargs.pop("end_values", 0)
        _no_more(mode, kwargs)
        return _ramps(fresh(value), widths, ends)
    if mode in _STATISTICS:
        lengths = kwargs.pop("stat_length", None)
        _no_more(mode, kwargs)
        return _statistics(fresh(value), widths, mode, lengths)
    if mode not in _BY_POSITION:
        raise ValueError(f"mode '{mode}' is not supported")
    if kwargs.pop("reflect_type", "even") != "even":
        raise refused("pad", "reflect_type='odd'")
    _no_more(mode, kwargs)
    for axis, (low, high) in enumerate(widths.tolist()):
        n = value.type.shape[axis]
        if low or high:
            if n == 0:
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
            # NumPy pads an enumeration of the axis in the same way, which gives the positions to take.
            positions = np.pad(np.arange(n), (low, high), mode=mode)
            value = picked(value, positions, axis)
    return fresh(value)


def _ramps(value: TracedArray, widths: np.ndarray, ends: object) -> TracedArray:
    """Straight lines from the ends' values to the edges."""
    pairs = ends if traced_inside(ends) else np.asarray(ends)
    pairs = _F[np.broadcast_to](pairs, (value.ndim, 2))
    for axis, (low, high) in enumerate(widths.tolist()):
        n = value.shape[axis]
        edges = [_F[np.take](value, i, axis) for i in (0, n - 1)]
        sides = [
            _F[np.linspace](pairs[axis, i], edge, width, endpoint=False, dtype=value.dtype, axis=axis)
            for i, (edge, width) in enumerate(zip(edges, (low, high), strict=True))
        ]
        value = concatenate([sides[0], value, _F[np.flip](sides[1], axis)], axis)
    return value


def _statistics(value: TracedArray, widths: np.ndarray, mode: str, lengths: object) -> TracedArray:
    """Return the edges as a function makes them of so many elements from each end, repeated."""
    asked = np.broadcast_to(np.asarray(lengths, object), (value.ndim, 2)) if value.ndim else np.zeros((0, 2), object)
    for axis, pair in enumerate(widths.tolist()):
        n = value.shape[axis]
        sides = []
        for side, width in enumerate(pair):
            count = n if asked[axis, side] is None else min(operator.index(asked[axis, side]), n)
            if count < 0:
                raise ValueError("index can't contain negative values")
            if not count and mode in ("maximum", "minimum"):
                raise ValueError("stat_length of 0 yields no value for padding")
            chunk = _F[np.take](value, np.arange(count) if side == 0 else np.arange(n - count, n), axis)
            stat = _F[_STATISTICS[mode]](chunk, axis=axis, keepdims=True)
            stat = _F[np.round](stat) if value.dtype.kind in "iu" and stat.dtype.kind == "f" else stat
            shape = tuple(width if i == axis else m for i, m in enumerate(value.shape))
            sides.append(_F[np.broadcast_to](stat.astype(value.dtype), shape))
        value = concatenate([sides[0], value, sides[1]], axis)
    return value


def _no_more(mode: str, kwargs: dict[str, Value]) -> None:
    if kwargs:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {set(kwargs)}")


def _pairs(widths: object, ndim: int) -> np.ndarray:
    if isinstance(widths, dict):
        filled = [(0, 0)] * ndim
        for axis, width in widths.items():
            filled[axis] = (width, width) if isinstance(width, (int, np.integer)) else tuple(width)
        widths = filled
    given = np.asarray(_static(widths))
    if given.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    return np.broadcast_to(given, (ndim, 2))


def _static(x: Value) -> Value:
    if isinstance(x, (list, tuple)):
        return [_static(i) for i in x]
    return operator.index(x) if traced_inside(x) else x


def _constant(value: Atom, widths: np.ndarray, constants: object) -> Atom:
    ndim = len(value.type.shape)
    zero = (0,) * ndim
    if not traced_inside(constants):
        pairs = np.broadcast_to(np.asarray(constants), (ndim, 2)) if ndim else np.zeros((0, 2))
        if ndim == 0 or (pairs == pairs.flat[0]).all():
            fill = _filling(pairs.flat[0] if ndim else 0, value.type.dtype)
            low, high = (tuple(int(w) for w in widths[:, i]) for i in (0, 1))
            return atoms.op("pad", value, fill, low=low, high=high, interior=zero)
        fills: Any = pairs
    else:
        fills = _F[np.broadcast_to](handle(constants), (ndim, 2))
    for axis in range(ndim):
        for side in (0, 1):
            width = int(widths[axis, side])
            low = tuple(width if i == axis and side == 0 else 0 for i in range(ndim))
            high = tuple(width if i == axis and side == 1 else 0 for i in range(ndim))
            fill = atoms.reshape(_filling(fills[axis, side], value.type.dtype), ())
            value = atoms.op("pad", value, fill, low=low, high=high, interior=zero)
    return value


def _filling(value: object, dtype: np.dtype) -> Atom:
    """The number that fills an array, as it is assigned to its elements."""
    if traced_inside(value):
        return atom_of(integer_elements.element(value, dtype), dtype)
    filled = np.empty(1, dtype)
    filled[0] = value
    return atom_of(filled[0])


@rules.implements(np.delete)
def delete(arr: object, obj: Value, axis: object = None) -> Value:
    """As `numpy.delete`."""
    if traced_inside(obj):
        return registry.DYNAMIC_SHAPE_FUNCTIONS[np.delete](arr, obj, axis)
    value, at = _axis_of(arr, axis)
    return fresh(picked(value, np.delete(np.arange(value.type.shape[at]), obj), at))


def _axis_of(arr: object, axis: object) -> tuple[Atom, int]:
    value = atom_of(arr)
    if axis is None:
        return atoms.reshape(value, (value.type.size,)), 0
    return value, one_axis(axis, len(value.type.shape))


@rules.implements(np.insert)
def insert(arr: Value, obj: Value, values: Value, axis: Value = None) -> Value:
    """As `numpy.insert`."""
    if traced_inside(obj):
        return registry.DYNAMIC_SHAPE_FUNCTIONS[np.insert](arr, obj, values, axis)
    value, at = _axis_of(arr, axis)
    new = atom_of(indexing.assigned(values, value.type.dtype), value.type.dtype)
    shape = value.type.shape
    n = shape[at]
    single = np.ndim(obj) == 0 and not isinstance(obj, slice)
    if single:
        # NumPy puts the axis of the values that stands for the new positions first.
        turned = atoms.reshape(new, (1,) * (len(shape) - len(new.type.shape)) + new.type.shape)
        new = atom_of(_F[np.moveaxis](fresh(turned), 0, at))
        count = new.type.shape[at]
    else:
        count = len(np.arange(n)[obj]) if isinstance(obj, slice) else np.size(np.asarray(obj))
        if np.asarray(obj).dtype == bool:
            count = int(np.count_nonzero(obj))
    block = list(shape)
    block[at] = count
    new = atoms.broadcast_to(new, block)
    order = np.insert(np.arange(n), obj, np.arange(n, n + count))
    return fresh(picked(atom_of(concatenate([fresh(value), fresh(new)], at)), order, at))


@rules.implements(np.apply_along_axis)
def apply_along_axis(func1d: Value, axis: object, arr: object, *args: Value, **kwargs: Value) -> Value:
    """As `numpy.apply_along_axis`: the function is called for each line."""
    array, func1d = handle(arr), passed_functions.called(func1d)
    at = one_axis(axis, array.ndim)
    moved = _F[np.moveaxis](array, at, -1)
    outer = moved.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    lines = [_F[np.asanyarray](func1d(moved[i], *args, **kwargs)) for i in np.ndindex(*outer)]
    made = _F[np.stack](lines)
    made = _F[np.reshape](made, (*outer, *lines[0].shape))
    order = [*range(at), *range(len(outer), made.ndim), *range(at, len(outer))]
    return _F[np.transpose](made, order)


@rules.implements(np.apply_over_axes)
def apply_over_axes(func: Any, a: Value, axes: Value) -> Value:
    """As `numpy.apply_over_axes`."""
    value: Any = handle(a)
    ndim, func = value.ndim, passed_functions.called(func)
    for axis in (axes,) if np.ndim(axes) == 0 else axes:
        made = func(value, one_axis(axis, ndim))
        value = made if made.ndim == ndim else _F[np.expand_dims](made, axis)
    return value
