"""`a[key]` and `a[key] = value`: NumPy's basic and advanced indexing on traced arrays.

Basic parts (integers, slices, `...`, `None`) make a view: a chain of `views` steps. Integer arrays gather and scatter.
An index known only at run time is checked against the axis unless its interval already shows that it fits.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from anabranch.runtime import array as device
from anabranch.runtime.config import settings
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.ir import Atom, Literal
from anabranch.runtime.values import arithmetic, atoms, checks, python_conversions, strides, views, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.interval import FULL, Interval
from anabranch.runtime.values.python_scalar import PythonScalar
from anabranch.runtime.values.specialising import wanting
from anabranch.runtime.values.traced import Traced

if TYPE_CHECKING:
    from anabranch.runtime.values.array import Array


@dataclasses.dataclass(slots=True)
class _Plan:
    """A key taken apart: one slice for each axis, then the axes that go, the new ones, and the advanced indices."""

    slices: list[views.AxisSlice]
    dropped: list[int]  # axes of the base indexed by an integer
    shape: list[int]  # the view's shape
    advanced: list[tuple[int, Any]]  # (axis of the view, index array operand)
    adjacent: bool  # whether the advanced indices stand side by side in the key


def get(array: Array, key: Any) -> Any:
    """`array[key]`: a view for basic keys, a NumPy scalar when all axes are indexed, a new array for index arrays."""
    key = _known(key)
    mask = _as_mask(array, key)
    if mask is not None:
        raise UnsupportedOperationError(
            "a[mask] has a size that is known only at run time; use np.where(mask, a, ...) or a reduction's where="
        )
    plan = _plan(array, key)
    view = _view(array, plan)
    if plan.advanced:
        made = wrap.array_of(_gather(view, plan))
        # NumPy puts the axes of the indices first in memory, wherever they are in the result.
        first = len(plan.slices) == 1 or (plan.adjacent and plan.advanced[0][0] == 0)
        return made if first and strides.plain(array) else strides.forget_order(made, (array.T,))
    if len(plan.dropped) == array.ndim and not plan.shape and not _has_ellipsis(key):
        return wrap.numpy_result(view.atom)
    return view


def set(array: Array, key: Any, value: Any) -> None:
    """`array[key] = value`."""
    key = _known(key)
    mask = _as_mask(array, key)
    if mask is not None:
        _set_mask(array, mask, value)
        return
    plan = _plan(array, key)
    view = _view(array, plan)
    if plan.advanced:
        _scatter(view, plan, value)
    elif len(plan.dropped) == array.ndim and not plan.shape and not _has_ellipsis(key):
        view.assign(_element(value, array.dtype))
    else:
        view.assign(value)


def assigned(value: Any, dtype: np.dtype[Any]) -> Any:
    """What is assigned to elements of a dtype: a Python number is converted as `int` and `float` do it, or raise."""
    wanted = {"i": int, "u": int, "f": float}.get(dtype.kind)
    if wanted is None or not isinstance(value, PythonScalar) or value.abstract.python in (bool, int, wanted):
        return value
    return python_conversions.to_kind(value, wanted)


def _element(value: Any, dtype: np.dtype[Any]) -> Any:
    """What is assigned to a single element: a number; of sequences only bool() makes one."""
    if dtype == np.bool_ and isinstance(value, (list, tuple)):
        return bool(value)
    shape = () if isinstance(value, (list, tuple)) else wrap.shape_of(value)
    if isinstance(value, (list, tuple)) or (shape and not (dtype == np.bool_ and math.prod(shape) == 1)):
        raise ValueError("setting an array element with a sequence.")
    return value


def _has_ellipsis(key: Any) -> bool:
    return key is Ellipsis or (isinstance(key, tuple) and any(k is Ellipsis for k in key))


# ---- taking a key apart ----------------------------------------------------------------------------------------------


def _is_bool_array(k: Any) -> bool:
    if isinstance(k, Traced):
        return bool(k.abstract.dtype == np.bool_)
    return isinstance(k, (bool, np.bool_)) or (isinstance(k, np.ndarray) and k.dtype == np.bool_)


def _known(key: Any) -> Any:
    """The key with masks that are known while tracing as plain ones, so that what they select has a static size."""
    if isinstance(key, tuple):
        return tuple(map(_known, key))
    if isinstance(key, device.Array):
        key = wrap.numpy_operand(key)
    if isinstance(key, Traced) and key.abstract.dtype == np.bool_ and key.abstract.shape:
        atom = wrap.as_atom(key)
        return atom.value if isinstance(atom, Literal) else key
    return key


def _as_mask(array: Array, key: Any) -> Any:
    """The key, when it is one run-time boolean mask over leading axes; None otherwise."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if isinstance(key, Traced) and _is_bool_array(key):
        shape = key.abstract.shape
        if key.abstract.shape != array.shape[: len(shape)]:
            axis = next((i for i, n in enumerate(shape) if i >= array.ndim or n != array.shape[i]), 0)
            size = array.shape[axis] if axis < array.ndim else 0
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {size} "
                f"but size of corresponding boolean axis is {shape[axis] if shape else 1}"
            )
        return key
    return None


