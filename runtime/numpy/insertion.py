"""`delete` and `insert`; the indices may be known only at run time."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import atom_of, fresh, has_dynamic_array, iota, refused, traced_inside
from anabranch.runtime.numpy.joining import concatenate
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays import assigned_values, index_checks
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Window
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

_F = registry.FUNCTIONS
# So many parts of an axis are joined in less time than each element is looked up.
_FEW_RUNS = 16


def _is_int(obj: object) -> bool:
    if isinstance(obj, Tracer):
        return not wrap.is_dynamic_array(obj) and obj.abstract.shape == () and obj.abstract.dtype.kind in "iu"
    return isinstance(obj, (int, np.integer)) and not isinstance(obj, bool)


def _axis_positions(array: Value, at: int) -> Value:
    """The positions of an axis, as an array of the axis's extent."""
    n = operands.capacity(array)[at]
    return wrap.with_extents(fresh(iota((n,))), (operands.extents(array)[at],))


def _place(obj: Value, size: Value, at: int) -> Value:
    """An index as a position from 0; raises, now or at run time, where it is out of bounds."""
    capacity = size if isinstance(size, int) else size_arithmetic.interval_of(size).high
    if isinstance(size, int):
        found = index_checks.integer(obj, size, at)
    else:
        found = index_checks.integer_within(obj, Window(0, size), capacity, at)
    return found if isinstance(found, int) else wrap.numpy_result(found)


@rules.any_shape(np.delete)
def delete(arr: object, obj: Value, axis: object = None) -> Value:
    """As `numpy.delete`."""
    array, at = operands.flat_unless_axis(arr, axis)
    if not traced_inside(obj) and operands.extents(array)[at] is None:
        kept = np.delete(np.arange(array.shape[at]), obj)
        return operands.with_axis(array, fresh(_in_order(operands.memory(array).atom, at, kept)), at, None)
    if _is_int(obj):
        return _without(array, _place(obj, array.shape[at], at), at)
    kept = _F[np.ones_like](_axis_positions(array, at), dtype=bool)
    kept[_many(obj)] = False
    return array[(*((slice(None),) * at), kept)].__copy__()


def _in_order(value: Atom, at: int, order: np.ndarray, end: int = 0) -> Atom:
    """The elements of an axis at these places: a few runs of them joined, of which none goes on at `end`."""
    is_other = (np.diff(order) != 1) | (order[1:] == end)
    if np.count_nonzero(is_other) >= _FEW_RUNS:
        return compaction.taken(value, at, atoms.literal(order, np.int64))
    runs = np.split(order, np.flatnonzero(is_other) + 1)
    parts = [atoms.cut(value, int(run[0]), int(run[-1]) + 1, at) for run in runs if run.size]
    return atoms.op("concatenate", *parts or [atoms.cut(value, 0, 0, at)], axis=at)


def _without(array: object, place: object, at: int) -> Value:
    """Return the array without the element at an index: those behind it move up by one."""
    value, extents = _left_packed(array, at)
    capacity = max(value.type.shape[at] - 1, 0)
    behind = compaction.shifted(value, at, min(1, value.type.shape[at]), capacity)
    made = _before(place, compaction.resized(value, at, capacity), behind, at)
    return _with_size(made, extents, at, -1)


def _left_packed(array: Value, at: int) -> tuple[Atom, list[Value]]:
    """The elements from the front of an axis on."""
    front = operands.left_packed(array, at)
    return operands.memory(front).atom, operands.extents(front)


def _before(place: Value, value: Atom, other: Atom, at: int) -> Atom:
    """The first value before a place on an axis, the other one from there on."""
    return atoms.select(size_arithmetic.window(value.type.shape, at, 0, place), value, other)


def _with_size(value: Atom, extents: list[Any], at: int, more: int) -> Value:
    """An array whose axis has so many elements more than its extent."""
    if extents[at] is not None:
        extents[at] = Window(
            0, size_arithmetic.limited(size_arithmetic.add(extents[at].size, more), 0, value.type.shape[at])
        )
    return wrap.with_extents(fresh(value), extents)


def _many(obj: object) -> Value:
    """Positions as an index: an empty list, too."""
    if isinstance(obj, (slice, Tracer)):
        return obj
    found = _F[np.array](obj) if traced_inside(obj) else np.asarray(obj)
    return found.astype(np.int64) if not traced_inside(obj) and not found.size else found


