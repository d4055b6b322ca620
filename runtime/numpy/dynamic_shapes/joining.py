"""Joining arrays of which some have a size known only at run time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import handle, one_axis, supported
from anabranch.runtime.numpy.dynamic_shapes.outputs import stored
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import ValidRegion, Window
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


def array_of(x: object) -> Value:
    """The operand as an array, of static or of run-time size."""
    return x if wrap.is_dynamic_array(x) else handle(x)


def arrays_of(given: Value) -> list[Value]:
    """The operands of a function that joins."""
    if wrap.is_dynamic_array(given):
        return [given[i] for i in range(len(given))]
    if not isinstance(given, (list, tuple)):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return [array_of(x) for x in given]


def extents_of(x: Value) -> tuple[ValidRegion | None, ...]:
    """The extents of an array, of static or of run-time size."""
    found: tuple[ValidRegion | None, ...] = x.extents if wrap.is_dynamic_array(x) else (None,) * x.ndim
    return found


@rules.dynamic_shape(np.concatenate)
def concatenate(
    arrays: Value, /, axis: Value = 0, out: Value = None, *, dtype: Value = None, casting: Value = "same_kind"
) -> Value:
    """As `numpy.concatenate`: the capacity of the result is the sum of its parts' capacities."""
    parts = arrays_of(arrays)
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    parts = _cast(parts, dtype, casting)
    if axis is None:
        parts, axis = [FUNCTIONS[np.ravel](p) for p in parts], 0
    if parts[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    at = one_axis(axis, parts[0].ndim)
    _check_dimensions(parts)
    origin = next((p.origin for p in parts if wrap.is_dynamic_array(p)), None)
    rows = [_Part(_atom(p), list(p.shape), list(extents_of(p))) for p in parts]
    for d in range(parts[0].ndim):
        if d != at:
            _agree(rows, d)
    value, extent = _placed(rows, at)
    extents = [extent if d == at else e for d, e in enumerate(rows[0].extents)]
    if out is not None:
        _check_out(out, parts, at)
    return stored(out, wrap.with_extents(wrap.array_of(value), extents, origin))


def _check_out(out: Value, parts: Sequence[Value], at: int) -> None:
    """NumPy's words for an output of another shape."""
    wrong: Atom = atoms.literal(out.ndim != parts[0].ndim)
    for d, n in enumerate(out.shape):
        size: Any = 0
        for p in parts if d == at else parts[:1]:
            size = size_arithmetic.add(size_arithmetic.bound_of(p.shape[d]), size)
        wrong = atoms.logical_or(wrong, broadcasting.differ(size_arithmetic.bound_of(n), size))
    broadcasting.refuse(wrong, ValueError, "Output array is the wrong shape")


def _atom(x: Value) -> Atom:
    atom: Atom = x.memory.atom if wrap.is_dynamic_array(x) else x.atom
    return atom


def _cast(parts: Sequence[Value], dtype: Value, casting: Value) -> list[Value]:
    chosen = np.result_type(*[p.dtype for p in parts]) if dtype is None else supported(dtype)
    for p in parts:
        if dtype is not None and not np.can_cast(p.dtype, chosen, casting):
            raise TypeError(f"Cannot cast array data from {p.dtype!r} to {chosen!r} according to the rule '{casting}'")
    return [p if p.dtype == chosen else p.astype(chosen) for p in parts]


def _check_dimensions(parts: Sequence[Value]) -> None:
    for i, p in enumerate(parts):
        if p.ndim != parts[0].ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{parts[0].ndim} dimension(s) and the array at index {i} has {p.ndim} dimension(s)"
            )


@dataclasses.dataclass(slots=True)
class _Part:
    """An array on its way into the joined one."""

    value: Atom
    shape: list[Any]
    extents: list[ValidRegion | None]

    def front(self, axis: int) -> None:
        """Move the elements to the front of an axis."""
        extent = self.extents[axis]
        if extent is None or (isinstance(extent, Window) and isinstance(extent.start, int) and extent.start == 0):
            return
        moved = wrap.with_extents(wrap.array_of(self.value), self.extents).left_packed(axis)
        self.value, self.extents[axis] = moved.memory.atom, moved.extents[axis]


def _agree(rows: Sequence[_Part], d: int) -> None:
    """Bring the parts to the same places along an axis on which their sizes must be the same."""
    first = rows[0]
    for i, row in enumerate(rows[1:], 1):
        text = (
            "all the input array dimensions except for the concatenation axis must match exactly, but along "
            f"dimension {d}, the array at index 0 has size {{}} and the array at index {i} has size {{}}"
        )
        broadcasting.refuse(
            broadcasting.differ(first.shape[d], row.shape[d]), ValueError, text, first.shape[d], row.shape[d]
        )
    capacities = [row.value.type.shape[d] for row in rows]
    extent = first.extents[d]
    alike = all(row.extents[d] is None if extent is None else extent.same(row.extents[d]) for row in rows)
    if alike and len(set(capacities)) == 1:
        return
    least = min([n for n, row in zip(capacities, rows, strict=True) if row.extents[d] is None] or capacities)
    fixed = any(row.extents[d] is None for row in rows)
    size = first.shape[d]
    for row in rows:
        row.front(d)
        row.value = compaction.resized(row.value, d, least)
        row.extents[d] = None if fixed else Window(0, size_arithmetic.limited(size, 0, least))


def _placed(rows: Sequence[_Part], at: int) -> tuple[Atom, ValidRegion | None]:
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
    return value, Window(0, size_arithmetic.limited(offset, 0, capacity))


@rules.dynamic_shape(np.stack)
def stack(
    arrays: Value, axis: Value = 0, out: Value = None, *, dtype: Value = None, casting: Value = "same_kind"
) -> Value:
    """As `numpy.stack`."""
    parts = arrays_of(arrays)
    first = parts[0]
    text = "all input arrays must have the same shape"
    for p in parts:
        broadcasting.refuse(atoms.literal(p.ndim != first.ndim), ValueError, text)
        for n, m in zip(first.shape, p.shape, strict=True):
            broadcasting.refuse(broadcasting.differ(n, m), ValueError, text)
    return along_new_axis(parts, axis, out, dtype=dtype, casting=casting)


def along_new_axis(
    parts: Sequence[Value], axis: Value, out: Value = None, *, dtype: Value = None, casting: Value = "same_kind"
) -> Value:
    """Arrays that are known to have one shape, along a new axis."""
    at = one_axis(axis, parts[0].ndim + 1)
    wider = [p[(slice(None),) * at + (None,)] for p in parts]
    return concatenate(wider, at, out, dtype=dtype, casting=casting)
