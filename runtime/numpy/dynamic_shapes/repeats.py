"""`repeat` and `tile` with counts known only at run time, and of arrays whose size is known only at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import run_time_sizes
from anabranch.runtime.numpy.core import fresh, handle, iota, one_axis, traced_inside
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion
from anabranch.runtime.values.registry import FUNCTIONS
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

_NEGATIVE = "repeats may not contain negative values."


def is_open(repeats: object) -> bool:
    """Return whether it is known only at run time how often something is repeated, and not by arguments alone."""
    if not traced_inside(repeats):
        return False
    return run_time_sizes.is_open(repeats) or not (isinstance(repeats, Tracer) and not _shape(repeats))


def _shape(x: Value) -> tuple[Value, ...]:
    return x.shape if wrap.is_dynamic_array(x) else wrap.shape_of(x)


@rules.dynamic_shape(np.repeat)
def repeat(a: Value, repeats: Value, axis: Value = None) -> Value:
    """As `numpy.repeat`."""
    a = a if wrap.is_dynamic_array(a) else handle(a)
    if axis is None or not a.ndim:
        a, axis = FUNCTIONS[np.ravel](a), 0
    at = one_axis(axis, a.ndim)
    counts = repeats if wrap.is_dynamic_array(repeats) else handle(repeats)
    if counts.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according to the rule 'safe'")
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    alone = counts.ndim == 0 or (not wrap.is_dynamic_array(counts) and counts.shape[0] == 1)
    if not alone:
        return _each(a, counts, at)
    return _spread(a, {at: _count(a, repeats if counts.ndim == 0 else counts[0])}, _by_the_item)


@rules.dynamic_shape(np.tile)
def tile(A: Value, reps: Value) -> Value:  # noqa: N803
    """As `numpy.tile`: a copy."""
    a = A if wrap.is_dynamic_array(A) else handle(A)
    counts = [_count(a, n) for n in (reps if isinstance(reps, (list, tuple, np.ndarray)) else (reps,))]
    missing = max(len(counts) - a.ndim, 0)
    if missing:
        a = FUNCTIONS[np.expand_dims](a, tuple(range(missing)))
    often = {axis: n for axis, n in enumerate(counts, a.ndim - len(counts)) if not (isinstance(n, int) and n == 1)}
    return _spread(a.__copy__(), often, _as_a_whole)


def _by_the_item(places: Atom, size: Value, count: Value) -> Atom:
    return _divided(np.floor_divide, places, count)


def _as_a_whole(places: Atom, size: object, count: object) -> Atom:
    return _divided(np.remainder, places, size)


def _divided(ufunc: np.ufunc, places: Atom, by: Value) -> Atom:
    return atoms.ufunc(
        ufunc, places, atoms.broadcast_to(size_arithmetic.atom_of(size_arithmetic.maximum(by, 1)), places.type.shape)
    )


def _spread(a: Value, often: Mapping[int, Value], origin: Callable[[Atom, Any, Any], Atom]) -> Value:
    """An array with these axes so many times as long; `origin` maps each position to its source."""
    axes = list(often)
    sizes = [size_arithmetic.bound_of(a.shape[at] * often[at]) for at in axes]
    capacities, extents = run_time_sizes.with_capacity(sizes)
    value = _left_packed(a, *axes)
    for at, capacity in zip(axes, capacities, strict=True):
        if value.type.shape[at]:
            value = compaction.taken(value, at, origin(iota((capacity,)), a.shape[at], often[at]))
    return _laid(a, value, dict(zip(axes, extents, strict=True)))


def _count(a: Value, n: Value) -> Value:
    """How often an array is repeated, as a bound that is not below 0; an empty one may be asked for less."""
    bound = size_arithmetic.bound_of(n) if isinstance(n, Tracer) else operator.index(n)
    if size_arithmetic.interval_of(bound).low >= 0:
        return bound
    below = atoms.ufunc(np.less, size_arithmetic.atom_of(bound), atoms.literal(0, np.int64))
    some = broadcasting.differ(a.size, 0)
    broadcasting.refuse(atoms.logical_and(below, some), ValueError, run_time_sizes.NEGATIVE)
    return size_arithmetic.maximum(bound, 0)


def _each(a: Value, counts: Value, at: int) -> Value:
    """Each item along an axis as often as its own count says."""
    own, given = a.shape[at], counts.shape[0]
    text = "operands could not be broadcast together with shape {} {}"
    broadcasting.refuse(broadcasting.differ(given, own), ValueError, text, (own,), (given,))
    line = counts.left_packed().padded(0) if wrap.is_dynamic_array(counts) else counts
    often = atoms.convert(line.atom, np.int64)
    below = atoms.ufunc(np.less, often, atoms.broadcast_to(atoms.literal(0, np.int64), often.type.shape))
    broadcasting.refuse(atoms.op("reduce_any", below, axes=(0,)), ValueError, _NEGATIVE)
    ends = FUNCTIONS[np.cumsum](fresh(often))
    total = FUNCTIONS[np.sum](fresh(often))
    if counts.dtype.kind == "b":
        total = size_arithmetic.limited(size_arithmetic.bound_of(total), 0, often.type.shape[0])
    value = _left_packed(a, at)
    (capacity,), (extent,) = run_time_sizes.with_capacity((total,))
    places = FUNCTIONS[np.searchsorted](ends, fresh(iota((capacity,))), side="right")
    return _laid(a, compaction.taken(value, at, places.atom), {at: extent})


def _left_packed(a: Value, *axes: int) -> Atom:
    """The buffer of an array, compacted to the front of these axes."""
    return a.left_packed(*axes).memory.atom if wrap.is_dynamic_array(a) else a.atom  # type: ignore[no-any-return]


def _laid(a: Value, value: Atom, extents: dict[int, ValidRegion | None]) -> Value:
    own = a.extents if wrap.is_dynamic_array(a) else (None,) * a.ndim
    return wrap.with_extents(fresh(value), tuple(extents.get(i, e) for i, e in enumerate(own)))
