"""Counting values in bins, and integers."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, run_time_sizes
from anabranch.runtime.numpy.core import (
    atom_of,
    fresh,
    handle,
    refused,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.run_time_sizes import is_open
from anabranch.runtime.numpy.sorted_search import bisect
from anabranch.runtime.ops import reducers
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.registry import FUNCTIONS
from anabranch.runtime.values.tracer import Tracer

rules = Rules()


# ---- edges -----------------------------------------------------------------------------------------------------------


def _outer_edges(a: Value, limits: Value) -> tuple[Value, Value]:
    """The first and the last edge, half a unit away from a single value."""
    if limits is None:
        if wrap.is_dynamic_array(a):
            some, zero = fresh(broadcasting.differ(a.size, 0)), a.dtype.type(0)
            worst = (reducers.highest(a.dtype), reducers.lowest(a.dtype))
            low, high = (f(a, initial=w) for f, w in zip((xp.min, xp.max), worst, strict=True))
            first, last = xp.where(some, low, zero)[()], xp.where(some, high, zero + 1)[()]
        elif not a.size:
            return 0.0, 1.0
        else:
            first, last = xp.min(a), xp.max(a)
        name = "autodetected"
    else:
        first, last = limits
        operands.refuse_where(xp.greater(first, last), "max must be larger than min in range parameter.")
        name = "supplied"
    finite = xp.logical_and(xp.isfinite(first), xp.isfinite(last))
    operands.refuse_where(xp.logical_not(finite), f"{name} range of the histogram is not finite")
    if not traced_inside((first, last)):
        return (first - 0.5, last + 0.5) if first == last else (first, last)
    alone = xp.equal(first, last)
    return xp.where(alone, xp.subtract(first, 0.5), first)[()], xp.where(alone, xp.add(last, 0.5), last)[()]


def _edges(name: str, a: object, bins: Value, limits: object) -> Value:
    """The edges of the bins."""
    if isinstance(bins, str):
        raise refused(
            name, f"the number of bins of {bins!r} is known only at run time; pass a number of bins, or their edges"
        )
    if np.ndim(bins) == 0 if not traced_inside(bins) else not handle(bins).ndim:
        return _even_edges(name, a, bins, limits)
    edges = handle(xp.asarray(bins))
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    operands.refuse_where(edges[:-1] > edges[1:], "`bins` must increase monotonically, when an array")
    return edges


def _even_edges(name: str, a: object, bins: Value, limits: object) -> Value:
    count = _number_of_bins(name, bins)
    first, last = _outer_edges(a, limits)
    dtype = np.result_type(xp.result_type(first, last, operands.memory(a)))
    dtype = np.result_type(dtype, float) if dtype.kind in "iub" else dtype
    return xp.linspace(first, last, count + 1, endpoint=True, dtype=dtype)


def _number_of_bins(name: str, bins: Value) -> Value:
    if traced_inside(bins) and is_open(bins, "a number of bins"):
        if name == "histogramdd":
            raise refused(name, "the number of bins must be static; pass a number, or edges of a static size")
        operands.refuse_where(bins < 1, "`bins` must be positive, when an integer")
        return size_arithmetic.maximum(size_arithmetic.bound_of(bins), 1)
    try:
        count = operator.index(bins)
    except TypeError:
        raise TypeError("`bins` must be an integer, a string, or an array") from None
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    return count


@rules.any_shape(np.histogram_bin_edges)
def histogram_bin_edges(a: object, bins: object = 10, range: object = None, weights: object = None) -> Value:
    """As `numpy.histogram_bin_edges`."""
    return _edges("histogram_bin_edges", *_values(a, weights)[:1], bins, range)


# ---- counts ----------------------------------------------------------------------------------------------------------


def _values(a: object, weights: object) -> tuple[Value, Value]:
    """The values, and the weights as they stand in the values' buffer."""
    values = operands.array(a)
    if values.dtype.kind == "b":
        values = values.astype(np.uint8)
    if weights is None:
        return values, None
    weight, text = operands.array(weights), "weights should have the same shape as a."
    if weight.ndim != values.ndim:
        raise ValueError(text)
    for n, m in zip(values.shape, weight.shape, strict=True):
        broadcasting.refuse(broadcasting.differ(n, m), ValueError, text)
    is_dynamic = any(map(wrap.is_dynamic_array, (values, weight)))
    return values, xp.asarray(broadcasting.fitted(weight, values)) if is_dynamic else weight


def _places(values: Value, edges: Value) -> tuple[Value, Value]:
    """In which bin each value is, and whether it is in any; the last bin has its end."""
    dtype = np.result_type(values.dtype, edges.dtype)
    value, line = values.astype(dtype), atom_of(edges, dtype)
    place: Any = xp.subtract(fresh(bisect(line, value.atom, right=True)), 1)
    if edges.shape[0] < 2:
        return place, fresh(zeros_atom(values.shape, np.bool_))
    inside = xp.logical_and(value >= edges[0], value <= edges[-1])
    return xp.clip(place, 0, edges.shape[0] - 2), inside


