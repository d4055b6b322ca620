"""Sorting and partitioning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    fresh,
    one_axis,
    plain,
    traced_inside,
)
from anabranch.runtime.numpy.namespace import namespace as xp
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.ops.reducers import lowest
from anabranch.runtime.ops.sorting import MANY
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray, expect_writable
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked

rules = Rules()

_F = registry.FUNCTIONS
_STABLE = ("stable", "mergesort", "s", "m")
_KINDS = (None, "quicksort", "heapsort", "q", "h", *_STABLE)

# The positions that sort a shorter row are found as soon as those that partition it.
_LONG_ROW = 128
# A shorter row is sorted as soon as it is partitioned at positions that only a run knows, or at many of them.
_LONG_ROW_AT, _FEW_PLACES = 2048, 64
_HAS_DESCENDING = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


def is_descending(name: str, kind: Value, descending: Value) -> bool:
    """Return whether a sort goes downwards, which NumPy can do since 2.5."""
    if descending is NoValue:
        return False
    if not _HAS_DESCENDING:
        raise TypeError(f"{name}() got an unexpected keyword argument 'descending'")
    if kind is not None and descending is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
    return bool(descending)


def _stable(name: str, kind: Value, order: Value, stable: Value) -> bool:
    plain(name, order=(order, None))
    if kind not in _KINDS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    if kind is not None and stable not in (None, NoValue):
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time. Use only one of them.")
    return kind in _STABLE or (stable is not NoValue and bool(stable))


def _filled(x: Value, axis: int, downwards: bool = False) -> Atom:
    """The value with what is sorted behind all others, or beside the last of them, where no element is valid."""
    if operands.extents(x)[axis] is None:
        return atom_of(operands.memory(x))
    return operands.padded(x, lowest(x.dtype) if downwards and x.dtype.kind in "biu" else operands.behind(x.dtype))


def _downwards(value: Atom, axis: int) -> Value:
    """The positions that sort downwards: ties stay in order, and what holds a NaN stays last."""
    x = fresh(value)
    # Sorted upwards from the end, ties stand in reverse: what turns all around puts them right.
    backwards = _argsort(xp.flip(x, axis), axis)
    positions = xp.subtract(value.type.shape[axis] - 1, xp.flip(backwards, axis))
    if x.dtype.kind in "biu":
        return positions
    # Complex numbers with a NaN in one part are in order among themselves.
    rank = 2 * xp.isnan(x.real) + xp.isnan(x.imag) if x.dtype.kind == "c" else xp.isnan(x)
    classes = xp.take_along_axis(rank, positions, axis)
    return xp.take_along_axis(positions, _argsort(classes, axis), axis)


def _argsort(x: Value, axis: int) -> TracedArray:
    return fresh(atoms.op("argsort", atom_of(x), axis=axis, stable=True))


def in_order(x: Value, axis: int, stable: bool = False, downwards: bool = False) -> Value:
    """The array sorted along an axis, its valid elements at the front."""
    if x.ndim == 1 and isinstance(operands.extents(x)[0], Masked):
        x = x.packed_alone(0)  # so that these alone are sorted
    value = _filled(x, axis, downwards)
    if not downwards:
        made = atoms.op("sort", value, axis=axis, stable=stable)
    elif value.type.dtype.kind in "biu":
        made = atom_of(xp.flip(fresh(atoms.op("sort", value, axis=axis, stable=False)), axis))
    else:
        made = atom_of(xp.take_along_axis(fresh(value), _downwards(value, axis), axis))
    return _in_front(x, axis, fresh(made))


def _in_front(x: Value, axis: int, made: Value) -> Value:
    """An array's elements in another order, its valid ones at the front."""
    if operands.extents(x)[axis] is None:
        return operands.with_axis(x, made, axis, None)
    size = size_arithmetic.limited(x.shape[axis], 0, made.shape[axis])
    return operands.with_axis(x, made, axis, operands.window(size))


def placed(x: Value, axis: int, places: Iterable[int]) -> Value:
    """The array with those elements at places of an axis that a sort puts there, or all of it in order."""
    if not _may_be_placed(x, axis, MANY):
        return in_order(x, axis)
    kth = tuple(sorted({min(max(place, 0), x.shape[axis] - 1) for place in places}))
    return fresh(atoms.op("partition", atom_of(x), axis=axis, kth=kth))


