"""`np.pad`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    fresh,
    handle,
    refused,
    traced_inside,
)
from anabranch.runtime.numpy.joining import concatenate
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays import assigned_values
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic

rules = Rules()

_F = registry.FUNCTIONS
# More parts of an axis are put together element by element.
_MOST_PARTS = 8
_STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}


@rules.any_shape(np.pad)
def pad(array: object, pad_width: object, mode: Value = "constant", **kwargs: object) -> Value:
    """As `numpy.pad`."""
    made = operands.array(array).__copy__()
    widths = _pairs(pad_width, made.ndim)
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    if mode == "empty":
        mode = "constant"
    if mode == "constant":
        constants = kwargs.pop("constant_values", 0)
        _no_more(mode, kwargs)
        return _constant(made, widths, constants)
    if mode == "linear_ramp" or mode in _STATISTICS:
        if wrap.is_dynamic_array(made):
            raise refused("pad", f"mode={mode!r} of an array whose size is known only at run time")
        given = kwargs.pop("end_values", 0) if mode == "linear_ramp" else kwargs.pop("stat_length", None)
        _no_more(mode, kwargs)
        return _ramps(made, widths, given) if mode == "linear_ramp" else _statistics(made, widths, mode, given)
    if mode not in _SOURCES:
        raise ValueError(f"mode '{mode}' is not supported")
    is_odd = mode in ("reflect", "symmetric") and kwargs.pop("reflect_type", "even") == "odd"
    if is_odd and (wrap.is_dynamic_array(made) or made.dtype.kind == "b"):
        raise refused("pad", "reflect_type='odd' of bools, or of an array whose size is known only at run time")
    _no_more(mode, kwargs)
    for axis, (low, high) in enumerate(widths.tolist()):
        if (low or high) and is_odd and made.shape[axis] > (mode == "reflect"):
            made = _oddly(made, axis, low, high, mode == "symmetric")
        elif low or high:
            made = _by_position(made, axis, low, high, mode)
    return made


def _oddly(array: TracedArray, axis: int, low: int, high: int, with_edge: bool) -> TracedArray:
    """The array turned about its ends until it is long enough; `with_edge` the ends themselves are turned, too."""
    period = array.shape[axis] if with_edge else array.shape[axis] - 1
    first = 0 if with_edge else 1
    while low or high:
        size = array.shape[axis]
        most = size // period * period if with_edge else (size - 1) // period * period
        before, behind = min(most, low), min(most, high)
        for count, is_end in ((before, False), (behind, True)):
            if not count:
                continue
            places = np.arange(first, first + count)
            edge, near = _F[np.take](array, [-1 if is_end else 0], axis), -1 - places if is_end else places[::-1]
            turned = 2 * edge - _F[np.take](array, near, axis)
            array = concatenate([array, turned] if is_end else [turned, array], axis)
        low, high = low - before, high - behind
    return array


def _wrapped(place: Value, size: Value) -> Value:
    return place % size


def _symmetric(place: Value, size: Value) -> Value:
    turned = place % (2 * size)
    return _F[np.minimum](turned, 2 * size - 1 - turned)


def _reflected(place: Value, size: Value) -> Value:
    period = _F[np.maximum](2 * (size - 1), 1)
    turned = place % period
    return _F[np.minimum](turned, period - turned) * (size > 1)


def _edge(place: Value, size: Value) -> Value:
    return _F[np.clip](place, 0, size - 1)


_SOURCES = {"edge": _edge, "wrap": _wrapped, "symmetric": _symmetric, "reflect": _reflected}


def _by_position(array: Value, at: int, low: int, high: int, mode: str) -> Value:
    """Each element of the longer axis is one of the array's."""
    size = array.shape[at]
    text = f"can't extend empty axis {at} using modes other than 'constant' or 'empty'"
    broadcasting.refuse(atoms.logical_not(broadcasting.differ(size, 0)), ValueError, text)
    if operands.extents(array)[at] is None:
        # NumPy pads an enumeration of the axis in the same way, which gives the positions to take.
        positions = np.pad(np.arange(size), (low, high), mode=mode)  # type: ignore[call-overload]
        return operands.with_axis(array, fresh(_taken(operands.memory(array).atom, at, positions)), at, None)
    front = array.left_packed(at)
    places = wrap.as_atom(_SOURCES[mode](np.arange(-low, front.capacity[at] + high), size), np.int64)
    taken = fresh(compaction.taken(front.memory.atom, at, places))
    return operands.with_axis(front, taken, at, operands.window(size_arithmetic.add(front.shape[at], low + high)))


