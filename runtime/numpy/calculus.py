"""Differences, slopes and integrals."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    fresh,
    handle,
    one_axis,
    promoted,
    shape_of,
    traced_inside,
)
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry
from anabranch.runtime.values.arrays.traced_array import TracedArray

rules = Rules()

_F = registry.FUNCTIONS


def _cut(array: Value, axis: int, start: int | None, stop: int | None) -> Value:
    return array[(slice(None),) * axis + (slice(start, stop),)]


@rules.implements(np.diff)
def diff(a: object, n: Value = 1, axis: Value = -1, prepend: object = NoValue, append: object = NoValue) -> Value:
    """As `numpy.diff`."""
    n = operator.index(n)
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    array = handle(a)
    if array.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    at = one_axis(axis, array.ndim)
    ends = [_end(x, array, at) for x in (prepend, append)]
    parts = [p for p in (ends[0], array, ends[1]) if p is not None]
    array = array if len(parts) == 1 else _F[np.concatenate](parts, at)
    ufunc = np.not_equal if array.dtype == np.bool_ else np.subtract
    for _ in range(n):
        array = apply_ufunc.apply(ufunc, (_cut(array, at, 1, None), _cut(array, at, None, -1)))
    return array


def _end(x: object, array: TracedArray, axis: int) -> TracedArray | None:
    if x is NoValue:
        return None
    end = handle(x)
    if end.ndim == 0:
        shape = list(array.shape)
        shape[axis] = 1
        end = fresh(atoms.broadcast_to(end.atom, shape))
    return end


@rules.any_shape(np.ediff1d)
def ediff1d(ary: object, to_end: object = None, to_begin: object = None) -> Value:
    """As `numpy.ediff1d`."""
    line = operands.flat(ary)
    np.subtract.resolve_dtypes((line.dtype, line.dtype, None))  # raises for bools
    parts = [_F[np.diff](line)]
    for x, name in ((to_begin, "to_begin"), (to_end, "to_end")):
        if x is None:
            continue
        value = operands.flat(x)
        if hasattr(x, "dtype") and not np.can_cast(value.dtype, line.dtype, casting="same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        parts.insert(0 if name == "to_begin" else len(parts), value.astype(line.dtype))
    return parts[0] if len(parts) == 1 else _F[np.concatenate](parts)


@rules.implements(np.gradient)
def gradient(f: Value, *varargs: Value, axis: Value = None, edge_order: Value = 1) -> Value:
    """As `numpy.gradient`, with uniform or given spacing."""
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    array = handle(f)
    if array.dtype.kind in "biu":
        array = fresh(atoms.convert(array.atom, np.float64))
    single = axis is not None and not isinstance(axis, (tuple, list))
    axes = [one_axis(x, array.ndim) for x in (range(array.ndim) if axis is None else (axis,) if single else axis)]
    spacings = [1.0] * len(axes) if not varargs else list(varargs) * (len(axes) if len(varargs) == 1 else 1)
    if len(varargs) == 1 and len(axes) > 1 and shape_of(varargs[0]):
        raise TypeError("invalid number of arguments")
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    made = [_slope(array, at, h, edge_order) for at, h in zip(axes, spacings, strict=True)]
    return made[0] if len(made) == 1 and (single or array.ndim == 1 or len(axes) == 1) else tuple(made)


def _slope(array: TracedArray, axis: int, spacing: Value, edge_order: int) -> Value:
    n = array.shape[axis]
    if n < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
            "required."
        )
    left, middle, right = (_cut(array, axis, i, n - 2 + i) for i in range(3))
    ends: tuple[Any, Any]
    if not shape_of(spacing):
        inner: Any = (right - left) / (2.0 * spacing)
        ends = _even_ends(array, axis, spacing, edge_order)
    else:
        if len(shape_of(spacing)) != 1:
            raise ValueError("distances must be either scalars or 1d")
        if shape_of(spacing)[0] != n:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        steps = diff(handle(spacing))
        shape = [1] * array.ndim
        shape[axis] = n - 2
        before: Any = fresh(atoms.reshape(atom_of(steps[:-1]), shape))
        after: Any = fresh(atoms.reshape(atom_of(steps[1:]), shape))
        a = -after / (before * (before + after))
        b = (after - before) / (before * after)
        c = before / (after * (before + after))
        inner = a * left + b * middle + c * right
        ends = _uneven_ends(array, axis, steps, edge_order)
    return _F[np.concatenate]([ends[0], inner, ends[1]], axis)


def _even_ends(array: TracedArray, axis: int, spacing: Value, edge_order: int) -> tuple[Value, Value]:
    """The slopes at both ends of evenly spaced values."""
    n = array.shape[axis]
    first, second, before, last = (_cut(array, axis, i, i + 1) for i in (0, 1, n - 2, n - 1))
    if edge_order == 1:
        return (second - first) / spacing, (last - before) / spacing
    third, earlier = (_cut(array, axis, i, i + 1) for i in (2, n - 3))
    start = -1.5 / spacing * first + 2.0 / spacing * second + -0.5 / spacing * third
    return start, 0.5 / spacing * earlier + -2.0 / spacing * before + 1.5 / spacing * last


def _uneven_ends(array: TracedArray, axis: int, steps: Value, edge_order: int) -> tuple[Value, Value]:
    """The slopes at both ends of values at given distances."""
    n = array.shape[axis]
    first, second, before, last = (_cut(array, axis, i, i + 1) for i in (0, 1, n - 2, n - 1))
    if edge_order == 1:
        return (second - first) / steps[0], (last - before) / steps[-1]
    third, earlier = (_cut(array, axis, i, i + 1) for i in (2, n - 3))
    near, far = steps[0], steps[1]
    start = -(2.0 * near + far) / (near * (near + far)) * first
    start = start + (near + far) / (near * far) * second - near / (far * (near + far)) * third
    far, near = steps[-2], steps[-1]
    end = near / (far * (far + near)) * earlier - (near + far) / (far * near) * before
    return start, end + (2.0 * near + far) / (near * (far + near)) * last


def trapezoid(y: object, x: object = None, dx: object = 1.0, axis: Value = -1) -> Value:
    """As `numpy.trapezoid`."""
    array = operands.array(y)
    axis = operator.index(axis)
    if not -array.ndim <= axis < array.ndim:
        raise IndexError("list assignment index out of range")
    at = one_axis(axis, array.ndim)
    width: Any = dx
    if x is not None:
        points = operands.array(x)
        width = _F[np.diff](points, axis=axis if points.ndim > 1 else -1)
        if points.ndim == 1:
            width = _F[np.expand_dims](width, tuple(i for i in range(array.ndim) if i != at))
    array = operands.left_packed(array, at)
    return _F[np.sum](width * (_cut(array, at, 1, None) + _cut(array, at, None, -1)) / 2.0, axis=at)


for _name in ("trapezoid", "trapz"):
    if _name in vars(np):
        rules.any_shape(getattr(np, _name))(trapezoid)


@rules.implements(np.unwrap)
def unwrap(p: Value, discont: Value = None, axis: Value = -1, *, period: Value = 2 * np.pi) -> Value:
    """As `numpy.unwrap`: of integers with an integer period in their own type, which the sum may leave."""
    array = handle(p)
    steps = diff(array, axis=axis)
    at = one_axis(axis, array.ndim)
    limit = period / 2 if discont is None else discont
    dtype = promoted(steps, period)
    half, rest = divmod(period, 2) if dtype.kind in "iu" else (period / 2, 0)
    low = -half
    wrapped = _F[np.mod](steps - low, period) + low
    # A step of just half a period keeps its sign; of an odd number there is none.
    ambiguous = _F[np.logical_and](wrapped == low, steps > 0)
    ambiguous = _F[np.logical_and](ambiguous, rest == 0) if traced_inside(rest) or rest else ambiguous
    wrapped = _F[np.where](ambiguous, half, wrapped)
    jump = _F[np.where](_F[np.abs](steps) < limit, 0, wrapped - steps)
    up = _F[np.array](array, dtype=dtype)
    place = (slice(None),) * at + (slice(1, None),)
    up[place] = array[place] + _F[np.cumsum](jump, axis)
    return up