def _even_places(values: Value, edges: Value) -> tuple[Value, Value]:
    """The same where all bins are of one width: in the bin at such a distance, or beside it, as edges are rounded."""
    count, line = edges.shape[0] - 1, atom_of(edges)
    value = values.astype(edges.dtype)
    inside = xp.logical_and(value >= edges[0], value <= edges[-1])
    share = (value - edges[0]) / (edges[-1] - edges[0]) * count
    place = xp.minimum(xp.where(inside, share, 0).astype(np.int64), count - 1)

    def edge(at: Value) -> Value:
        return fresh(atoms.op("gather", line, atoms.reshape(atom_of(at), (*values.shape, 1))))

    place = xp.maximum(place - (value < edge(place)), 0)
    return xp.minimum(place + (value >= edge(place + 1)), count - 1), inside


def _counted(places: object, inside: Value, weight: object, size: int, dtype: object) -> Value:
    total = xp.zeros(size, dtype)
    if size:
        xp.add.at(
            total, xp.where(inside, places, 0), xp.where(inside, 1 if weight is None else weight, 0).astype(dtype)
        )
    return total


@rules.any_shape(np.histogram)
def histogram(
    a: object, bins: Value = 10, range: object = None, density: object = None, weights: object = None
) -> Value:
    """As `numpy.histogram`."""
    if wrap.is_dynamic_array(bins):
        bins._needs_size("a static number of bins")
    values, weight = _values(a, weights)
    edges = _edges("histogram", values, bins, range)
    dtype = np.dtype(np.int64) if weight is None else weight.dtype
    if wrap.is_dynamic_array(edges):
        return _of_many_bins(values, edges, None if weight is None else operands.array(weights), density)
    line = operands.memory(values).ravel()
    is_even = np.ndim(bins) == 0 and line.dtype.kind == "f"
    places, inside = (_even_places if is_even else _places)(line, edges)
    if wrap.is_dynamic_array(values):
        inside = xp.logical_and(inside, fresh(operands.valid(values)).ravel())
    weight = None if weight is None else weight.ravel()
    counts = _counted(places, inside, weight, edges.shape[0] - 1, dtype)
    if density:
        counts = counts / xp.diff(edges).astype(float) / counts.sum()
    return counts, edges


def _of_many_bins(values: Value, edges: Value, weight: Value, density: object) -> tuple[Value, Value]:
    """The counts where the number of bins is known only at run time."""
    if weight is not None and weight.dtype != np.float64:
        raise refused("histogram", "a run-time number of bins counts weights of float64 alone")
    line, size = values.ravel(), edges.shape[0] - 1
    inside = xp.logical_and(line >= edges[0], line <= edges[-1])
    places = xp.minimum(xp.searchsorted(edges, line[inside], side="right") - 1, size - 1)
    counts = counted(places, None if weight is None else weight.ravel()[inside], size)
    return (counts / xp.diff(edges).astype(float) / counts.sum() if density else counts), edges


@rules.implements(np.histogramdd)
def histogramdd(
    sample: object, bins: object = 10, range: Value = None, density: object = None, weights: object = None
) -> Value:
    """As `numpy.histogramdd`, for static numbers of bins."""
    points = xp.atleast_2d(handle(sample)).T if isinstance(sample, (list, tuple)) else handle(sample)
    points = points if points.ndim > 1 else xp.atleast_2d(points).T
    ndim = points.shape[1]
    each: Any = bins if np.iterable(bins) else [bins] * ndim
    if len(each) != ndim:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    limits: Sequence[Any] = (None,) * ndim if range is None else range
    if len(limits) != ndim:
        raise ValueError("range argument must have one entry per dimension")
    columns = [points[:, i] for i in np.arange(ndim)]
    edges = [_edges("histogramdd", c, b, r) for c, b, r in zip(columns, each, limits, strict=True)]
    shape = tuple(e.shape[0] - 1 for e in edges)
    flat, inside = xp.zeros(points.shape[0], np.int64), xp.ones(points.shape[0], np.bool_)
    for column, edge, size in zip(columns, edges, shape, strict=True):
        place, within = _places(column, edge)
        flat, inside = flat * size + place, xp.logical_and(inside, within)
    weight = None if weights is None else handle(weights)
    counts = fresh(_counted(flat, inside, weight, math.prod(shape), np.float64).reshape(shape).atom)
    # NumPy cuts it out of an array that has one more bin at each end of each axis.
    counts.storage.strides = memory_layout.contiguous_model([n + 2 for n in shape], counts.dtype).strides
    return (_density(counts, edges) if density else counts), tuple(edges)


