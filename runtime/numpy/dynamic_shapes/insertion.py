"""`delete`, `insert` and `pad` where the array's size, or the indices, are known only at run time."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import one_axis, refused, traced_inside
from anabranch.runtime.numpy.dynamic_shapes.operands import array as array_of, extents as extents_of
from anabranch.runtime.numpy.joining import concatenate
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays import index_checks
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Window
from anabranch.runtime.values.registry import FUNCTIONS
from anabranch.runtime.values.tracer import Tracer

rules = Rules()


def _axis(arr: object, axis: object) -> tuple[Value, int]:
    array = array_of(arr)
    if axis is None:
        return FUNCTIONS[np.ravel](array) if array.ndim != 1 else array, 0
    return array, one_axis(axis, array.ndim)


def _is_int(obj: object) -> bool:
    if isinstance(obj, Tracer):
        return not wrap.is_dynamic_array(obj) and obj.abstract.shape == () and obj.abstract.dtype.kind in "iu"
    return isinstance(obj, (int, np.integer)) and not isinstance(obj, bool)


def _axis_positions(array: Value, at: int) -> Value:
    """The positions of an axis, as an array of the axis's extent."""
    n = (array.capacity if wrap.is_dynamic_array(array) else array.shape)[at]
    line = wrap.array_of(atoms.op("iota", shape=(n,), dtype=np.dtype(np.int64), axis=0))
    return wrap.with_extents(line, (extents_of(array)[at],))


def _place(obj: Value, size: Value, at: int) -> Value:
    """An index as a position from 0; raises, now or at run time, where it is out of bounds."""
    capacity = size if isinstance(size, int) else size_arithmetic.interval_of(size).high
    if isinstance(size, int):
        found = index_checks.integer(obj, size, at)
    else:
        found = index_checks.integer_within(obj, Window(0, size), capacity, at)
    return found if isinstance(found, int) else wrap.numpy_result(found)


@rules.dynamic_shape(np.delete)
def delete(arr: object, obj: object, axis: object = None) -> Value:
    """As `numpy.delete`."""
    array, at = _axis(arr, axis)
    if _is_int(obj):
        return _without(array, _place(obj, array.shape[at], at), at)
    kept = FUNCTIONS[np.ones_like](_axis_positions(array, at), dtype=bool)
    kept[_many(obj)] = False
    return array[(*((slice(None),) * at), kept)].__copy__()


def _without(array: object, place: object, at: int) -> Value:
    """Return the array without the element at an index: those behind it move up by one."""
    value, extents = _left_packed(array, at)
    capacity = max(value.type.shape[at] - 1, 0)
    behind = compaction.shifted(value, at, min(1, value.type.shape[at]), capacity)
    made = _before(place, compaction.resized(value, at, capacity), behind, at)
    return _with_size(made, extents, at, -1)


def _left_packed(array: Value, at: int) -> tuple[Atom, list[Value]]:
    """The elements from the front of an axis on."""
    if not wrap.is_dynamic_array(array):
        return array.atom, [None] * array.ndim
    front = array.left_packed(at)
    return front.memory.atom, list(front.extents)


def _before(place: Value, value: Atom, other: Atom, at: int) -> Atom:
    """The first value before a place on an axis, the other one from there on."""
    return atoms.select(size_arithmetic.window(value.type.shape, at, 0, place), value, other)


def _with_size(value: Atom, extents: list[Any], at: int, more: int) -> Value:
    """An array whose axis has so many elements more than its extent."""
    if extents[at] is not None:
        extents[at] = Window(
            0, size_arithmetic.limited(size_arithmetic.add(extents[at].size, more), 0, value.type.shape[at])
        )
    return wrap.with_extents(wrap.array_of(value), extents)


def _many(obj: object) -> Value:
    """Positions as an index: an empty list, too."""
    if isinstance(obj, (slice, Tracer)):
        return obj
    found = FUNCTIONS[np.array](obj) if traced_inside(obj) else np.asarray(obj)
    return found.astype(np.int64) if not traced_inside(obj) and not found.size else found


@rules.dynamic_shape(np.insert)
def insert(arr: Value, obj: Value, values: Value, axis: Value = None) -> Value:
    """As `numpy.insert`."""
    array, at = _axis(arr, axis)
    before = (slice(None),) * at
    if not _is_int(obj):
        return _insert_several(array, _several(obj, array, at), values, at)
    place = _inserted_at(obj, array.shape[at], at)
    new = array_of(values).astype(array.dtype)
    new = new[(None,) * (array.ndim - new.ndim)] if new.ndim < array.ndim else new
    # NumPy puts the axis of the values that stands for the new places first.
    new = FUNCTIONS[np.moveaxis](new, 0, at)
    block = _block(new, array, at, new.shape[at])
    if extents_of(block)[at] is not None:
        return concatenate([array[(*before, slice(None, place))], block, array[(*before, slice(place, None))]], at)
    value, extents = _left_packed(array, at)
    count = block.shape[at]
    moved = _before(place, compaction.extended(value, at, 0, count), compaction.extended(value, at, count, 0), at)
    starts = [size_arithmetic.atom_of(place if d == at else 0) for d in range(array.ndim)]
    updates = block.memory.atom if wrap.is_dynamic_array(block) else block.atom
    return _with_size(atoms.op("dynamic_update_slice", moved, updates, *starts), extents, at, count)