def _taken(value: Atom, axis: int, positions: np.ndarray) -> Atom:
    """`np.take(value, positions, axis)`, of a few parts of the axis, where they are few."""
    steps = np.diff(positions)
    first, parts = 0, list[Atom]()
    while first < positions.size and len(parts) < _MOST_PARTS:
        step = int(steps[first]) if first < steps.size and abs(steps[first]) <= 1 else 0
        same = steps[first:] == step
        last = first + (same.size if same.all() else int(np.argmin(same)))
        low, high = sorted((int(positions[first]), int(positions[last])))
        part = atoms.cut(value, low, high + 1, axis)
        if step == 0:
            shape = part.type.shape
            part = atoms.broadcast_to(part, (*shape[:axis], last - first + 1, *shape[axis + 1 :]))
        parts.append(atoms.op("reverse", part, axes=(axis,)) if step < 0 else part)
        first = last + 1
    if first < positions.size:
        return compaction.taken(value, axis, atoms.literal(positions, np.int64))
    return parts[0] if len(parts) == 1 else atoms.op("concatenate", *parts, axis=axis)


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


def _constant(array: Value, widths: np.ndarray, constants: object) -> Value:
    ndim = array.ndim
    fills: Any
    if traced_inside(constants):
        fills = _F[np.broadcast_to](handle(constants), (ndim, 2))
    else:
        fills = np.broadcast_to(np.asarray(constants), (ndim, 2)) if ndim else np.zeros((0, 2))
        if not wrap.is_dynamic_array(array) and (ndim == 0 or (fills == fills.flat[0]).all()):
            fill = _filling(fills.flat[0] if ndim else 0, array.dtype)
            return fresh(_with_room(array.atom, fill, *widths.T.tolist()))
    for axis in range(ndim):
        low, high = (int(width) for width in widths[axis])
        first, last = (atoms.reshape(_filling(fills[axis, side], array.dtype), ()) for side in (0, 1))
        extent = operands.extents(array)[axis]
        array = operands.left_packed(array, axis) if extent is not None else array
        before, after = ([n if i == axis else 0 for i in range(ndim)] for n in (low, high))
        value = _with_room(operands.memory(array).atom, first, before, [0] * ndim)
        value = _with_room(value, last, [0] * ndim, after)
        if extent is not None:
            extent = operands.window(size_arithmetic.add(array.shape[axis], low + high))
            there = operands.front(size_arithmetic.add(array.shape[axis], low), value.type.shape[axis])
            value = atoms.select(
                operands.spread(there, axis, value.type.shape), value, atoms.broadcast_to(last, value.type.shape)
            )
        array = operands.with_axis(array, fresh(value), axis, extent)
    return array


def _with_room(value: Atom, fill: Atom, low: Sequence[int], high: Sequence[int]) -> Atom:
    return atoms.op("pad", value, fill, low=tuple(low), high=tuple(high), interior=(0,) * len(low))


def _filling(value: object, dtype: np.dtype) -> Atom:
    """The number that fills an array, as it is assigned to its elements."""
    if traced_inside(value):
        return atom_of(assigned_values.element(value, dtype), dtype)
    filled = np.empty(1, dtype)
    filled[0] = value
    return atom_of(filled[0])