def placed_at(x: Value, axis: int, places: Value) -> Value:
    """The same for positions that only a run knows, which are moved into the axis."""
    value = _filled(x, axis)
    if value.type.shape[axis] != value.type.size or value.type.size < _LONG_ROW_AT or places.size > _FEW_PLACES:
        return in_order(x, axis)
    made = fresh(atoms.op("partition_at", value, atoms.reshape(atom_of(places, np.int64), (places.size,)), axis=axis))
    return _in_front(x, axis, made)


def _may_be_placed(x: Value, axis: int, least: int) -> bool:
    """Return whether an axis has so many elements that a sort would take longer than a partition."""
    return not wrap.is_dynamic_array(x) and x.shape[axis] >= least


@rules.any_shape(np.sort)
def sort(
    a: Value,
    axis: Value = -1,
    kind: Value = None,
    order: Value = None,
    *,
    stable: Value = None,
    descending: Value = NoValue,
) -> Value:
    """As `numpy.sort`."""
    downwards = is_descending("sort", kind, descending)
    ties_in_order = _stable("sort", kind, order, stable)
    return in_order(*operands.flat_unless_axis(a, axis), ties_in_order, downwards)


@rules.method("argsort")
@rules.any_shape(np.argsort)
def argsort(
    a: Value,
    axis: Value = -1,
    kind: Value = None,
    order: Value = None,
    *,
    stable: Value = None,
    descending: Value = NoValue,
) -> Value:
    """As `numpy.argsort`; ties stay in order for every kind."""
    downwards = is_descending("argsort", kind, descending)
    _stable("argsort", kind, order, stable)
    x = operands.array(a)
    return _positions(*operands.flat_unless_axis(x if x.ndim else operands.flat(x), axis), downwards)


def _positions(x: Value, axis: int, downwards: bool = False) -> Value:
    """The positions that sort, of equal elements the first one first."""
    if operands.extents(x)[axis] is not None:
        x = x.left_packed(axis)  # so that of equal elements the valid ones come first
    value = _filled(x, axis, downwards)
    made = fresh(atom_of(_downwards(value, axis))) if downwards else _argsort(fresh(value), axis)
    return wrap.with_extents(made, operands.extents(x), operands.origin(x))


@rules.method("sort")
def sort_in_place(
    a: Value,
    axis: Value = -1,
    kind: Value = None,
    order: Value = None,
    *,
    stable: Value = None,
    descending: Value = NoValue,
) -> None:
    """As `ndarray.sort`: in place."""
    made = sort(a, one_axis(axis, a.ndim), kind, order, stable=stable, descending=descending)
    expect_writable(a.memory if wrap.is_dynamic_array(a) else a, "sort array is read-only")
    _write(a, made)


def _write(a: Value, made: Value) -> None:
    if wrap.is_dynamic_array(a):
        a.assign(made)
    else:
        a.set(atom_of(made))


def _first_misplaced(kth: Value, size: Value) -> Value:
    """The first of run-time positions that is not on an axis of this size, in a list; any where all are."""
    if kth.ndim > 1:
        raise ValueError("kth array must have dimension <= 1")
    places = fresh(operands.padded(operands.left_packed(kth), 0))
    if places.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if places.ndim == 0 or places.shape[0] == 0:
        return [places[()]] if places.ndim == 0 else []
    bad = _F[np.logical_or](places >= size, places < -size)
    return [places[_F[np.argmax](bad)]]


def _check_kth(kth: Value, x: Value, axis: int) -> None:
    """Raise for a position that is not on the axis, unless the axis is empty."""
    if isinstance(kth, TracedArray) or wrap.is_dynamic_array(kth):
        kth = _first_misplaced(kth, x.shape[axis])
    is_many = isinstance(kth, (list, tuple)) or (isinstance(kth, np.ndarray) and kth.ndim > 0)
    places = list(kth) if is_many else [kth]
    size, some = x.shape[axis], broadcasting.differ(x.size, 0)
    count = size_arithmetic.atom_of(size)
    text = "kth(={}) out of bounds ({})"
    for place in map(size_arithmetic.bound_of, places):
        at = size_arithmetic.atom_of(place)
        over = atoms.ufunc(np.greater_equal, at, count)
        broadcasting.refuse(atoms.logical_and(some, over), ValueError, text, place, size)
        under = atoms.ufunc(np.less, at, atoms.ufunc(np.negative, count))
        broadcasting.refuse(atoms.logical_and(some, under), ValueError, text, size_arithmetic.add(place, size), size)