def _inserted_at(obj: Value, size: Value, at: int) -> Value:
    """Where to put something in: from the end of the array, too."""
    index = size_arithmetic.bound_of(obj if isinstance(obj, Tracer) else operator.index(obj))
    text = f"index {{}} is out of bounds for axis {at} with size {{}}"
    wrong = atoms.logical_or(
        atoms.ufunc(np.greater, size_arithmetic.atom_of(index), size_arithmetic.atom_of(size)),
        atoms.ufunc(np.less, size_arithmetic.atom_of(index), atoms.ufunc(np.negative, size_arithmetic.atom_of(size))),
    )
    broadcasting.refuse(wrong, IndexError, text, index, size)
    return size_arithmetic.position(index, size)


def _block(new: Value, array: Value, at: int, count: Value) -> Value:
    """The values, spread over the array's other axes."""
    shape, extents = list(array.capacity if wrap.is_dynamic_array(array) else array.shape), list(extents_of(array))
    extents[at] = extents_of(new)[at] if new.ndim == array.ndim else None
    shape[at] = count if extents[at] is None else new.capacity[at]
    blank = wrap.array_of(atoms.broadcast_to(atoms.literal(np.zeros((), array.dtype)), shape))
    made = wrap.with_extents(blank, extents)
    made[...] = new
    return made


def _several(obj: object, array: object, at: int) -> Value:
    """Positions to insert at, from 0."""
    if isinstance(obj, slice) or (not traced_inside(obj) and np.asarray(obj).dtype == bool):
        return _axis_positions(array, at)[obj]
    places_ = FUNCTIONS[np.array](obj) if traced_inside(obj) else array_of(np.asarray(obj, np.int64))
    if wrap.is_dynamic_array(places_) or places_.ndim != 1:
        raise refused("insert", "the number of indices must be static")
    return places_


def _insert_several(array: Value, indices: Value, values: Value, at: int) -> Value:
    if wrap.is_dynamic_array(indices):
        raise refused("insert", "the number of indices must be static")
    (count,), size = indices.shape, array.shape[at]
    index = FUNCTIONS[np.where](indices < 0, indices + size, indices)
    order = FUNCTIONS[np.argsort](index, kind="stable")
    index[order] = index[order] + np.arange(count)
    capacity = _block(array_of(0)[(None,) * array.ndim], array, at, count)
    made = concatenate([array, capacity], at)
    line = _axis_positions(made, at)
    old = FUNCTIONS[np.ones_like](line, dtype=bool)
    old[index] = False
    before = (slice(None),) * at
    made[(*before, index)] = values
    made[(*before, old)] = array
    return made


# ---- padding ---------------------------------------------------------------------------------------------------------


@rules.dynamic_shape(np.pad)
def pad(array: object, pad_width: object, mode: object = "constant", **kwargs: object) -> Value:
    """As `numpy.pad` with constants, and in the modes that repeat elements."""
    made = array_of(array)
    constants = kwargs.pop("constant_values", 0) if mode == "constant" else 0
    if mode not in ("constant", "empty", *_SOURCES):
        raise refused("pad", f"mode={mode!r} of an array whose size is known only at run time")
    if kwargs:
        raise refused("pad", f"{', '.join(kwargs)} of an array whose size is known only at run time")
    widths = np.broadcast_to(np.asarray(pad_width), (made.ndim, 2))
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    given = np.asarray(constants) if not traced_inside(constants) else FUNCTIONS[np.asarray](constants)
    pairs = FUNCTIONS[np.broadcast_to](array_of(given), (made.ndim, 2))
    for at, (low, high) in enumerate(widths.tolist()):
        if mode in _SOURCES:
            made = _repeated(made, at, low, high, mode) if low or high else made
        else:
            first, last = (
                _block(pairs[at, i : i + 1].astype(made.dtype), made, at, n) for i, n in ((0, low), (1, high))
            )
            made = concatenate([first, made, last], at)
    return made


def _wrapped(place: Value, size: Value) -> Value:
    return place % size


def _symmetric(place: Value, size: Value) -> Value:
    turned = place % (2 * size)
    return FUNCTIONS[np.minimum](turned, 2 * size - 1 - turned)


def _reflected(place: Value, size: Value) -> Value:
    period = FUNCTIONS[np.maximum](2 * (size - 1), 1)
    turned = place % period
    return FUNCTIONS[np.minimum](turned, period - turned) * (size > 1)


def _edge(place: Value, size: Value) -> Value:
    return FUNCTIONS[np.clip](place, 0, size - 1)


_SOURCES = {"edge": _edge, "wrap": _wrapped, "symmetric": _symmetric, "reflect": _reflected}


def _repeated(array: Value, at: int, low: int, high: int, mode: str) -> Value:
    """Each element of the longer axis is one of the array's."""
    size = array.shape[at]
    text = f"can't extend empty axis {at} using modes other than 'constant' or 'empty'"
    broadcasting.refuse(atoms.logical_not(broadcasting.differ(size, 0)), ValueError, text)
    front = array.left_packed(at) if wrap.is_dynamic_array(array) else array
    view, extents = (front.memory if wrap.is_dynamic_array(front) else front), list(extents_of(front))
    capacity = view.shape[at] + low + high
    positions = wrap.array_of(atoms.op("iota", shape=(capacity,), dtype=np.dtype(np.int64), axis=0)) - low
    taken = compaction.taken(view.atom, at, _atom(_SOURCES[mode](positions, size)))
    extents[at] = (
        None if extents[at] is None else Window(0, size_arithmetic.add(size_arithmetic.bound_of(size), low + high))
    )
    return wrap.with_extents(wrap.array_of(taken), extents)


def _atom(x: object) -> Atom:
    return wrap.as_atom(x, np.int64)
