"""Joining, splitting and repeating arrays."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import (
    atom_of,
    axes_tuple,
    dtype_of,
    fresh,
    handle,
    one_axis,
    operand,
    result,
    store,
    supported,
    traced_inside,
)
from anabranch.runtime.numpy.dynamic_shapes import operands, repeats as dynamic_repeats
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.run_time_sizes import is_open
from anabranch.runtime.numpy.shaping import full_slices
from anabranch.runtime.numpy.ufunc_reductions import rows
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.memory import views

rules = Rules()

_F = registry.FUNCTIONS


def _items(arrays: Value) -> list[Value]:
    if isinstance(arrays, TracedArray) or wrap.is_dynamic_array(arrays):
        return [arrays[i] for i in range(len(arrays))]
    if not isinstance(arrays, (list, tuple)):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return [operand(a) for a in arrays]


def _joined(values: Sequence[Atom], axis: int) -> Atom:
    return values[0] if len(values) == 1 else atoms.op("concatenate", *values, axis=axis)


def _cast(items: Sequence[object], dtype: Value, casting: Value, out: object) -> list[Atom]:
    # Arrays are joined, so Python scalars are not weak here.
    chosen = np.result_type(*map(dtype_of, items)) if dtype is None else supported(dtype)
    for x in items:
        source = atom_of(x).type.dtype
        if dtype is not None and not np.can_cast(source, chosen, casting):
            raise TypeError(f"Cannot cast array data from {source!r} to {chosen!r} according to the rule '{casting}'")
    del out
    return [atom_of(x, chosen) for x in items]


@rules.implements(np.concatenate)
def concatenate(
    arrays: Value, /, axis: Value = 0, out: Value = None, *, dtype: Value = None, casting: Value = "same_kind"
) -> Value:
    """As `numpy.concatenate`."""
    items = _items(arrays)
    if not items:
        raise ValueError("need at least one array to concatenate")
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    values = _cast(items, dtype, casting, out)
    if axis is None:
        values, axis = [atoms.reshape(v, (v.type.size,)) for v in values], 0
    ndim = len(values[0].type.shape)
    if ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    at = one_axis(axis, ndim)
    _check_joinable(values, at)
    return result(_joined(values, at), out)


def _check_joinable(values: Sequence[Atom], axis: int) -> None:
    first = values[0].type.shape
    for i, value in enumerate(values):
        shape = value.type.shape
        if len(shape) != len(first):
            raise ValueError(
                "all the input arrays must have same number of dimensions, but "
                f"the array at index 0 has {len(first)} dimension(s) and the array at index {i} has "
                f"{len(shape)} dimension(s)"
            )
        for d, (m, n) in enumerate(zip(first, shape, strict=True)):
            if d != axis and m != n:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {d}, the array at index 0 has size {m} and the array at index {i} has size {n}"
                )


@rules.implements(np.stack)
def stack(
    arrays: Value, axis: Value = 0, out: Value = None, *, dtype: Value = None, casting: Value = "same_kind"
) -> TracedArray:
    """As `numpy.stack`."""
    items = _items(arrays)
    if not items:
        raise ValueError("need at least one array to stack")
    values = _cast(items, dtype, casting, out)
    shape = values[0].type.shape
    if any(v.type.shape != shape for v in values):
        raise ValueError("all input arrays must have the same shape")
    at = one_axis(axis, len(shape) + 1)
    wider = [atoms.reshape(v, (*shape[:at], 1, *shape[at:])) for v in values]
    joined = _joined(wider, at)
    return fresh(joined) if out is None else store(out, joined)


def _register_stack(original: Callable[..., object], least: int, axis_of: Callable[..., object]) -> None:
    at_least = (np.atleast_1d, np.atleast_2d, np.atleast_3d)[least - 1]

    def function(tup: Value, *, dtype: Value = None, casting: Value = "same_kind") -> Value:
        items = [_F[at_least](x) for x in _items(tup)]
        if not items:
            raise ValueError("need at least one array to concatenate")
        return _F[np.concatenate](items, axis_of(items[0]), dtype=dtype, casting=casting)

    rules.any_shape(original)(function)


_register_stack(np.vstack, 2, lambda _: 0)
if "row_stack" in vars(np):
    _register_stack(vars(np)["row_stack"], 2, lambda _: 0)
_register_stack(np.hstack, 1, lambda first: 0 if first.ndim == 1 else 1)


@rules.any_shape(np.dstack)
def dstack(tup: object) -> Value:
    """As `numpy.dstack`."""
    return _F[np.concatenate]([_F[np.atleast_3d](x) for x in _items(tup)], 2)


@rules.any_shape(np.column_stack)
def column_stack(tup: object) -> Value:
    """As `numpy.column_stack`."""
    arrays = [operands.array(x) for x in _items(tup)]
    columns = [a if a.ndim >= 2 else a.reshape(-1, 1) for a in arrays]
    return _F[np.concatenate](columns, 1)


@rules.any_shape(np.block)
def block(arrays: object) -> Value:
    """As `numpy.block`: nested lists of blocks."""
    depth = _depth(arrays)
    ndim = max(depth, _most_axes(arrays))
    return _block(arrays, depth, ndim)


def _depth(arrays: object) -> int:
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("List at arrays cannot be empty")
    depths = {_depth(a) for a in arrays}
    if len(depths) > 1:
        raise ValueError("List depths are mismatched.")
    return 1 + depths.pop()


def _most_axes(arrays: object) -> int:
    return max(map(_most_axes, arrays)) if isinstance(arrays, list) else operands.array(arrays).ndim


def _block(arrays: Value, depth: int, ndim: int) -> Value:
    if depth == 0:
        array = operands.array(arrays)
        new = tuple(range(ndim - array.ndim))
        return (_F[np.expand_dims](array, new) if new else array).__copy__()
    return _F[np.concatenate]([_block(a, depth - 1, ndim) for a in arrays], axis=-depth)


@rules.any_shape(np.append)
def append(arr: Value, values: Value, axis: Value = None) -> Value:
    """As `numpy.append`."""
    return _F[np.concatenate]([operands.array(arr), operands.array(values)], axis)


# ---- splitting: views ------------------------------------------------------------------------------------------------


def _parts(array: TracedArray, bounds: Sequence[int], axis: int) -> list[TracedArray]:
    parts = []
    for low, high in itertools.pairwise(bounds):
        slices = full_slices(array.shape)
        start, stop, _ = slice(low, high).indices(array.shape[axis])
        slices[axis] = views.AxisSlice(start, max(stop - start, 0))
        parts.append(array.viewed(views.Slice(tuple(slices))))
    return parts


@rules.implements(np.array_split)
def array_split(ary: object, indices_or_sections: Value, axis: object = 0) -> Value:
    """As `numpy.array_split`: views."""
    if isinstance(indices_or_sections, (list, tuple)) and traced_inside(indices_or_sections):
        return registry.DYNAMIC_SHAPE_FUNCTIONS[np.array_split](ary, indices_or_sections, axis)
    array = handle(ary)
    at = one_axis(axis, array.ndim)
    n = array.shape[at]
    if isinstance(indices_or_sections, (list, tuple, np.ndarray)):
        return _parts(array, [0, *map(operator.index, indices_or_sections), n], at)
    sections = operator.index(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extras = divmod(n, sections)
    sizes = extras * [each + 1] + (sections - extras) * [each]
    return _parts(array, [0, *np.cumsum(sizes).tolist()], at)


@rules.implements(np.split)
def split(ary: object, indices_or_sections: Value, axis: object = 0) -> Value:
    """As `numpy.split`: views."""
    array = handle(ary)
    if not isinstance(indices_or_sections, (list, tuple, np.ndarray)):
        sections = operator.index(indices_or_sections)
        if array.shape[one_axis(axis, array.ndim)] % sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(array, indices_or_sections, axis)


def _register_split(original: Callable[..., object], least: int, axis_of: Callable[..., object]) -> None:
    def function(ary: Value, indices_or_sections: Value) -> Value:
        array = operands.array(ary)
        if array.ndim < least:
            raise ValueError(f"{original.__name__} only works on arrays of {least} or more dimensions")
        return _F[np.split](array, indices_or_sections, axis_of(array))

    rules.any_shape(original)(function)


_register_split(np.vsplit, 2, lambda _: 0)
_register_split(np.hsplit, 1, lambda array: 1 if array.ndim > 1 else 0)
_register_split(np.dsplit, 3, lambda _: 2)


def unstack(x: object, /, *, axis: object = 0) -> tuple[Value, ...]:
    """As `numpy.unstack`: views."""
    array = handle(x)
    if array.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    moved = registry.FUNCTIONS[np.moveaxis](array, axis, 0)
    return tuple(moved[i] for i in range(len(moved)))


if hasattr(np, "unstack"):
    rules.implements(np.unstack)(unstack)


# ---- repeating -------------------------------------------------------------------------------------------------------


@rules.implements(np.tile)
def tile(A: object, reps: object) -> Value:  # noqa: N803
    """As `numpy.tile`: a copy."""
    listed = tuple(reps) if isinstance(reps, (list, tuple, np.ndarray)) else (reps,)
    if any(map(is_open, listed)):
        return dynamic_repeats.tile(A, reps)
    value, counts = atom_of(A), tuple(map(operator.index, listed))
    ndim = max(len(counts), len(value.type.shape))
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - len(value.type.shape)) + value.type.shape
    pairs = [n for size in shape for n in (1, size)]
    wide = [n for count, size in zip(counts, shape, strict=True) for n in (count, size)]
    spread = atoms.broadcast_to(atoms.reshape(value, pairs), wide)
    return fresh(atoms.reshape(spread, [c * n for c, n in zip(counts, shape, strict=True)]))


@rules.method("repeat")
@rules.implements(np.repeat)
def repeat(a: object, repeats: Value, axis: object = None) -> Value:
    """As `numpy.repeat`; the counts may be known only at run time."""
    if dynamic_repeats.is_open(repeats):
        return dynamic_repeats.repeat(a, repeats, axis)
    value = atom_of(a)
    if axis is None:
        value, axis = atoms.reshape(value, (value.type.size,)), 0
    if not value.type.shape:
        value = atoms.reshape(value, (1,))
    at = one_axis(axis, len(value.type.shape))
    shape = value.type.shape
    if traced_inside(repeats):
        operator.index(repeats if not isinstance(repeats, (list, tuple)) else repeats[0])
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according to the rule 'safe'")
    if (counts < 0).any():
        raise ValueError("repeats may not contain negative values.")
    if counts.size == 1:
        n = int(counts.reshape(()))
        inner = atoms.reshape(value, (*shape[: at + 1], 1, *shape[at + 1 :]))
        wide = atoms.broadcast_to(inner, (*shape[: at + 1], n, *shape[at + 1 :]))
        return fresh(atoms.reshape(wide, (*shape[:at], shape[at] * n, *shape[at + 1 :])))
    if counts.shape != (shape[at],):
        raise ValueError(f"operands could not be broadcast together with shape ({shape[at]},) ({counts.size},)")
    positions = np.repeat(np.arange(shape[at]), counts)
    return fresh(picked(value, positions, at))


def picked(value: Atom, positions: np.ndarray, axis: int) -> Atom:
    """`np.take` with static positions that are in range."""
    order = (axis, *(i for i in range(len(value.type.shape)) if i != axis))
    front = atoms.transpose(value, order)
    taken = atoms.op("gather", front, atoms.literal(positions.reshape(-1, 1), np.int64))
    return atoms.transpose(taken, tuple(int(i) for i in np.argsort(order)))


@rules.implements(np.roll)
def roll(a: object, shift: Value, axis: Value = None) -> TracedArray:
    """As `numpy.roll`; the shift may be traced."""
    value = atom_of(a)
    shape = value.type.shape
    if axis is None:
        flat = atoms.reshape(value, (value.type.size,))
        return fresh(atoms.reshape(_rolled(flat, shift, 0), shape))
    pairs = np.broadcast_shapes(np.shape(axis), () if not isinstance(shift, (list, tuple)) else (len(shift),))
    count = math.prod(pairs)
    axes = axis if isinstance(axis, (list, tuple)) else (axis,) * count
    shifts = shift if isinstance(shift, (list, tuple)) else (shift,) * count
    for s, at in zip(shifts, axes_list(axes, len(shape)), strict=True):
        value = _rolled(value, s, at)
    return fresh(value)


def axes_list(axes: Sequence[object], ndim: int) -> list[int]:
    """Axes counted from the front; they may repeat."""
    return [axes_tuple(a, ndim)[0] for a in axes]


def _rolled(value: Atom, shift: Value, axis: int) -> Atom:
    n = value.type.shape[axis]
    if n == 0:
        return value
    doubled = atoms.op("concatenate", value, value, axis=axis)
    if not traced_inside(shift):
        start = -operator.index(shift) % n
        return rows(doubled, start, start + n, axis)
    # A run-time shift: a window of static size at n - shift mod n.
    count = atoms.literal(n, np.int64)
    start_atom = atoms.ufunc(np.remainder, atoms.ufunc(np.negative, atom_of(shift, np.int64)), count)
    starts = [start_atom if i == axis else atoms.literal(0, np.int64) for i in range(len(value.type.shape))]
    return atoms.op("dynamic_slice", doubled, *starts, sizes=value.type.shape)
