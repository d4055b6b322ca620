"""Quantiles and percentiles by each of NumPy's methods, with weights, and without NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import operands, outputs, sorting, statistics
from anabranch.runtime.numpy.core import NoValue, fresh, handle, traced_inside
from anabranch.runtime.numpy.namespace import namespace as xp, staged
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import is_python_scalar

rules = Rules()

Index = Callable[[Any, Any], Any]
Weight = Callable[[Any, Any], Any]


# ---- where a quantile lies among n sorted elements -------------------------------------------------------------------


def _plotted(alpha: float, beta: float) -> Index:
    """The place by Hyndman and Fan's two plotting positions."""
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _stepped(shift: float, stays: Weight) -> Index:
    """An element itself: the one below the place where `stays`, else the next."""

    def index(n: Value, q: Value) -> Value:
        place = n * q - 1 - shift
        below = xp.floor(place)
        chosen = xp.where(stays(place - below, below), below, below + 1)
        return xp.maximum(chosen.astype(np.int64), 0)

    return index


def _rounded(original: Callable[..., object]) -> Index:
    return lambda n, q: xp.asarray(staged(original)((n - 1) * q)).astype(np.int64)


def _middle(n: Value, q: Value) -> Value:
    return 0.5 * (xp.floor((n - 1) * q) + xp.ceil((n - 1) * q))


