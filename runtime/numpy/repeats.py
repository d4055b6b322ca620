"""`repeat`, `tile` and `roll`; counts and shifts may be known only at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, run_time_sizes
from anabranch.runtime.numpy.core import atom_of, fresh, has_dynamic_array, iota, one_axis, traced_inside, zeros_atom
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

_F = registry.FUNCTIONS
_NEGATIVE = "repeats may not contain negative values."


def _is_open(a: Value, repeats: object) -> bool:
    """Return whether an array is repeated as often as is known only at run time.

    Counts that are computed from arguments alone become static where that makes the size of the result static.
    """
    if not traced_inside(repeats):
        return False
    if has_dynamic_array((a, repeats)) or run_time_sizes.is_open(repeats):
        return True
    return not (isinstance(repeats, Tracer) and not wrap.shape_of(repeats))


@rules.method("repeat")
@rules.any_shape(np.repeat)
def repeat(a: object, repeats: Value, axis: object = None) -> Value:
    """As `numpy.repeat`; the counts may be known only at run time."""
    array = operands.array(a)
    if axis is None or not array.ndim:
        array, axis = operands.flat(array), 0
    at = one_axis(axis, array.ndim)
    counts = operands.array(repeats) if _is_open(array, repeats) else np.asarray(_known(repeats))
    if counts.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according to the rule 'safe'")
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    if counts.ndim and (wrap.is_dynamic_array(counts) or counts.shape[0] != 1):
        return _each(array, counts, at)
    count = int(counts.reshape(())) if isinstance(counts, np.ndarray) else counts[0] if counts.ndim else repeats
    return _spread(array, {at: _count(array, count)}, _by_the_item)


def _known(repeats: Value) -> Value:
    if traced_inside(repeats):
        return operator.index(repeats[0] if isinstance(repeats, (list, tuple)) else repeats)
    return repeats


@rules.any_shape(np.tile)
def tile(A: object, reps: Value) -> Value:  # noqa: N803
    """As `numpy.tile`: a copy."""
    array = operands.array(A)
    given = reps if isinstance(reps, (list, tuple, np.ndarray)) else (reps,)
    counts = [_count(array, n if _is_open(array, n) else operator.index(n)) for n in given]
    missing = max(len(counts) - array.ndim, 0)
    if missing:
        array = _F[np.expand_dims](array, tuple(range(missing)))
    often = {axis: n for axis, n in enumerate(counts, array.ndim - len(counts)) if not (isinstance(n, int) and n == 1)}
    return _spread(array, often, _as_a_whole)


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
    own = operands.extents(a)
    fixed = {at: n for at, n in often.items() if own[at] is None and isinstance(n, int)}
    axes = [at for at in often if at not in fixed]
    sizes = [size_arithmetic.bound_of(a.shape[at] * often[at]) for at in axes]
    capacities, extents = run_time_sizes.with_capacity(sizes) if axes else ((), ())
    value = _packed(a, *axes)
    for at, capacity in zip(axes, capacities, strict=True):
        if value.type.shape[at]:
            value = compaction.taken(value, at, origin(iota((capacity,)), a.shape[at], often[at]))
    return _laid(a, _multiplied(value, fixed, origin is _by_the_item), dict(zip(axes, extents, strict=True)))


def _multiplied(value: Atom, often: Mapping[int, int], by_the_item: bool) -> Atom:
    """A value with these axes so many times as long, each item as often or the axis as a whole."""
    if not often:
        return value
    narrow: list[int] = []
    wide: list[int] = []
    for at, n in enumerate(value.type.shape):
        pair = (n, often[at]) if at in often else (n,)
        ones = (n, 1) if at in often else (n,)
        narrow += ones if by_the_item else reversed(ones)
        wide += pair if by_the_item else reversed(pair)
    spread = atoms.broadcast_to(atoms.reshape(value, narrow), wide)
    return atoms.reshape(spread, [n * often.get(at, 1) for at, n in enumerate(value.type.shape)])


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
    own = a.shape[at]
    if isinstance(counts, np.ndarray) and isinstance(own, int):
        positions = atoms.literal(np.repeat(np.arange(own), counts), np.int64)
        return _laid(a, compaction.taken(operands.memory(a).atom, at, positions), {})
    counts = operands.array(counts)
    given = counts.shape[0]
    text = "operands could not be broadcast together with shape {} {}"
    broadcasting.refuse(broadcasting.differ(given, own), ValueError, text, (own,), (given,))
    line = counts.left_packed().padded(0) if wrap.is_dynamic_array(counts) else counts
    often = atoms.convert(line.atom, np.int64)
    below = atoms.ufunc(np.less, often, atoms.broadcast_to(atoms.literal(0, np.int64), often.type.shape))
    broadcasting.refuse(atoms.op("reduce_any", below, axes=(0,)), ValueError, _NEGATIVE)
    ends = _F[np.cumsum](fresh(often))
    total = _F[np.sum](fresh(often))
    if counts.dtype.kind == "b":
        total = size_arithmetic.limited(size_arithmetic.bound_of(total), 0, often.type.shape[0])
    value = _packed(a, at)
    (capacity,), (extent,) = run_time_sizes.with_capacity((total,))
    # How many items have ended up to each place.
    count = often.type.shape[0]
    bounded = _F[np.minimum](ends, capacity)
    none, one = zeros_atom((capacity + 1,), np.int64), zeros_atom((count,), np.int64, 1)
    ended = atoms.op("scatter", none, atoms.reshape(bounded.atom, (count, 1)), one, combine="add")
    places = atoms.cut(atoms.op("cumsum", ended, axis=0), 0, capacity)
    return _laid(a, compaction.taken(value, at, places), {at: extent})


def _packed(a: Value, *axes: int) -> Atom:
    """The buffer of an array, compacted to the front of these axes."""
    return operands.memory(operands.left_packed(a, *axes) if axes else a).atom  # type: ignore[no-any-return]


def _laid(a: Value, value: Atom, extents: Mapping[int, ValidRegion | None]) -> Value:
    return wrap.with_extents(fresh(value), [extents.get(i, e) for i, e in enumerate(operands.extents(a))])


@rules.any_shape(np.roll)
def roll(a: object, shift: Value, axis: Value = None) -> Value:
    """As `numpy.roll`; the shift may be traced."""
    array = operands.array(a)
    if axis is None and array.ndim != 1:
        return _F[np.reshape](roll(operands.flat(array), shift, 0), array.shape)
    axes, shifts = _listed(0 if axis is None else axis), _listed(shift)
    if not (array.ndim or axes):
        raise ValueError("not enough values to unpack (expected 2, got 0)")  # in the words of NumPy
    (count,) = np.broadcast_shapes((len(axes),), (len(shifts),))
    axes, shifts = (x * count if len(x) == 1 else x for x in (axes, shifts))
    for by, at in zip(shifts, axes, strict=True):
        array = _rolled(array, by, one_axis(at, array.ndim))
    return array


def _listed(x: Value) -> list[Value]:
    many = isinstance(x, (list, tuple)) or (hasattr(x, "shape") and len(x.shape))
    return [x[i] for i in range(len(x))] if many else [x]


def _rolled(array: Value, shift: Value, at: int) -> Value:
    """An array with each element so many places on along an axis, those at the end at the front."""
    n = operands.capacity(array)[at]
    if n == 0:
        return array.__copy__()
    if operands.extents(array)[at] is None:
        return _laid(array, _turned(operands.memory(array).atom, shift, at), {})
    line = operands.with_axis(fresh(iota((n,))), fresh(iota((n,))), 0, operands.left_packed(array, at).extents[at])
    places = _F[np.remainder](_F[np.subtract](line, shift), size_arithmetic.maximum(array.shape[at], 1))
    return array[(slice(None),) * at + (places,)]


def _turned(value: Atom, shift: Value, axis: int) -> Atom:
    n = value.type.shape[axis]
    if not traced_inside(shift):
        start = -operator.index(shift) % n
        parts = atoms.cut(value, start, n, axis), atoms.cut(value, 0, start, axis)
        return atoms.op("concatenate", *parts, axis=axis)
    doubled = atoms.op("concatenate", value, value, axis=axis)
    # A run-time shift: a window of static size at n - shift mod n.
    count = atoms.literal(n, np.int64)
    start_atom = atoms.ufunc(np.remainder, atoms.ufunc(np.negative, atom_of(shift, np.int64)), count)
    starts = [start_atom if i == axis else atoms.literal(0, np.int64) for i in range(len(value.type.shape))]
    return atoms.op("dynamic_slice", doubled, *starts, sizes=value.type.shape)