def _normalise(array: Array, key: Any) -> list[Any]:
    """The key as a list with one entry an axis (or None for a new one), `...` filled in."""
    entries = list(key) if isinstance(key, tuple) else [key]
    expanded: list[Any] = []
    for k in entries:
        if isinstance(k, list):
            k = np.asarray(k, dtype=None if k else np.intp) if not _holds_traced(k) else wrap.numpy_operand(k)
        if isinstance(k, Traced) and _is_bool_array(k):
            raise UnsupportedOperationError(
                "a run-time boolean mask beside other indices gives a size known only at run time"
            )
        if isinstance(k, (bool, np.bool_)) or (isinstance(k, np.ndarray) and k.dtype == np.bool_):
            expanded += _static_mask(array, k, len([e for e in expanded if e is not None]))
        else:
            expanded.append(k)
    used = sum(k is not None and k is not Ellipsis for k in expanded)
    if used > array.ndim:
        raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {used} were indexed")
    gaps = [i for i, k in enumerate(expanded) if k is Ellipsis]
    if len(gaps) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = gaps[0] if gaps else len(expanded)
    tail = expanded[at + 1 :] if gaps else []
    return expanded[:at] + [slice(None)] * (array.ndim - used) + tail


def _holds_traced(items: Any) -> bool:
    return any(_holds_traced(i) if isinstance(i, (list, tuple)) else isinstance(i, Traced) for i in items)


def _static_mask(array: Array, mask: Any, axis: int) -> list[Any]:
    mask = np.asarray(mask)
    if mask.ndim == 0:
        raise UnsupportedOperationError("a[True] and a[False] are not supported; use a[None] or a[:0]")
    if mask.shape != array.shape[axis : axis + mask.ndim]:
        raise IndexError(
            f"boolean index did not match indexed array along axis {axis}; size of axis is "
            f"{array.shape[axis]} but size of corresponding boolean axis is {mask.shape[0]}"
        )
    return list(mask.nonzero())


def _plan(array: Array, key: Any) -> _Plan:
    plan = _Plan([], [], [], [], True)
    entries = _normalise(array, key)
    fancy = any(_is_index_array(k) for k in entries)
    axis, positions = 0, []
    for place, k in enumerate(entries):
        if k is None:
            plan.shape.append(1)
            continue
        size = array.shape[axis]
        if isinstance(k, slice):
            part = _slice(k, size)
            plan.slices.append(part)
            plan.shape.append(part.size)
        elif fancy:
            plan.slices.append(views.AxisSlice(0, size))
            plan.advanced.append((len(plan.shape), _index_operand(k)))
            plan.shape.append(size)
            positions.append(place)
        else:
            plan.slices.append(views.AxisSlice(integer(k, size, axis), 1))
            plan.dropped.append(axis)
        axis += 1
    if positions:
        plan.adjacent = positions[-1] - positions[0] == len(positions) - 1
    return plan


def _is_index_array(k: Any) -> bool:
    return (isinstance(k, Traced) and k.abstract.kind is Kind.ARRAY and k.abstract.shape != ()) or (
        isinstance(k, np.ndarray) and k.ndim > 0
    )


def _index_operand(k: Any) -> Any:
    operand = wrap.numpy_operand(k)
    dtype = operand.abstract.dtype if isinstance(operand, Traced) else np.asarray(operand).dtype
    if dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return operand


def integer(k: Any, size: int, axis: int) -> int | Atom:
    """An integer index of an axis as a position from 0; raises, now or at run time, where it is out of bounds."""
    if not isinstance(k, Traced):
        try:
            index = k.__index__()
        except AttributeError:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
                "arrays are valid indices"
            ) from None
        if not -size <= index < size:
            raise IndexError(_out_of_bounds(index, axis, size))
        return int(index + size if index < 0 else index)
    if k.abstract.dtype.kind not in "iu" or k.abstract.shape != ():
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
            "arrays are valid indices"
        )
    known = k.interval if isinstance(k, PythonScalar) else FULL
    atom = atoms.convert(wrap.as_atom(k), np.int64)
    if isinstance(atom, Literal):
        return integer(int(atom.value), size, axis)
    return _checked(atom, known, size, axis)