# Methods that name an element.
_ELEMENTS: dict[str, Index] = {
    "inverted_cdf": _stepped(0, lambda part, _: part == 0),
    "closest_observation": _stepped(0.5, lambda part, below: xp.logical_and(part == 0, below % 2 == 1)),
    "lower": _rounded(np.floor),
    "higher": _rounded(np.ceil),
    "nearest": _rounded(np.round),
}
# Methods that go between two neighbours.
_PLACES: dict[str, Index] = {
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "interpolated_inverted_cdf": _plotted(0, 1),
    "hazen": _plotted(0.5, 0.5),
    "weibull": _plotted(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _plotted(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _plotted(3 / 8.0, 3 / 8.0),
    "midpoint": _middle,
}
# Methods that do not weigh the neighbours by how near they are.
_PARTS: dict[str, Weight] = {
    "averaged_inverted_cdf": lambda part, _: xp.where(part == 0, 0.5, 1.0),
    "midpoint": lambda _, place: xp.where(place % 1 == 0, 0.0, 0.5),
}


# ---- the elements ----------------------------------------------------------------------------------------------------


@frozen
class OrderedVectors:
    """The elements of each line in order along the first axis, how many there are, and what a result's shape is."""

    ordered: Any  # (n, lines)
    count: Any  # an int, or an array of shape (lines,)
    missing: Any  # which lines have no quantile, or None

    def pick(self, index: Value) -> Value:
        """The elements at positions of shape (levels, 1) or (levels, lines)."""
        if index.shape[1] == 1 and self.ordered.shape[1] != 1:
            return xp.take(self.ordered, index[:, 0], axis=0)
        return xp.take_along_axis(self.ordered, index, 0)


def _as_columns(line: Value) -> Value:
    """Lines along the last axis as the columns of a table."""
    view = operands.memory(line)
    *outer, n = view.shape
    return fresh(atoms.transpose(atoms.reshape(view.atom, (math.prod(outer), n)), (1, 0)))


# How far below and above a level's share of all elements those lie that it is computed from, by any method.
_BELOW, _ABOVE = 3, 2


def _places(level: object, n: int) -> list[int]:
    """The places in order of the elements that quantiles are computed from, and the last one, where a NaN is."""
    shares = (np.clip(np.nan_to_num(np.ravel(np.asarray(level, np.float64))), 0, 1) * n).astype(int).tolist()
    return [n - 1, *(share + by for share in shares for by in range(-_BELOW, _ABOVE + 1))]


def _run_time_places(level: Value, count: Value, n: int) -> Value:
    """The same for levels, or a number of elements, that only a run knows."""
    shares = (xp.clip(xp.nan_to_num(xp.ravel(level).astype(np.float64)), 0, 1) * count).astype(np.int64)
    around = xp.ravel(shares[:, None] + np.arange(-_BELOW, _ABOVE + 1))
    return xp.concatenate([around, np.array([n - 1])])


def _ordered_vectors(line: Value, levels: object, level: Value | None, ignores_nan: bool) -> OrderedVectors:
    """The lines of an array in order, as far as quantiles ask for that.

    Parameters
    ----------
    levels
        The levels, where they are known while tracing, else None.
    level
        The levels as an array; None where all elements are asked for.
    """
    at, n = line.ndim - 1, line.shape[-1]
    is_static, lines = isinstance(n, int), math.prod(operands.capacity(line)[:-1])
    every = n if is_static else fresh(atoms.broadcast_to(size_arithmetic.atom_of(n), (lines,)))
    numbers: Any = None
    if line.dtype.kind == "f" and (ignores_nan or not is_static):
        numbers = operands.memory(xp.count_nonzero(xp.logical_not(xp.isnan(line)), axis=-1))
        numbers = xp.reshape(xp.asarray(numbers), (lines,))
    if levels is not None and is_static and not ignores_nan:
        ordered = _as_columns(sorting.placed(line, at, _places(levels, n)))
    elif level is not None and lines == 1:
        count = every if numbers is None or not ignores_nan else numbers
        places = _run_time_places(level, count, operands.capacity(line)[-1])
        ordered = _as_columns(sorting.placed_at(line, at, places))
    else:
        ordered = _as_columns(sorting.in_order(line, at))
    if ordered.dtype.kind != "f":
        return OrderedVectors(ordered, every, xp.equal(every, 0) if ignores_nan and not is_static else None)
    if is_static and not ignores_nan:
        return OrderedVectors(ordered, every, xp.isnan(ordered[-1]))
    if ignores_nan:
        return OrderedVectors(ordered, numbers, xp.equal(numbers, 0))
    return OrderedVectors(ordered, every, xp.not_equal(numbers, every))


def _between(lines: OrderedVectors, level: Value, method: str, weak: bool) -> Value:
    """NumPy's rule between two neighbours, which meets both ends exactly."""
    n = _weak_count(lines.count, level.dtype)
    place = xp.asarray(_PLACES[method](n, level))
    last = xp.maximum(lines.count - 1, 0)
    if method == "linear" and place.dtype.kind in "iu":
        return lines.pick(place)
    below = xp.floor(place)
    # Past the end both neighbours are the last element; -1 stands for it.
    below = xp.where(place < 0, 0, xp.where(place >= n - 1, -1, below))
    above = xp.where(xp.logical_or(place < 0, below < 0), below, below + 1)
    part = place - below
    part = (_PARTS[method](part, place) if method in _PARTS else part).astype(place.dtype)
    left, right = (lines.pick(xp.where(i < 0, last, i).astype(np.int64)) for i in (below, above))
    span = right - left
    part = part.astype(np.result_type(span.dtype, 0.0)) if weak else part
    forward, backward = left + span * part, right - span * (1 - part)
    return xp.where(part >= 0.5, backward.astype(forward.dtype), forward)


def _weak_count(count: Value, dtype: Value) -> Value:
    """How many elements, as a number that leaves the levels' dtype alone."""
    return count.astype(dtype) if hasattr(count, "dtype") and dtype.kind == "f" else count


def _weighted(table: Any, weight: Value, lines: OrderedVectors, level: Value) -> Value:
    """The first element up to which at least the level's share of the weights lies."""
    order = xp.argsort(table, axis=0)
    share = xp.cumsum(xp.take_along_axis(weight, order, 0), axis=0, dtype=np.float64)
    share = share / share[-1]
    bad = xp.isnan(share[-1])
    some = bad if lines.missing is None else xp.logical_and(bad, ~lines.missing)
    operands.refuse_where(some, "Weights included NaN, inf or were all zero.")
    share = share.astype(level.dtype) if level.dtype.kind == "f" else share
    # A weight of zero in front is no share at all, not even for level 0.
    share = xp.where(share == 0, -1, share)
    before = xp.count_nonzero(share[None] < level[:, :, None], axis=1)
    return lines.pick(xp.minimum(before, xp.maximum(lines.count - 1, 0)))


# ---- the functions ---------------------------------------------------------------------------------------------------


@frozen
class Request:
    """The arguments that the four functions have in common, under NumPy's names."""

    a: Any
    q: Any
    axis: Any
    out: Any
    method: str
    keepdims: bool
    weights: Any
    scale: str
    ignores_nan: bool


def _levels(q: object, scale: str) -> Value:
    level = xp.true_divide(q, 100) if scale == "percent" else q
    level = xp.asarray(level)
    outside = ~xp.logical_and(level >= 0, level <= 1)
    limits = (
        "Percentiles must be in the range [0, 100]" if scale == "percent" else "Quantiles must be in the range [0, 1]"
    )
    operands.refuse_where(outside, limits)
    return level


def _known_levels(asked: Request) -> object:
    """The levels from 0 to 1, where they are known while tracing, and no weights are given; else None."""
    if asked.weights is not None or traced_inside(asked.q) or wrap.is_dynamic_array(asked.q):
        return None
    return np.true_divide(asked.q, 100) if asked.scale == "percent" else asked.q


def _quantile(asked: Request) -> Value:
    level = checked_levels(asked)
    line, axes = statistics.reduced_axes_last(asked.a, asked.axis)
    _check_some(asked, level, line)
    some = level if asked.weights is None else None
    value = _found(asked, level, _ordered_vectors(line, _known_levels(asked), some, asked.ignores_nan))
    sizes, extents = operands.capacity(asked.a), operands.extents(asked.a)
    kept = [i for i in range(asked.a.ndim) if asked.keepdims or i not in axes]
    made = atoms.reshape(value.atom, (*level.shape, *(1 if i in axes else sizes[i] for i in kept)))
    always_array = asked.keepdims or asked.weights is not None
    shaped = fresh(made) if asked.out is None and always_array else wrap.numpy_result(made)
    beside = [*(None for _ in level.shape), *(None if i in axes else extents[i] for i in kept)]
    result = wrap.with_extents(shaped, beside, operands.origin(asked.a))
    return result if asked.out is None else outputs.written(asked.out, result, "same_kind")


def _check_some(asked: Request, level: Value, line: Value) -> None:
    """Raise where the axis is empty; NumPy's functions that leave NaN out then return a single NaN."""
    nothing = atoms.logical_not(broadcasting.differ(line.shape[-1], 0))
    if not asked.ignores_nan:
        broadcasting.refuse(nothing, IndexError, "index -1 is out of bounds for axis 0 with size 0")
    elif wrap.is_dynamic_array(line):
        if line.dtype.kind != "f" and asked.method in _ELEMENTS:
            line._needs_size(f"a method whose result can be NaN, in place of method={asked.method!r},")
        if level.ndim:
            text = (
                "several quantiles of an empty array: NumPy returns a single NaN for them; test the array's size before"
            )
            broadcasting.refuse(nothing, UnsupportedOperationError, text)


def checked_levels(asked: Request) -> Value:
    """The quantiles that are asked for, as an array; raises for a request that NumPy refuses."""
    if asked.a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if asked.method not in _PLACES and asked.method not in _ELEMENTS:
        raise ValueError(f"{asked.method!r} is not a valid method. Use one of: {[*_ELEMENTS, *_PLACES]}")
    level = _levels(asked.q, asked.scale)
    if level.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    return level


def _found(asked: Request, level: Value, lines: OrderedVectors) -> Value:
    """The quantiles of lines, a row for each level."""
    column = xp.reshape(level, (level.size, 1))
    value = _value(asked, lines, column)
    if lines.missing is None:
        return value
    return xp.where(lines.missing, xp.asarray(np.nan, value.dtype), value)


def _value(asked: Request, lines: OrderedVectors, column: Value) -> Value:
    if asked.weights is not None:
        table = _as_columns(statistics.reduced_axes_last(asked.a, asked.axis)[0])
        return _weighted(table, _weight_table(asked, table), lines, column)
    if asked.method in _ELEMENTS:
        n = _weak_count(lines.count, column.dtype)
        return lines.pick(xp.minimum(_ELEMENTS[asked.method](n, column), xp.maximum(lines.count - 1, 0)))
    if lines.ordered.dtype.kind == "b":
        xp.subtract(lines.ordered, lines.ordered)  # raises as NumPy does
    weak = type(asked.q) in (int, float) or is_python_scalar(asked.q)
    return _between(lines, column, asked.method, weak)


def _weight_table(asked: Request, table: Any) -> Value:
    if asked.method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {asked.method}.")
    _, weight = statistics.weighted(asked.a, handle(asked.weights), asked.axis)
    operands.refuse_where(weight < 0, "Weights must be non-negative.")
    columns = _as_columns(statistics.reduced_axes_last(weight, asked.axis)[0])
    return xp.where(xp.isnan(table), 0, columns) if asked.ignores_nan and table.dtype.kind == "f" else columns


def _register(original: Callable[..., Any], scale: str, ignores_nan: bool) -> None:
    def function(
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
        x = operands.array(a)
        for name, given in (("q", q), ("weights", weights)):
            if wrap.is_dynamic_array(given):
                given._needs_size(f"{name} of {original.__name__}()")
        if weights is not None and wrap.is_dynamic_array(x):
            x._needs_size(f"the array of {original.__name__}() with weights")
        if ignores_nan and 0 in operands.capacity(x):
            _levels(q, scale)
            return xp.nanmean(x, axis, out=out, keepdims=keepdims)
        keep = keepdims is not NoValue and bool(keepdims)
        return _quantile(Request(x, q, axis, out, method, keep, weights, scale, ignores_nan))

    rules.any_shape(original)(function)


_register(np.quantile, "unit", ignores_nan=False)
_register(np.percentile, "percent", ignores_nan=False)
_register(np.nanquantile, "unit", ignores_nan=True)
_register(np.nanpercentile, "percent", ignores_nan=True)
