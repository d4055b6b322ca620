"""Joining and splitting arrays."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import dtype_of, fresh, one_axis, operand, supported
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.outputs import written
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.source_frames import Position
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_lists import splitting_source
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion, Window

rules = Rules()

_F = registry.FUNCTIONS


def _items(arrays: Value) -> list[Value]:
    if isinstance(arrays, TracedArray) or wrap.is_dynamic_array(arrays):
        return [arrays[i] for i in range(len(arrays))]
    if not isinstance(arrays, (list, tuple)):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return [operand(a) for a in arrays]


def _parts_of(items: Sequence[Value], dtype: Value, casting: Value, verb: str) -> list[Operand]:
    """The operands in their common dtype."""
    if not items:
        raise ValueError(f"need at least one array to {verb}")
    # Arrays are joined, so Python scalars are not weak here.
    chosen = np.result_type(*map(dtype_of, items)) if dtype is None else supported(dtype)
    parts = list(map(Operand.of, items))
    for part in parts:
        source = part.value.type.dtype
        if dtype is not None and not np.can_cast(source, chosen, casting):
            raise TypeError(f"Cannot cast array data from {source!r} to {chosen!r} according to the rule '{casting}'")
        part.value = atoms.convert(part.value, chosen)
    return parts


@rules.any_shape(np.concatenate)
def concatenate(
    arrays: Value, /, axis: Value = 0, out: Value = None, *, dtype: Value = None, casting: Value = "same_kind"
) -> Value:
    """As `numpy.concatenate`: the capacity of the result is the sum of its parts' capacities."""
    items = _items(arrays)
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    if axis is None:
        items, axis = list(map(operands.flat, items)), 0
    parts = _parts_of(items, dtype, casting, "concatenate")
    ndim = parts[0].ndim
    if ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    return _joined(parts, one_axis(axis, ndim), out, operands.origin(*items))


@rules.any_shape(np.stack)
def stack(
    arrays: Value, axis: Value = 0, out: Value = None, *, dtype: Value = None, casting: Value = "same_kind"
) -> Value:
    """As `numpy.stack`."""
    items = _items(arrays)
    parts = _parts_of(items, dtype, casting, "stack")
    first, text = parts[0], "all input arrays must have the same shape"
    at = one_axis(axis, first.ndim + 1)
    for part in parts[1:]:
        if part.ndim != first.ndim:
            raise ValueError(text)
        for n, m in zip(first.shape, part.shape, strict=True):
            if not operands.are_same(n, m):
                broadcasting.refuse(broadcasting.differ(n, m), ValueError, text)
    for part in parts:
        part.widen(at)
    return _joined(parts, at, out, operands.origin(*items))


def _joined(parts: Sequence[Operand], at: int, out: Value, origin: Position | None) -> Value:
    """The parts one behind the other along an axis; `out`, if given, after it was written."""
    ndim = parts[0].ndim
    for i, part in enumerate(parts):
        if part.ndim != ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{ndim} dimension(s) and the array at index {i} has {part.ndim} dimension(s)"
            )
    for d in range(ndim):
        if d != at:
            _agree(parts, d)
    if out is not None:
        _check_out(out, parts, at)
    value, extent = _placed(parts, at)
    extents = [extent if d == at else e for d, e in enumerate(parts[0].extents)]
    return written(out, wrap.with_extents(fresh(value), extents, origin), "same_kind")


def _check_out(out: Value, parts: Sequence[Operand], at: int) -> None:
    """NumPy's words for an output of another shape."""
    wrong: Atom = atoms.literal(out.ndim != parts[0].ndim)
    for d, n in enumerate(out.shape):
        size: Any = 0
        for p in parts if d == at else parts[:1]:
            size = size_arithmetic.add(size_arithmetic.bound_of(p.shape[d]), size)
        wrong = atoms.logical_or(wrong, broadcasting.differ(size_arithmetic.bound_of(n), size))
    broadcasting.refuse(wrong, ValueError, "Output array is the wrong shape")


