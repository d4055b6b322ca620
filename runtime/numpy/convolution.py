"""Convolution and correlation."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.contraction import dot_general
from anabranch.runtime.numpy.core import (
    atom_of,
    dtype_of,
    fresh,
    has_dynamic_array,
    shape_of,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.ufunc_reductions import rows
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound

rules = Rules()


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
        edge = _summed(padded, places, v, _within_bounds(places, low, low + n))
        parts = [edge, *parts] if first == 0 else [*parts, edge]
    return atoms.op("concatenate", *parts, axis=0) if len(parts) > 1 else parts[0]


def _within_bounds(places: Atom, low: int, high: Bound) -> Atom:
    """The places that are no less than one bound, and less than another."""
    shape = places.type.shape
    limit = atoms.broadcast_to(size_arithmetic.atom_of(high), shape)
    above = atoms.ufunc(np.greater_equal, places, zeros_atom(shape, np.int64, low))
    return atoms.logical_and(above, atoms.ufunc(np.less, places, limit))


def _summed(padded: Atom, places: Atom, v: Atom, there: Atom) -> Atom:
    """Sums of products of v with the windows at these places, of the terms that are there."""
    shape, dtype = places.type.shape, v.type.dtype
    windows = atoms.op("gather", padded, atoms.reshape(places, (*shape, 1)))
    terms = atoms.ufunc(np.multiply, windows, atoms.broadcast_to(v, shape))
    made = atoms.op("reduce_sum", atoms.select(there, terms, zeros_atom(shape, dtype)), axes=(1,))
    return atoms.convert(made, dtype)


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


@rules.any_shape(np.convolve)
def convolve(a: Value, v: Value, mode: Value = "full") -> Value:
    """As `numpy.convolve`."""
    if has_dynamic_array((a, v)):
        return _of_run_time_size(operands.array(a), operands.array(v), mode)
    x, y = _vectors(a, v)
    if not x.type.size:
        raise ValueError("a cannot be empty")
    if not y.type.size:
        raise ValueError("v cannot be empty")
    if y.type.size > x.type.size:
        x, y = y, x
    return fresh(_windows(x, atoms.op("reverse", y, axes=(0,)), mode))


def _of_run_time_size(a: Value, v: Value, mode: Value) -> Value:
    """A convolution of which an operand has a run-time size: what is no element takes no part in a sum."""
    for x, name in ((a, "a"), (v, "v")):
        if x.ndim != 1:
            raise ValueError("object too deep for desired array")
        nothing = atoms.logical_not(broadcasting.differ(x.shape[0], 0))
        broadcasting.refuse(nothing, ValueError, f"{name} cannot be empty")
    (x, k), (y, m) = ((operands.left_packed(z), operands.capacity(z)[0]) for z in (a, v))
    if not k or not m:
        return a
    left, right = _vectors(operands.memory(x), operands.memory(y))
    places = atoms.reshape(_places(k + m - 1, m), (k + m - 1, m))
    there = atoms.logical_and(
        _within_bounds(places, m - 1, size_arithmetic.add(x.shape[0], m - 1)),
        atoms.broadcast_to(atoms.op("reverse", operands.front(y.shape[0], m), axes=(0,)), (k + m - 1, m)),
    )
    zero = atoms.literal(0, left.type.dtype)
    padded = atoms.op("pad", left, zero, low=(m - 1,), high=(m - 1,), interior=(0,))
    full = fresh(_summed(padded, places, atoms.op("reverse", right, axes=(0,)), there))
    n, m = a.shape[0], v.shape[0]
    total = size_arithmetic.limited(size_arithmetic.add(size_arithmetic.add(n, m), -1), 0, full.shape[0])
    made = wrap.with_extents(full, (operands.window(total),), operands.origin(a, v))
    if mode == "full":
        return made
    short, long = size_arithmetic.minimum(n, m), size_arithmetic.maximum(n, m)
    if mode not in ("same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    if mode == "valid":
        return made[size_arithmetic.add(short, -1) : long]
    start: Value = (short - 1) // 2
    return made[start : start + long]


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
