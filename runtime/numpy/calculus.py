"""Differences, integrals, convolution and interpolation."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.runtime.ir import Atom
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    dtype_of,
    fresh,
    handle,
    implements,
    one_axis,
    plain,
    refused,
    result,
    shape_of,
    zeros_atom,
)
from anabranch.runtime.numpy.folds import rows
from anabranch.runtime.numpy.linear import dot_general
from anabranch.runtime.numpy.sorting import bisect
from anabranch.runtime.values import arithmetic, atoms, dispatch

_F = dispatch.FUNCTIONS


def _cut(array: Any, axis: int, start: int | None, stop: int | None) -> Any:
    return array[(slice(None),) * axis + (slice(start, stop),)]


@implements(np.diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = NoValue, append: Any = NoValue) -> Any:
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
        array = arithmetic.apply(ufunc, (_cut(array, at, 1, None), _cut(array, at, None, -1)))
    return array


def _end(x: Any, array: Any, axis: int) -> Any:
    if x is NoValue:
        return None
    end = handle(x)
    if end.ndim == 0:
        shape = list(array.shape)
        shape[axis] = 1
        end = fresh(atoms.broadcast_to(end.atom, shape))
    return end


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """As `numpy.ediff1d`."""
    line = atom_of(ary)
    line = atoms.reshape(line, (line.type.size,))
    middle = arithmetic.apply(np.subtract, (fresh(line)[1:], fresh(line)[:-1]))
    parts = []
    for x, name in ((to_begin, "to_begin"), (middle, ""), (to_end, "to_end")):
        if x is None:
            continue
        value = atom_of(x)
        weak = not hasattr(x, "dtype")
        if name and not weak and not np.can_cast(value.type.dtype, line.type.dtype, casting="same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        parts.append(atoms.convert(atoms.reshape(value, (value.type.size,)), line.type.dtype))
    return fresh(parts[0] if len(parts) == 1 else atoms.op("concatenate", *parts, axis=0))


@implements(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """As `numpy.gradient`, of first order at the edges, with uniform or given spacing."""
    plain("gradient", edge_order=(edge_order if edge_order != 1 else None, None))
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
    made = [_slope(array, at, h) for at, h in zip(axes, spacings, strict=True)]
    return made[0] if len(made) == 1 and (single or array.ndim == 1 or len(axes) == 1) else tuple(made)


def _slope(array: Any, axis: int, spacing: Any) -> Any:
    n = array.shape[axis]
    if n < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
            "required."
        )
    first, last = _cut(array, axis, 0, 1), _cut(array, axis, n - 1, n)
    second, before = _cut(array, axis, 1, 2), _cut(array, axis, n - 2, n - 1)
    left, right = _cut(array, axis, 0, n - 2), _cut(array, axis, 2, n)
    if not shape_of(spacing):
        inner: Any = (right - left) / (2.0 * spacing)
        ends = (second - first) / spacing, (last - before) / spacing
    else:
        if len(shape_of(spacing)) != 1:
            raise ValueError("distances must be either scalars or 1d")
        if shape_of(spacing)[0] != n:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        steps = diff(handle(spacing))
        shape = [1] * array.ndim
        shape[axis] = n - 2
        before_: Any = fresh(atoms.reshape(atom_of(steps[:-1]), shape))
        after: Any = fresh(atoms.reshape(atom_of(steps[1:]), shape))
        a = -after / (before_ * (before_ + after))
        b = (after - before_) / (before_ * after)
        c = before_ / (after * (before_ + after))
        inner = a * left + b * _cut(array, axis, 1, n - 1) + c * right
        ends = (second - first) / steps[0], (last - before) / steps[-1]
    return _F[np.concatenate]([ends[0], inner, ends[1]], axis)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """As `numpy.trapezoid`."""
    array = handle(y)
    at = one_axis(axis, array.ndim)
    width: Any = dx
    if x is not None:
        points = handle(x)
        width = diff(points, axis=axis if points.ndim > 1 else -1)
        if points.ndim == 1:
            shape = [1] * array.ndim
            shape[at] = width.shape[0]
            width = _F[np.reshape](width, tuple(shape))
    return _F[np.sum](width * (_cut(array, at, 1, None) + _cut(array, at, None, -1)) / 2.0, axis=at)


for _name in ("trapezoid", "trapz"):
    if _name in vars(np):
        implements(getattr(np, _name))(trapezoid)


# ---- convolution -----------------------------------------------------------------------------------------------------


def _windows(a: Atom, v: Atom, mode: Any) -> Atom:
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
    if m <= 32:
        windows = [atoms.reshape(rows(padded, i, i + length), (1, length)) for i in range(m)]
        table = windows[0] if m == 1 else atoms.op("concatenate", *windows, axis=0)
        return dot_general(v, table, ([0], [0]))
    places = np.arange(length)[:, None] + np.arange(m)[None, :] if length * m <= 4096 else None
    index = atoms.literal(places[..., None], np.int64) if places is not None else _places(length, m)
    return dot_general(atoms.op("gather", padded, index), v, ([1], [0]))


def _places(length: int, m: int) -> Atom:
    lines = [atoms.op("iota", shape=(length, m), dtype=np.dtype(np.int64), axis=i) for i in (0, 1)]
    return atoms.reshape(atoms.ufunc(np.add, *lines), (length, m, 1))


def _vectors(a: Any, v: Any) -> tuple[Atom, Atom]:
    dtype = np.result_type(dtype_of(a), dtype_of(v))
    values = tuple(atom_of(x, dtype) for x in (a, v))
    left, right = (x if x.type.shape else atoms.reshape(x, (1,)) for x in values)
    if len(left.type.shape) > 1 or len(right.type.shape) > 1:
        raise ValueError("object too deep for desired array")
    return left, right


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """As `numpy.convolve`."""
    x, y = _vectors(a, v)
    if not x.type.size:
        raise ValueError("a cannot be empty")
    if not y.type.size:
        raise ValueError("v cannot be empty")
    if y.type.size > x.type.size:
        x, y = y, x
    return fresh(_windows(x, atoms.op("reverse", y, axes=(0,)), mode))


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
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


@implements(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """As `numpy.interp`, of real values."""
    plain("interp", period=(period, None))
    if dtype_of(fp).kind == "c":
        raise refused("interp", "of complex values")
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
    y = _line(slope, x, x0, y0)
    again = _line(slope, x, x1, y1)
    again = atoms.select(atoms.logical_and(atoms.ufunc(np.isnan, again), atoms.ufunc(np.equal, y0, y1)), y0, again)
    y = atoms.select(atoms.ufunc(np.isnan, y), again, y)
    return atoms.select(atoms.ufunc(np.equal, x, x0), y0, y)


def _line(slope: Atom, x: Atom, x0: Atom, y0: Atom) -> Atom:
    return atoms.ufunc(np.add, atoms.ufunc(np.multiply, slope, atoms.ufunc(np.subtract, x, x0)), y0)


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """As `numpy.cov`, without weights."""
    plain("cov", fweights=(fweights, None), aweights=(aweights, None))
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    x = _variables(m, rowvar)
    chosen = np.result_type(x.dtype, *([] if y is None else [dtype_of(y)]), np.float64) if dtype is None else dtype
    x = x.astype(chosen)
    if y is not None:
        x = _F[np.concatenate]((x, _variables(y, rowvar).astype(chosen)), axis=0)
    free = (0 if bias else 1) if ddof is None else int(ddof)
    mean = _F[np.mean](x, axis=1)
    count = x.shape[1] - free
    x = x - mean[:, None]
    product = _F[np.dot](x, _F[np.conjugate](x.T))
    scaled = product * np.true_divide(1, max(count, 0)) if count > 0 else product * np.float64(np.inf)
    return _F[np.squeeze](fresh(atom_of(scaled, chosen)))


def _variables(m: Any, rowvar: Any) -> Any:
    array = handle(m)
    if array.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    array = _F[np.atleast_2d](array)
    return array.T if not rowvar and array.shape[0] != 1 else array


@implements(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    """As `numpy.corrcoef`."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.shape:
        return c / c
    spread = _F[np.sqrt](_F[np.diagonal](c).real)
    c = c / spread[:, None]
    c = c / spread[None, :]
    if c.dtype.kind == "c":
        return _F[np.clip](c.real, -1, 1) + 1j * _F[np.clip](c.imag, -1, 1)
    return _F[np.clip](c, -1, 1)


@implements(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * np.pi) -> Any:
    """As `numpy.unwrap`, of floats."""
    array = handle(p)
    if array.dtype.kind != "f":
        array = array.astype(np.result_type(array.dtype, np.float64))
    at = one_axis(axis, array.ndim)
    steps = diff(array, axis=axis)
    limit = period / 2 if discont is None else discont
    half = period / 2
    wrapped = _F[np.mod](steps + half, period) - half
    wrapped = _F[np.where](_F[np.logical_and](wrapped == -half, steps > 0), half, wrapped)
    jump = _F[np.where](_F[np.abs](steps) < limit, 0.0, wrapped - steps)
    rest = _cut(array, at, 1, None) + _F[np.cumsum](jump, axis)
    return _F[np.concatenate]([_cut(array, at, 0, 1), rest], at).astype(array.dtype)