def _out_of_bounds(index: int | str, axis: int, size: int) -> str:
    return f"index {index} is out of bounds for axis {axis} with size {size}"


def _checked(atom: Atom, known: Interval, size: int, axis: int) -> Atom:
    """Negative positions counted from the end, and the check, each only where the interval asks for it."""
    shape = atom.type.shape
    low, high = (atoms.broadcast_to(atoms.literal(n, np.int64), shape) for n in (-size, size))
    bad: list[Atom] = []
    if settings().checks and atom.type.size:
        if known.high >= size:
            bad.append(atoms.ufunc(np.greater_equal, atom, high))
        if known.low < -size:
            bad.append(atoms.ufunc(np.less, atom, low))
    if bad:
        out = bad[0] if len(bad) == 1 else atoms.logical_or(*bad)
        first = atom
        if shape:
            where = atoms.op("argmax", atoms.reshape(out, (math.prod(shape),)), axis=0)
            first = atoms.op("dynamic_slice", atoms.reshape(atom, (math.prod(shape),)), where, sizes=(1,))
            first = atoms.reshape(first, ())
            out = atoms.op("reduce_any", out, axes=tuple(range(len(shape))))
        checks.fail_if(out, checks.Telling(IndexError, _out_of_bounds("{}", axis, size)), first)
    if known.low >= 0:
        return atom
    negative = atoms.ufunc(np.less, atom, atoms.broadcast_to(atoms.literal(0, np.int64), shape))
    return atoms.select(negative, atoms.ufunc(np.add, atom, high), atom)


# ---- slices ----------------------------------------------------------------------------------------------------------


def _slice(k: slice, size: int) -> views.AxisSlice:
    parts = (k.start, k.stop, k.step)
    if not any(isinstance(p, Traced) for p in parts):
        start, stop, step = k.indices(size)
        return views.AxisSlice(start, len(range(start, stop, step)), step)
    return _traced_slice(k, size)


def _traced_slice(k: slice, size: int) -> views.AxisSlice:
    """`a[i:i + 2]`: a static length at a run-time offset, where the whole slice lies inside the axis."""
    length = k.stop - k.start if k.start is not None and k.stop is not None else None
    length = 0 if isinstance(length, int) and length < 0 else length
    if isinstance(k.step, Traced) or k.step not in (None, 1) or not isinstance(length, (int, np.integer)):
        error = ConcretizationError(
            "a slice whose length is known only at run time is not supported; give both bounds with a static "
            "distance (a[i:i + 2]), make the bound static, or use a mask"
        )
        for part in (k.start, k.stop, k.step):
            wanting(error, part, "a slice's length")
        raise error
    length = min(int(length), size)
    start = k.start if isinstance(k.start, PythonScalar) else None
    known = start.interval if start is not None else FULL
    atom = atoms.convert(wrap.as_atom(k.start), np.int64)
    if known.low < 0 or known.high > size - length:
        outside = atoms.logical_or(
            atoms.ufunc(np.less, atom, atoms.literal(0, np.int64)),
            atoms.ufunc(np.greater, atom, atoms.literal(size - length, np.int64)),
        )
        message = (
            f"a slice of run-time start and length {length} reaches outside of an axis of size {size}, "
            "so that its length changes; this is not supported"
        )
        checks.fail_if(outside, lambda _: UnsupportedOperationError(message))
    return views.AxisSlice(atom, length)


def basic(array: Any, key: Any) -> tuple[tuple[views.AxisSlice, ...], tuple[int, ...]]:
    """The slice of each axis and the shape that a key without index arrays gives for anything that has a shape.

    Raises
    ------
    IndexError
        As NumPy.
    """
    plan = _plan(array, key)
    return tuple(plan.slices), tuple(plan.shape)


def _view(array: Array, plan: _Plan) -> Array:
    """The basic part of the key, as a view."""
    steps: list[views.Step] = []
    whole = all(
        isinstance(a.start, int) and a.start == 0 and a.stride == 1 and a.size == n
        for a, n in zip(plan.slices, array.shape, strict=True)
    )
    if not whole:
        steps += _slices(plan.slices, array.shape)
    sliced = tuple(a.size for a in plan.slices)
    if tuple(plan.shape) != sliced:
        steps.append(views.Reshape(tuple(plan.shape)))
    return array.viewed(*steps)


