"""Differences, integrals, convolution and interpolation."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    dtype_of,
    fresh,
    handle,
    iota,
    one_axis,
    promoted,
    result,
    shape_of,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.products import dot_general
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.sorting import bisect
from anabranch.runtime.numpy.ufunc_reductions import rows
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks

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


# ---- convolution -----------------------------------------------------------------------------------------------------


def _windows(a: Atom, v: Atom, mode: object) -> Atom:
    """Sums of products of v with every window of a; a is the longer one."""
    n, m = a.type.size, v.type.size
    modes = {"full": m - 1, "same": m // 2, "valid": 0, 2: m - 1, 1: m // 2, 0: 0}
    if mode not in modes:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    length = {"full": n + m - 1, "same": n, "valid": n - m + 1, 2: n + m - 1, 1: n, 0: n - m + 1}[mode]
    low = modes[mode]
    padded = atoms.op(
        "pad", a, atoms.literal(0, a.type.dtype), low=(low,), high=(length + m - 1 - low - n,), interior=(0,)
    )
    if length > n - m + 1 and a.type.dtype.kind in "fc":
        return _with_edges(a, v, padded, low, length)
    return _products(padded, v, length)


def _products(padded: Atom, v: Atom, length: int) -> Atom:
    """Sums of products of v with so many windows."""
    m = v.type.size
    if m <= 32:
        windows = [atoms.reshape(rows(padded, i, i + length), (1, length)) for i in range(m)]
        table = windows[0] if m == 1 else atoms.op("concatenate", *windows, axis=0)
        return dot_general(v, table, ([0], [0]))
    places = np.arange(length)[:, None] + np.arange(m)[None, :] if length * m <= 4096 else None
    index = atoms.literal(places[..., None], np.int64) if places is not None else _places(length, m)
    return dot_general(atoms.op("gather", padded, index), v, ([1], [0]))


def _with_edges(a: Atom, v: Atom, padded: Atom, low: int, length: int) -> Atom:
    """The same, of windows that stick out: a NaN or an infinity of v does not meet the zeros beyond the ends of a."""
    n, m = a.type.size, v.type.size
    inside = n - m + 1
    parts = [_products(a, v, inside)]
    for first, count in ((0, low), (low + inside, length - low - inside)):
        if not count:
            continue
        places = atoms.reshape(_places(count, m), (count, m))
        places = atoms.ufunc(np.add, places, zeros_atom((count, m), np.int64, first))
        there = atoms.logical_and(
            atoms.ufunc(np.greater_equal, places, zeros_atom((count, m), np.int64, low)),
            atoms.ufunc(np.less, places, zeros_atom((count, m), np.int64, low + n)),
        )
        windows = atoms.op("gather", padded, atoms.reshape(places, (count, m, 1)))
        terms = atoms.ufunc(np.multiply, windows, atoms.broadcast_to(v, (count, m)))
        terms = atoms.select(there, terms, zeros_atom((count, m), a.type.dtype))
        edge = atoms.op("reduce_sum", terms, axes=(1,))
        parts = [edge, *parts] if first == 0 else [*parts, edge]
    return atoms.op("concatenate", *parts, axis=0) if len(parts) > 1 else parts[0]


def _places(length: int, m: int) -> Atom:
    lines = [atoms.op("iota", shape=(length, m), dtype=np.dtype(np.int64), axis=i) for i in (0, 1)]
    return atoms.reshape(atoms.ufunc(np.add, *lines), (length, m, 1))


def _vectors(a: object, v: object) -> tuple[Atom, Atom]:
    dtype = np.result_type(dtype_of(a), dtype_of(v))
    values = tuple(atom_of(x, dtype) for x in (a, v))
    left, right = (x if x.type.shape else atoms.reshape(x, (1,)) for x in values)
    if len(left.type.shape) > 1 or len(right.type.shape) > 1:
        raise ValueError("object too deep for desired array")
    return left, right


@rules.implements(np.convolve)
def convolve(a: object, v: object, mode: object = "full") -> TracedArray:
    """As `numpy.convolve`."""
    x, y = _vectors(a, v)
    if not x.type.size:
        raise ValueError("a cannot be empty")
    if not y.type.size:
        raise ValueError("v cannot be empty")
    if y.type.size > x.type.size:
        x, y = y, x
    return fresh(_windows(x, atoms.op("reverse", y, axes=(0,)), mode))


@rules.implements(np.correlate)
def correlate(a: object, v: object, mode: object = "valid") -> TracedArray:
    """As `numpy.correlate`."""
    if not shape_of(a) or not shape_of(v):
        raise ValueError("object of too small depth for desired array")
    x, y = _vectors(a, v)
    if not x.type.size:
        raise ValueError("first array argument cannot be empty")
    if not y.type.size:
        raise ValueError("second array argument cannot be empty")
    y = atoms.ufunc(np.conjugate, y) if y.type.dtype.kind == "c" else y
    if y.type.size <= x.type.size:
        return fresh(_windows(x, y, mode))
    return fresh(atoms.op("reverse", _windows(y, x, mode), axes=(0,)))


# ---- interpolation ---------------------------------------------------------------------------------------------------


@rules.implements(np.interp)
def interp(
    x: object, xp: object, fp: object, left: object = None, right: object = None, period: object = None
) -> Value:
    """As `numpy.interp`."""
    if dtype_of(fp).kind == "c":
        parts = []
        for part in (_F[np.real], _F[np.imag]):
            low, high = (v if v is None else part(v) for v in (left, right))
            parts.append(interp(x, xp, part(fp), low, high, period))
        return result(atoms.op("complex", *map(atom_of, parts)))
    if period is not None:
        return _periodic(x, xp, fp, period)
    points, known, values = (atom_of(v, np.float64) for v in (x, xp, fp))
    if len(known.type.shape) != 1 or len(values.type.shape) != 1:
        raise ValueError("object too deep for desired array")
    n, shape = known.type.size, points.type.shape
    if n == 0:
        raise ValueError("array of sample points is empty")
    if n != values.type.size:
        raise ValueError("fp and xp are not of the same length.")
    # The last sample point that is not after x.
    place = atoms.ufunc(np.subtract, bisect(known, points, right=True), zeros_atom(shape, np.int64, 1))
    low = _within(place, max(n - 2, 0))
    y = _between(points, known, values, low, n)
    first, last = rows(values, 0, 1), rows(values, n - 1, n)
    below = atom_of(left, np.float64) if left is not None else atoms.reshape(first, ())
    above = atom_of(right, np.float64) if right is not None else atoms.reshape(last, ())
    at_end = atoms.ufunc(np.greater_equal, place, zeros_atom(shape, np.int64, n - 1))
    y = atoms.select(at_end, atoms.broadcast_to(atoms.reshape(last, ()), shape), y)
    start, end = (atoms.broadcast_to(atoms.reshape(rows(known, i, i + 1), ()), shape) for i in (0, n - 1))
    y = atoms.select(atoms.ufunc(np.greater, points, end), atoms.broadcast_to(above, shape), y)
    y = atoms.select(atoms.ufunc(np.less, points, start), atoms.broadcast_to(below, shape), y)
    return result(atoms.select(atoms.ufunc(np.isnan, points), points, y))


def _periodic(x: object, xp: object, fp: object, period: object) -> Value:
    """Interpolation where the sample points are repeated: sorted within one period, with a neighbour on either side."""
    zero = apply_ufunc.apply(np.equal, (period, 0))
    run_time_checks.fail_if(atom_of(zero), lambda _: ValueError("period must be a non-zero value"))
    known, values = handle(xp), handle(fp)
    if known.ndim != 1 or values.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if known.shape != values.shape:
        raise ValueError("fp and xp are not of the same length")
    if not known.shape[0]:
        raise ValueError("array of sample points is empty")
    length = _F[np.absolute](period)
    place: Any = _F[np.remainder](known.astype(np.float64), length)
    order = _F[np.argsort](place)
    place, value = place[order], values.astype(np.float64)[order]
    place = _F[np.concatenate]((place[-1:] - length, place, place[:1] + length))
    value = _F[np.concatenate]((value[-1:], value, value[:1]))
    return interp(_F[np.remainder](handle(x).astype(np.float64), length), place, value)[()]


def _within(index: Atom, most: int) -> Atom:
    shape = index.type.shape
    index = atoms.ufunc(np.maximum, index, zeros_atom(shape, np.int64))
    return atoms.ufunc(np.minimum, index, zeros_atom(shape, np.int64, most))


def _between(x: Atom, known: Atom, values: Atom, low: Atom, n: int) -> Atom:
    """On the line through two neighbouring samples; from the other end where the first way gives NaN, as NumPy does."""
    shape = x.type.shape
    high = _within(atoms.ufunc(np.add, low, zeros_atom(shape, np.int64, 1)), n - 1)
    x0, x1 = (atoms.op("gather", known, atoms.reshape(i, (*shape, 1))) for i in (low, high))
    y0, y1 = (atoms.op("gather", values, atoms.reshape(i, (*shape, 1))) for i in (low, high))
    slope = atoms.ufunc(np.divide, atoms.ufunc(np.subtract, y1, y0), atoms.ufunc(np.subtract, x1, x0))
    y = _linear(slope, x, x0, y0)
    again = _linear(slope, x, x1, y1)
    again = atoms.select(atoms.logical_and(atoms.ufunc(np.isnan, again), atoms.ufunc(np.equal, y0, y1)), y0, again)
    y = atoms.select(atoms.ufunc(np.isnan, y), again, y)
    return atoms.select(atoms.ufunc(np.equal, x, x0), y0, y)


def _linear(slope: Atom, x: Atom, x0: Atom, y0: Atom) -> Atom:
    return atoms.ufunc(np.add, atoms.ufunc(np.multiply, slope, atoms.ufunc(np.subtract, x, x0)), y0)


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
