"""Quantiles and percentiles by each of NumPy's methods, with weights, and without NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.numpy import statistics
from anabranch.runtime.numpy.core import NoValue, dtype_of, fresh, handle, refused, result, shape_of
from anabranch.runtime.numpy.namespace import namespace as xp, staged
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import is_python_scalar

rules = Rules()

Index = Callable[[Any, Any], Any]
Weight = Callable[[Any, Any], Any]
NOTHING = "index -1 is out of bounds for axis 0 with size 0"


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
    outer: tuple[int, ...]
    wide: tuple[int, ...]
    missing: Any  # which lines have no quantile, or None

    def pick(self, index: Value) -> Value:
        """The elements at positions of shape (levels, 1) or (levels, lines)."""
        if index.shape[1] == 1 and self.ordered.shape[1] != 1:
            return xp.take(self.ordered, index[:, 0], axis=0)
        return xp.take_along_axis(self.ordered, index, 0)


def _column_lines(a: object, axis: object) -> tuple[Value, tuple[int, ...], tuple[int, ...]]:
    line, wide = statistics.reduced_axes_last(a, axis)
    *outer, n = line.type.shape
    table = atoms.reshape(line, (int(np.prod(outer, dtype=int)), n))
    return fresh(atoms.transpose(table, (1, 0))), tuple(outer), wide


def _ordered_vectors(table: Any, outer: tuple[int, ...], wide: tuple[int, ...], ignores_nan: bool) -> OrderedVectors:
    ordered = xp.sort(table, axis=0)
    if table.dtype.kind != "f":
        return OrderedVectors(ordered, table.shape[0], outer, wide, None)
    if not ignores_nan:
        return OrderedVectors(ordered, table.shape[0], outer, wide, xp.isnan(ordered[-1]))
    count = xp.count_nonzero(~xp.isnan(table), axis=0)
    return OrderedVectors(ordered, count, outer, wide, count == 0)


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
    _refuse(some, "Weights included NaN, inf or were all zero.")
    share = share.astype(level.dtype) if level.dtype.kind == "f" else share
    # A weight of zero in front is no share at all, not even for level 0.
    share = xp.where(share == 0, -1, share)
    before = xp.count_nonzero(share[None] < level[:, :, None], axis=1)
    return lines.pick(xp.minimum(before, xp.maximum(lines.count - 1, 0)))


def _refuse(where: object, message: str) -> None:
    run_time_checks.fail_if(wrap.as_atom(xp.any(where)), lambda _: ValueError(message))


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
    _refuse(outside, limits)
    return level


def _quantile(asked: Request) -> Value:
    level = checked_levels(asked)
    table, outer, wide = _column_lines(asked.a, asked.axis)
    if not table.shape[0]:
        raise IndexError(NOTHING)
    return found(asked, level, table, _ordered_vectors(table, outer, wide, asked.ignores_nan))


def names_element(method: str) -> bool:
    """Return whether a method gives an element itself."""
    return method in _ELEMENTS


def checked_levels(asked: Request) -> Value:
    """The quantiles that are asked for, as an array; raises for a request that NumPy refuses."""
    if dtype_of(asked.a).kind == "c":
        raise TypeError("a must be an array of real numbers")
    if asked.method not in _PLACES and asked.method not in _ELEMENTS:
        raise ValueError(f"{asked.method!r} is not a valid method. Use one of: {[*_ELEMENTS, *_PLACES]}")
    level = _levels(asked.q, asked.scale)
    if level.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    return level


def found(asked: Request, level: Value, table: Any, lines: OrderedVectors) -> Value:
    """The quantiles of lines, in the shape of the result."""
    weak = type(asked.q) in (int, float) or is_python_scalar(asked.q)
    column = xp.reshape(level, (level.size, 1))
    value = _value(asked, table, lines, column, weak)
    if lines.missing is not None:
        value = xp.where(lines.missing, xp.asarray(np.nan, value.dtype), value)
    shape = (*level.shape, *(lines.wide if asked.keepdims else lines.outer))
    made = atoms.reshape(value.atom, shape)
    always_array = asked.keepdims or asked.weights is not None
    return fresh(made) if asked.out is None and always_array else result(made, asked.out)


def _value(asked: Request, table: Any, lines: OrderedVectors, column: Value, weak: bool) -> Value:
    if asked.weights is not None:
        return _weighted(table, _weight_table(asked, table), lines, column)
    if asked.method in _ELEMENTS:
        n = _weak_count(lines.count, column.dtype)
        return lines.pick(xp.minimum(_ELEMENTS[asked.method](n, column), xp.maximum(lines.count - 1, 0)))
    if table.dtype.kind == "b":
        xp.subtract(table, table)  # raises as NumPy does
    return _between(lines, column, asked.method, weak)


_WEIGHS_OTHERWISE = np.lib.NumpyVersion(np.__version__) < "2.1.0"


def _weight_table(asked: Request, table: Any) -> Value:
    if asked.method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {asked.method}.")
    if _WEIGHS_OTHERWISE:
        raise refused("quantile with weights", "NumPy 2.0 takes elements of no weight; later releases do not")
    _, weight = statistics.weighted(handle(asked.a), handle(asked.weights), asked.axis)
    _refuse(weight < 0, "Weights must be non-negative.")
    columns, *_ = _column_lines(weight, asked.axis)
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
        if ignores_nan and 0 in shape_of(a):
            _levels(q, scale)
            return xp.nanmean(a, axis, out=out, keepdims=keepdims)
        keep = keepdims is not NoValue and bool(keepdims)
        return _quantile(Request(a, q, axis, out, method, keep, weights, scale, ignores_nan))

    rules.implements(original)(function)


_register(np.quantile, "unit", ignores_nan=False)
_register(np.percentile, "percent", ignores_nan=False)
_register(np.nanquantile, "unit", ignores_nan=True)
_register(np.nanpercentile, "percent", ignores_nan=True)