def _slices(parts: list[views.AxisSlice], shape: tuple[int, ...]) -> list[views.Step]:
    """One step, or two where strides stand beside run-time positions."""
    moving = [not isinstance(a.start, int) for a in parts]
    if not any(moving) or all(a.stride == 1 for a in parts):
        return [views.Slice(tuple(parts))]
    fixed = [views.AxisSlice(0, n) if moves else a for a, moves, n in zip(parts, moving, shape, strict=True)]
    rest = [a if moves else views.AxisSlice(0, a.size) for a, moves in zip(parts, moving, strict=True)]
    return [views.Slice(tuple(fixed)), views.Slice(tuple(rest))]


# ---- index arrays and masks ------------------------------------------------------------------------------------------


def _advanced(view: Array, plan: _Plan) -> tuple[tuple[int, ...], Atom, tuple[int, ...], int]:
    """(axes with the indexed ones first, stacked positions, shape of the indices, where the result puts it)."""
    operands = [k for _, k in plan.advanced]
    shape = arithmetic.broadcast_shapes(*(wrap.shape_of(k) for k in operands))
    columns = []
    for axis, k in plan.advanced:
        atom = wrap.as_atom(k, np.int64)
        if isinstance(atom, Literal):
            position: Atom = _static_positions(atom, view.shape[axis], axis)
        else:
            known = k.interval if isinstance(k, PythonScalar) else FULL
            position = _checked(atom, known, view.shape[axis], axis)
        columns.append(atoms.reshape(atoms.broadcast_to(position, shape), (*shape, 1)))
    indexed = [axis for axis, _ in plan.advanced]
    order = (*indexed, *(i for i in range(view.ndim) if i not in indexed))
    stacked = columns[0] if len(columns) == 1 else atoms.op("concatenate", *columns, axis=len(shape))
    return order, stacked, shape, indexed[0] if plan.adjacent else 0


def _static_positions(atom: Literal, size: int, axis: int) -> Literal:
    value = atom.value
    bad = value[(value < -size) | (value >= size)]
    if bad.size:
        raise IndexError(_out_of_bounds(int(bad.flat[0]), axis, size))
    return atoms.literal(np.where(value < 0, value + size, value), np.int64)


def _result_order(rank: int, block: int, at: int) -> tuple[int, ...]:
    """The permutation that moves the first `block` axes to stand from axis `at` on."""
    rest = list(range(block, rank))
    return tuple(rest[:at] + list(range(block)) + rest[at:])


def _gather(view: Array, plan: _Plan) -> Atom:
    order, positions, shape, at = _advanced(view, plan)
    result = atoms.op("gather", atoms.transpose(view.atom, order), positions)
    return atoms.transpose(result, _result_order(len(result.type.shape), len(shape), at))


def _scatter(view: Array, plan: _Plan, value: Any) -> None:
    order, positions, shape, at = _advanced(view, plan)
    rest = [view.shape[i] for i in order[len(plan.advanced) :]]
    rank = len(shape) + len(rest)
    permutation = _result_order(rank, len(shape), at)
    blocks = (*shape, *rest)
    atom = wrap.as_atom(wrap.numpy_operand(assigned(value, view.dtype)), view.dtype)
    try:
        atom = atoms.broadcast_to(_drop_leading_ones(atom, rank), [blocks[i] for i in permutation])
    except ValueError:
        wanted = tuple(blocks[i] for i in permutation)
        raise ValueError(
            f"shape mismatch: value array of shape {atom.type.shape} could not be broadcast "
            f"to indexing result of shape {wanted}"
        ) from None
    updates = atoms.transpose(atom, tuple(int(i) for i in np.argsort(permutation)))
    base = atoms.transpose(view.atom, order)
    written = atoms.op("scatter", base, positions, updates, combine="set")
    view.set(atoms.transpose(written, tuple(int(i) for i in np.argsort(order))))


def _drop_leading_ones(atom: Atom, rank: int) -> Atom:
    shape = atom.type.shape
    while len(shape) > rank and shape[0] == 1:
        shape = shape[1:]
    return atoms.reshape(atom, shape)


def _set_mask(array: Array, mask: Any, value: Any) -> None:
    """`a[mask] = value`, where the value does not depend on how many elements the mask selects."""
    operand = wrap.numpy_operand(assigned(value, array.dtype))
    tail = array.shape[len(mask.abstract.shape) :]
    shape = wrap.shape_of(operand)
    if len(shape) > len(tail):
        raise UnsupportedOperationError(
            "a[mask] = values takes one value for each selected element, whose number is known only at run time; "
            "use np.where(mask, values_of_full_shape, a)"
        )
    new = atoms.broadcast_to(wrap.as_atom(operand, array.dtype), array.shape)
    pred = atoms.reshape(wrap.as_atom(mask), mask.abstract.shape + (1,) * len(tail))
    array.set(atoms.select(atoms.broadcast_to(pred, array.shape), new, array.atom))