@rules.any_shape(np.partition)
def partition(a: object, kth: Value, axis: object = -1, kind: object = "introselect", order: object = None) -> Value:
    """As `numpy.partition`: fully sorted, which is one of the partitions, where NumPy does not do it."""
    plain("partition", kind=(kind, "introselect"), order=(order, None))
    x, at = operands.flat_unless_axis(a, axis)
    _check_kth(kth, x, at)
    places = _known_places(kth, x, at, 1)
    if places:
        return placed(x, at, places)
    if wrap.is_dynamic_array(x) or wrap.is_dynamic_array(kth):
        return in_order(x, at)
    wanted = _F[np.ravel](kth)
    return placed_at(x, at, _F[np.where](wanted < 0, wanted + x.shape[at], wanted))


def _known_places(kth: Value, x: Value, axis: int, least: int) -> Sequence[int]:
    """The positions of a partition, as far as they are known and the axis has so many elements."""
    if traced_inside(kth) or wrap.is_dynamic_array(kth) or not _may_be_placed(x, axis, least):
        return ()
    return sorted({int(place) % x.shape[axis] for place in np.ravel(kth)})


@rules.method("argpartition")
@rules.any_shape(np.argpartition)
def argpartition(
    a: object, kth: object, axis: object = -1, kind: object = "introselect", order: object = None
) -> Value:
    """As `numpy.argpartition`: the positions that sort, where NumPy does not find them."""
    plain("argpartition", kind=(kind, "introselect"), order=(order, None))
    x, at = operands.flat_unless_axis(a, axis)
    _check_kth(kth, x, at)
    places = _known_places(kth, x, at, _LONG_ROW)
    if not places:
        return _positions(x, at)
    return fresh(atoms.op("argpartition", atom_of(x), axis=at, kth=tuple(places)))


@rules.method("partition")
def partition_in_place(
    a: Value, kth: object, axis: object = -1, kind: object = "introselect", order: object = None
) -> None:
    """As `ndarray.partition`: in place."""
    _write(a, partition(a, kth, one_axis(axis, a.ndim), kind, order))


@rules.any_shape(np.lexsort)
def lexsort(keys: Value, axis: Value = -1) -> Value:
    """As `numpy.lexsort`: stable sorts from the least significant key to the most."""
    items = [operands.array(keys[i]) for i in range(len(keys))]
    if not items:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    text = "all keys need to be the same shape"
    for key in items[1:]:
        if key.ndim != items[0].ndim:
            raise ValueError(text)
        for n, m in zip(items[0].shape, key.shape, strict=True):
            broadcasting.refuse(broadcasting.differ(n, m), ValueError, text)
    aligned = None
    if any(map(wrap.is_dynamic_array, items)):
        aligned = broadcasting.broadcast([operands.left_packed(k) for k in items])
        parts = [wrap.part_of(k, aligned.extents) for k in aligned.operands]
        items = [fresh(operands.padded(k, operands.behind(k.dtype))) for k in parts]
    order: Any = None
    for key in _joined(items):
        ranked = key if order is None else _F[np.take_along_axis](key, order, axis)
        step = argsort(ranked, axis)
        order = step if order is None else _F[np.take_along_axis](order, step, axis)
    return order if aligned is None else aligned.made(order)


# Words of at most so many bits are sorted by counting.
_FEW_BITS = 16


def _joined(keys: Sequence[Value]) -> list[Value]:
    """The keys to sort by, of bools and bytes that follow one another the words that hold them side by side."""
    found: list[tuple[Value, int]] = []
    for key in keys:
        width = 1 if key.dtype == np.bool_ else 8 if key.dtype == np.uint8 else _FEW_BITS
        below, used = found[-1] if found else (key, _FEW_BITS)
        if used + width > _FEW_BITS:
            found.append((key, width))
            continue
        word = np.uint8 if used + width <= 8 else np.uint16
        found[-1] = (key.astype(word) << word(used)) | below.astype(word), used + width
    return [key for key, _ in found]