@rules.any_shape(np.insert)
def insert(arr: Value, obj: Value, values: Value, axis: Value = None) -> Value:
    """As `numpy.insert`."""
    array, at = operands.flat_unless_axis(arr, axis)
    if not (traced_inside(obj) or has_dynamic_array((array, values))):
        return _at_known_places(array, obj, values, at)
    before, shown = (slice(None),) * at, "{}"
    is_bare = _is_int(obj)
    if not is_bare:
        indices = _several(obj, array, at)
        if indices.shape != (1,):
            return _insert_several(array, indices, values, at)
        obj, shown = indices[0], "[{}]"
    place = _inserted_at(obj, array.shape[at], at, shown)
    new = operands.array(values).astype(array.dtype)
    new = new[(None,) * (array.ndim - new.ndim)] if new.ndim < array.ndim else new
    # Of a number NumPy puts the axis of the values that stands for the new places first.
    new = _F[np.moveaxis](new, 0, at) if is_bare else new
    block = _block(new, array, at, new.shape[at])
    if operands.extents(block)[at] is not None:
        return concatenate([array[(*before, slice(None, place))], block, array[(*before, slice(place, None))]], at)
    value, extents = _left_packed(array, at)
    count = block.shape[at]
    moved = _before(place, compaction.extended(value, at, 0, count), compaction.extended(value, at, count, 0), at)
    starts = [size_arithmetic.atom_of(place if d == at else 0) for d in range(array.ndim)]
    updates = operands.memory(block).atom
    return _with_size(atoms.op("dynamic_update_slice", moved, updates, *starts), extents, at, count)


def _at_known_places(array: TracedArray, obj: Value, values: Value, at: int) -> TracedArray:
    """An array with values put in: all sizes and places are static."""
    new = atom_of(assigned_values.of_elements(values, array.dtype), array.dtype)
    shape, n = array.shape, array.shape[at]
    places = np.arange(n)[obj] if isinstance(obj, slice) else np.asarray(obj)
    count = int(np.count_nonzero(places)) if places.dtype == bool else places.size
    if count == 1:
        new = atoms.reshape(new, (1,) * (len(shape) - len(new.type.shape)) + new.type.shape)
        if places.ndim == 0:
            # Of a number NumPy puts the axis of the values that stands for the new places first.
            new = atom_of(_F[np.moveaxis](fresh(new), 0, at))
        count = new.type.shape[at]
    block = list(shape)
    block[at] = count
    new = atoms.broadcast_to(new, block)
    order = np.insert(np.arange(n), obj, np.arange(n, n + count))
    return fresh(_in_order(concatenate([array, fresh(new)], at).atom, at, order, n))


def _inserted_at(obj: Value, size: Value, at: int, shown: str) -> Value:
    """Where to put something in: from the end of the array, too."""
    index = size_arithmetic.bound_of(obj if isinstance(obj, Tracer) else operator.index(obj))
    text = f"index {shown} is out of bounds for axis {at} with size {{}}"
    wrong = atoms.logical_or(
        atoms.ufunc(np.greater, size_arithmetic.atom_of(index), size_arithmetic.atom_of(size)),
        atoms.ufunc(np.less, size_arithmetic.atom_of(index), atoms.ufunc(np.negative, size_arithmetic.atom_of(size))),
    )
    broadcasting.refuse(wrong, IndexError, text, index, size)
    return size_arithmetic.position(index, size)


def _block(new: Value, array: Value, at: int, count: Value) -> Value:
    """The values, spread over the array's other axes."""
    shape, extents = list(operands.capacity(array)), operands.extents(array)
    extents[at] = operands.extents(new)[at] if new.ndim == array.ndim else None
    shape[at] = count if extents[at] is None else new.capacity[at]
    blank = fresh(atoms.broadcast_to(atoms.literal(np.zeros((), array.dtype)), shape))
    made = wrap.with_extents(blank, extents)
    made[...] = new
    return made


def _several(obj: object, array: object, at: int) -> Value:
    """Positions to insert at, from 0."""
    places = _axis_positions(array, at)[obj] if isinstance(obj, slice) else _many(obj)
    if wrap.is_dynamic_array(places) or places.dtype == bool:
        raise refused("insert", "the number of indices must be static")
    if places.ndim != 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    return places


def _insert_several(array: Value, indices: Value, values: Value, at: int) -> Value:
    (count,), size = indices.shape, array.shape[at]
    index = _F[np.where](indices < 0, indices + size, indices)
    order = _F[np.argsort](index, kind="stable")
    index[order] = index[order] + np.arange(count)
    capacity = _block(operands.array(0)[(None,) * array.ndim], array, at, count)
    made = concatenate([array, capacity], at)
    line = _axis_positions(made, at)
    old = _F[np.ones_like](line, dtype=bool)
    old[index] = False
    before = (slice(None),) * at
    made[(*before, index)] = values
    made[(*before, old)] = array
    return made