def _density(counts: Value, edges: Sequence[Value]) -> Value:
    total = counts.sum()
    for i, edge in enumerate(edges):
        width = [1] * counts.ndim
        width[i] = edge.shape[0] - 1
        counts = counts / xp.reshape(xp.diff(edge), tuple(width))
    return counts / total


_INT = np.dtype(np.int64)


@rules.any_shape(np.bincount)
def bincount(x: Value, /, weights: Value = None, minlength: Value = 0) -> Value:
    """As `numpy.bincount`: as long as the greatest number says."""
    if weights is not None and wrap.is_dynamic_array(x):
        none = atoms.ufunc(np.equal, size_arithmetic.atom_of(x.extents[0].size), atoms.literal(0, np.int64))
        broadcasting.refuse(none, UnsupportedOperationError, _NONE)
    return counted(x, weights, minlength)


_NONE = (
    "np.bincount with weights of an array that is empty, of which NumPy makes an array of ints; ask before whether it "
    "has elements"
)


def counted(x: Value, weights: Value, minlength: Value) -> Value:
    """As `numpy.bincount`, but for weights of nothing, which are floats here."""
    numbers = x if wrap.is_dynamic_array(x) else handle(x)
    if numbers.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if numbers.ndim else "object of too small depth for desired array"
        )
    np.bincount(np.zeros(1, numbers.dtype))  # raises for types that it does not count
    least = _least(minlength)
    line, there = _left_packed(numbers, _INT)
    if not line.type.size:
        return FUNCTIONS[np.zeros](least, np.int64)
    below = atoms.ufunc(np.less, line, zeros_atom(line.type.shape, _INT))
    broadcasting.refuse(
        atoms.op("reduce_any", below, axes=(0,)), ValueError, "'list' argument must have no negative elements"
    )
    size = size_arithmetic.maximum(_size(line, there, numbers.dtype), least)
    (capacity,), extents = run_time_sizes.with_capacity((size,))
    if not capacity:
        return FUNCTIONS[np.zeros](least, np.int64)
    amounts = _amounts(numbers, weights, line)
    if there is not None:
        amounts = atoms.select(there, amounts, zeros_atom(line.type.shape, amounts.type.dtype))
    counts = zeros_atom((capacity,), amounts.type.dtype)
    places = atoms.reshape(line, (line.type.size, 1))
    return wrap.with_extents(fresh(atoms.op("scatter", counts, places, amounts, combine="add")), extents)


def _left_packed(x: Value, dtype: np.dtype) -> tuple[Atom, Atom | None]:
    """The elements from the front on, then zeros; and which are elements, where not all are."""
    if not wrap.is_dynamic_array(x):
        return atom_of(x, dtype), None
    front = x.left_packed()
    return atoms.convert(front.padded(0).atom, dtype), front.valid()


def _least(minlength: Value) -> Value:
    """The length that is asked for at least, as a bound."""
    least = size_arithmetic.bound_of(minlength) if isinstance(minlength, Tracer) else operator.index(minlength)
    below = size_arithmetic.interval_of(least).low < 0
    if below:
        wrong = atoms.ufunc(np.less, size_arithmetic.atom_of(least), atoms.literal(0, np.int64))
        broadcasting.refuse(wrong, ValueError, "'minlength' must not be negative")
    return size_arithmetic.maximum(least, 0) if below else least


def _size(line: Atom, there: Atom | None, dtype: np.dtype) -> Value:
    """One more than the greatest number; 0 without any."""
    if there is not None:
        line = atoms.select(there, line, zeros_atom(line.type.shape, _INT, -1))
    most = 2 if dtype.kind == "b" else int(np.iinfo(dtype).max) + 1
    return size_arithmetic.limited(
        size_arithmetic.add(size_arithmetic.bound_of(fresh(atoms.op("reduce_max", line, axes=(0,)))), 1),
        0,
        min(most, 2**62),
    )


def _amounts(numbers: Value, weights: Value, line: Atom) -> Atom:
    """Return the weight that each number counts with."""
    if weights is None:
        return zeros_atom(line.type.shape, _INT, 1)
    given = weights if wrap.is_dynamic_array(weights) else handle(weights)
    if not np.can_cast(given.dtype, np.float64):
        raise TypeError(f"Cannot cast array data from {given.dtype!r} to dtype('float64') according to the rule 'safe'")
    wrong = atoms.logical_and(
        broadcasting.differ(given.shape[0], numbers.shape[0]), broadcasting.differ(numbers.shape[0], 0)
    )
    broadcasting.refuse(wrong, ValueError, "The weights and list don't have the same length.")
    made, _ = _left_packed(given, np.dtype(np.float64))
    return compaction.resized(made, 0, line.type.size)