def _agree(rows: Sequence[Operand], d: int) -> None:
    """Bring the parts to the same places along an axis on which their sizes must be the same."""
    first = rows[0]
    for i, row in enumerate(rows[1:], 1):
        if operands.are_same(first.shape[d], row.shape[d]):
            continue
        text = (
            "all the input array dimensions except for the concatenation axis must match exactly, but along "
            f"dimension {d}, the array at index 0 has size {{}} and the array at index {i} has size {{}}"
        )
        broadcasting.refuse(
            broadcasting.differ(first.shape[d], row.shape[d]), ValueError, text, first.shape[d], row.shape[d]
        )
    operands.align([(row, d) for row in rows])


def _placed(rows: Sequence[Operand], at: int) -> tuple[Atom, ValidRegion | None]:
    """The parts one behind the other, and which places of the axis they take."""
    if not any(row.extents[at] for row in rows):
        values = [row.value for row in rows]
        return values[0] if len(values) == 1 else atoms.op("concatenate", *values, axis=at), None
    for row in rows:
        row.front(at)
    capacity = sum(row.value.type.shape[at] for row in rows)
    value, offset = compaction.resized(rows[0].value, at, capacity), rows[0].shape[at]
    for row in rows[1:]:
        # What a part has beyond its elements is overwritten by the next one, or lies behind the last.
        starts = [size_arithmetic.atom_of(offset if d == at else 0) for d in range(len(row.shape))]
        value = atoms.op("dynamic_update_slice", value, row.value, *starts)
        offset = size_arithmetic.add(size_arithmetic.bound_of(offset), size_arithmetic.bound_of(row.shape[at]))
    if isinstance(offset, int):  # as of a[k:] and a[:k]
        return compaction.resized(value, at, offset), None
    return value, Window(0, size_arithmetic.limited(offset, 0, capacity))


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


def _parts(array: Value, places: Sequence[Value], at: int) -> list[Value]:
    before = (slice(None),) * at
    return [array[(*before, slice(low, high))] for low, high in itertools.pairwise(places)]


def _is_open(x: object) -> bool:
    """Return whether a sequence has a length known only at run time."""
    return wrap.is_dynamic_array(x) or is_dynamic_list(x)


def _is_list(x: object) -> bool:
    return _is_open(x) or isinstance(x, (list, tuple)) or len(wrap.shape_of(x)) > 0


@rules.any_shape(np.array_split)
def array_split(ary: Value, indices_or_sections: Value, axis: Value = 0) -> list[Value]:
    """As `numpy.array_split`: views; the places, and how many there are, may be known only at run time."""
    array = operands.array(ary)
    at = tuple(range(array.ndim))[axis]  # NumPy reads the shape there, and raises what a tuple does
    if _is_open(indices_or_sections):
        trace, before = current().trace, (slice(None),) * at
        trace.lists.demand_growth()
        made: list[Value] = trace.outside.called(splitting_source.parts)(
            lambda low, high: array[(*before, slice(low, high))], indices_or_sections
        )
        return made
    if _is_list(indices_or_sections):
        return _parts(array, [0, *indices_or_sections, None], at)
    sections = operator.index(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, extras = divmod(array.shape[at], sections)
    return _parts(array, [i * each + _lesser(i, extras) for i in range(sections + 1)], at)


def _lesser(i: int, extras: Value) -> Value:
    """`min(i, extras)`."""
    return extras + (i - extras) * (i < extras)


@rules.any_shape(np.split)
def split(ary: Value, indices_or_sections: Value, axis: Value = 0) -> list[Value]:
    """As `numpy.split`: views."""
    array = operands.array(ary)
    if not _is_list(indices_or_sections):
        rest = array.shape[axis] % operator.index(indices_or_sections)
        broadcasting.refuse(
            broadcasting.differ(rest, 0), ValueError, "array split does not result in an equal division"
        )
    return array_split(array, indices_or_sections, axis)
