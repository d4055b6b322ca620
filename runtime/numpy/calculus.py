"""Differences, slopes and integrals."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    fresh,
    iota,
    one_axis,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound

rules = Rules()

_F = registry.FUNCTIONS


def _cut(array: Value, axis: int, start: int | None, stop: int | None) -> Value:
    return array[(slice(None),) * axis + (slice(start, stop),)]


@rules.any_shape(np.diff)
def diff(a: object, n: Value = 1, axis: Value = -1, prepend: object = NoValue, append: object = NoValue) -> Value:
    """As `numpy.diff`."""
    n = operator.index(n)
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    array = operands.array(a)
    if array.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    at = one_axis(axis, array.ndim)
    parts = [p for p in (_end(prepend, array, at), array, _end(append, array, at)) if p is not None]
    array = operands.left_packed(array if len(parts) == 1 else _F[np.concatenate](parts, at), at)
    ufunc = np.not_equal if array.dtype == np.bool_ else np.subtract
    made = operands.memory(array)
    for _ in range(n):
        made = apply_ufunc.apply(ufunc, (_cut(made, at, 1, None), _cut(made, at, None, -1)))
    if operands.extents(array)[at] is None:
        return operands.with_axis(array, made, at, None)
    size = size_arithmetic.maximum(size_arithmetic.add(array.shape[at], -n), 0)
    return operands.with_axis(array, made, at, operands.window(size_arithmetic.limited(size, 0, made.shape[at])))


def _end(x: object, array: Value, axis: int) -> Value:
    """The elements that are put before or behind: a number is one element for each line."""
    if x is NoValue:
        return None
    end = operands.array(x)
    if end.ndim == 0:
        shape = list(operands.capacity(array))
        shape[axis] = 1
        end = operands.with_axis(array, fresh(atoms.broadcast_to(end.atom, shape)), axis, None)
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


@rules.any_shape(np.gradient)
def gradient(f: Value, *varargs: Value, axis: Value = None, edge_order: Value = 1) -> Value:
    """As `numpy.gradient`, with uniform or given spacing."""
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    array = operands.array(f)
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    single = axis is not None and not isinstance(axis, (tuple, list))
    axes = [one_axis(x, array.ndim) for x in (range(array.ndim) if axis is None else (axis,) if single else axis)]
    spacings = [1.0] * len(axes) if not varargs else list(varargs) * (len(axes) if len(varargs) == 1 else 1)
    if len(varargs) == 1 and len(axes) > 1 and operands.array(varargs[0]).ndim:
        raise TypeError("invalid number of arguments")
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    made = [_slope(array, at, h, edge_order) for at, h in zip(axes, spacings, strict=True)]
    return made[0] if len(made) == 1 and (single or array.ndim == 1 or len(axes) == 1) else tuple(made)


_FEW = "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."


def _slope(array: Value, axis: int, spacing: Value, edge_order: int) -> Value:
    n = array.shape[axis]
    points = operands.array(spacing)
    if points.ndim:
        if points.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        text = "when 1d, distances must match the length of the corresponding dimension"
        broadcasting.refuse(broadcasting.differ(points.shape[0], n), ValueError, text)
        broadcasting.refuse(_below(n, 2), IndexError, "index 0 is out of bounds for axis 0 with size 0")
    broadcasting.refuse(_below(n, edge_order + 1), ValueError, _FEW)
    front = operands.left_packed(array, axis)
    line = operands.memory(front)
    capacity = line.shape[axis]
    if capacity < edge_order + 1:
        return front
    left, middle, right = (_cut(line, axis, i, capacity - 2 + i) for i in range(3))
    ends: tuple[Any, Any]
    if not points.ndim:
        inner: Any = (right - left) / (2.0 * spacing)
        ends = _even_ends(line, n, axis, spacing, edge_order)
    else:
        points = operands.memory(operands.left_packed(points))
        steps = diff(fresh(compaction.resized(points.atom, 0, capacity)))
        shape = [1] * array.ndim
        shape[axis] = capacity - 2
        before: Any = fresh(atoms.reshape(atom_of(steps[:-1]), shape))
        after: Any = fresh(atoms.reshape(atom_of(steps[1:]), shape))
        a = -after / (before * (before + after))
        b = (after - before) / (before * after)
        c = before / (after * (before + after))
        inner = a * left + b * middle + c * right
        ends = _uneven_ends(line, n, axis, steps, edge_order)
    made = _F[np.concatenate]([ends[0], inner, ends[1]], axis)
    if n is not capacity:
        is_last = atoms.ufunc(np.equal, iota((capacity,)), atoms.broadcast_to(_from_end(n, 1).atom, (capacity,)))
        made = _F[np.where](fresh(operands.spread(is_last, axis, line.shape)), ends[1], made)
    return wrap.with_extents(made, operands.extents(front), operands.origin(front))


def _below(n: Bound, least: int) -> Atom:
    return atoms.ufunc(np.less, size_arithmetic.atom_of(n), atoms.literal(least, np.int64))


def _from_end(n: Bound, count: int) -> Value:
    """The position so far from the end of an axis of a size of at least 2, of which the sign is known."""
    return n - count if isinstance(n, int) else size_arithmetic.subtract(n, count)


def _at(line: Value, axis: int, i: Value) -> Value:
    """The elements at a position of an axis, which stays."""
    return _cut(line, axis, i, i + 1) if isinstance(i, int) else _F[np.take](line, [i], axis, mode="clip")


def _even_ends(line: Value, n: Bound, axis: int, spacing: Value, edge_order: int) -> tuple[Value, Value]:
    """The slopes at both ends of evenly spaced values, of which there are n."""
    first, second, before, last = (_at(line, axis, i) for i in (0, 1, _from_end(n, 2), _from_end(n, 1)))
    if edge_order == 1:
        return (second - first) / spacing, (last - before) / spacing
    third, earlier = (_at(line, axis, i) for i in (2, _from_end(n, 3)))
    start = -1.5 / spacing * first + 2.0 / spacing * second + -0.5 / spacing * third
    return start, 0.5 / spacing * earlier + -2.0 / spacing * before + 1.5 / spacing * last


def _uneven_ends(line: Value, n: Bound, axis: int, steps: Value, edge_order: int) -> tuple[Value, Value]:
    """The slopes at both ends of values at given distances."""
    first, second, before, last = (_at(line, axis, i) for i in (0, 1, _from_end(n, 2), _from_end(n, 1)))
    final = steps[_from_end(n, 2)]
    if edge_order == 1:
        return (second - first) / steps[0], (last - before) / final
    third, earlier = (_at(line, axis, i) for i in (2, _from_end(n, 3)))
    near, far = steps[0], steps[1]
    start = -(2.0 * near + far) / (near * (near + far)) * first
    start = start + (near + far) / (near * far) * second - near / (far * (near + far)) * third
    far, near = steps[_from_end(n, 3)], final
    end = near / (far * (far + near)) * earlier - (near + far) / (far * near) * before
    return start, end + (2.0 * near + far) / (near * (far + near)) * last
