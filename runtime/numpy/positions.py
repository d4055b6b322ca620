"""Elements by position: positions as NumPy's modes take them, elements taken at them, positions in flat arrays."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    broadcast_atoms,
    fresh,
    iota,
    one_axis,
    result,
    shape_argument,
    zeros_atom,
)
from anabranch.runtime.numpy.operands import Operand
from anabranch.runtime.numpy.outputs import written
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays import index_checks
from anabranch.runtime.values.arrays.index_numbers import check_integer
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.dynamic_shapes.valid_region import Window
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.tracer import Tracer

rules = Rules()


def positions(indices: object, size: int, mode: object, axis: int | None = None) -> Atom:
    """Index values as positions from 0, by `mode`; out of range raises `IndexError` in mode 'raise'."""
    index = _integers(atom_of(indices))
    return _checked(index, size, axis) if mode == "raise" else _brought_within(index, size, mode)


def positions_of(index: Atom, size: Bound, mode: object, axis: int, valid: Atom | None) -> Atom:
    """The same in an axis whose size may be known only at run time; only where `valid` holds they are checked."""
    line = _integers(index)
    if mode != "raise":
        return _brought_within(line, size, mode)
    if not isinstance(size, int):
        return index_checks.within(line, Window(0, size), size_arithmetic.interval_of(size).high, axis, valid)
    return _checked(line, size, axis) if valid is None else index_checks.checked(line, FULL, size, axis, valid)


def _integers(index: Atom) -> Atom:
    if index.type.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {index.type.dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    return atoms.convert(index, np.int64)


def _brought_within(index: Atom, size: Bound, mode: object) -> Atom:
    least, shape = size_arithmetic.maximum(size, 1), index.type.shape
    if mode == "clip":
        low, high = zeros_atom(shape, np.int64), _everywhere(size_arithmetic.add(least, -1), shape)
        return atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, index, low), high)
    if mode != "wrap":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    return atoms.ufunc(np.remainder, index, _everywhere(least, shape))


def _everywhere(size: Bound, shape: tuple[int, ...]) -> Atom:
    return atoms.broadcast_to(size_arithmetic.atom_of(size), shape)


def _checked(index: Atom, size: int, axis: int | None) -> Atom:
    where_ = f"axis {axis} with " if axis is not None else ""
    text = f"index {{}} is out of bounds for {where_}size {size}"
    refuse_outside(index, -size, size, run_time_checks.IntMessage(IndexError, text))
    shape = index.type.shape
    negative = atoms.ufunc(np.less, index, zeros_atom(shape, np.int64))
    return atoms.select(negative, atoms.ufunc(np.add, index, zeros_atom(shape, np.int64, size)), index)


def refuse_outside(index: Atom, low: int, high: Bound, error: Callable[..., BaseException]) -> None:
    """Raise for the first index that is not in [low, high): `error(index)`, with a `high` known only at run time."""
    if isinstance(index, Literal) and isinstance(high, int):
        bad = index.value[(index.value < low) | (index.value >= high)]
        if bad.size:
            raise error(int(bad.flat[0]))
        return
    if not settings().checks or not index.type.size:
        return
    flat = atoms.reshape(index, (index.type.size,))
    least, limit = (_everywhere(n, flat.type.shape) for n in (low, high))
    outside = atoms.logical_or(atoms.ufunc(np.greater_equal, flat, limit), atoms.ufunc(np.less, flat, least))
    first = atoms.op("gather", flat, atoms.reshape(atoms.op("argmax", outside, axis=0), (1,)))
    size = () if isinstance(high, int) else (size_arithmetic.atom_of(high),)
    run_time_checks.fail_if(atoms.op("reduce_any", outside, axes=(0,)), error, first, *size)


@rules.method("take")
@rules.any_shape(np.take)
def take(a: object, indices: object, axis: object = None, out: Value = None, mode: object = "raise") -> Value:
    """As `numpy.take`."""
    x = operands.array(a)
    if axis is not None and not x.ndim:
        one_axis(axis, 1)
    if axis is None or not x.ndim:
        x, axis = operands.flat(x), 0
    whole, index, at = Operand.of(x), Operand.of(indices), one_axis(axis, x.ndim)
    _refuse_empty(whole, index, at)
    if out is not None and not np.can_cast(out.dtype, x.dtype, "safe"):
        # NumPy works on a copy of the output in the array's dtype.
        raise TypeError(f"Cannot cast array data from {out.dtype!r} to {x.dtype!r} according to the rule 'safe'")
    if mode == "raise" and any(operands.are_same(n, 0) for n in whole.shape[:at]):
        mode = "clip"  # NumPy, too, looks at no index
    whole.front(at)
    value = compaction.taken(whole.value, at, positions_of(index.value, whole.shape[at], mode, at, index.valid()))
    extents = [*whole.extents[:at], *index.extents, *whole.extents[at + 1 :]]
    return written(out, wrap.with_extents(wrap.numpy_result(value), extents, operands.origin(x, indices)))


def _refuse_empty(whole: Operand, index: Operand, at: int) -> None:
    """Raise where elements are taken of an axis that has none."""
    size = whole.shape[at]
    if size_arithmetic.interval_of(size).low > 0:
        return
    others: Any = math.prod([*index.shape, *whole.shape[:at], *whole.shape[at + 1 :]])
    some = broadcasting.differ(size_arithmetic.bound_of(others), 0)
    nothing = atoms.logical_not(broadcasting.differ(size, 0))
    broadcasting.refuse(atoms.logical_and(nothing, some), IndexError, "cannot do a non-empty take from an empty axes.")


def full_positions(array: object, indices: object, axis: object) -> tuple[Atom, Atom, int]:
    """The array (flat for axis None), full positions of each element, and the axis."""
    value, index = atom_of(array), atom_of(indices)
    if axis is None:
        if len(index.type.shape) != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        value, axis = atoms.reshape(value, (value.type.size,)), 0
    at = one_axis(axis, len(value.type.shape))
    if index.type.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if len(index.type.shape) != len(value.type.shape):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    sizes = value.type.shape
    shape = np.broadcast_shapes(index.type.shape, (*sizes[:at], 1, *sizes[at + 1 :]))
    index = atoms.broadcast_to(positions(fresh(index), value.type.shape[at], "raise", at), shape)
    columns = [
        index if i == at else zeros_atom(shape, np.int64) if n == 1 else iota(shape, i) for i, n in enumerate(sizes)
    ]
    parts = [atoms.reshape(c, (*shape, 1)) for c in columns]
    return value, parts[0] if len(parts) == 1 else atoms.op("concatenate", *parts, axis=len(shape)), at


@rules.implements(np.take_along_axis)
def take_along_axis(arr: object, indices: object, axis: object = -1) -> TracedArray:
    """As `numpy.take_along_axis`."""
    value, full, _ = full_positions(arr, indices, axis)
    return fresh(atoms.op("gather", value, full))


# ---- flat positions --------------------------------------------------------------------------------------------------


def _fortran(order: object) -> bool:
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return bool(order == "F")


@rules.implements(np.unravel_index)
def unravel_index(indices: object, shape: object, order: object = "C") -> Value:
    """As `numpy.unravel_index`."""
    sizes = _dimensions(shape)
    if _fortran(order):
        return _unravelled(indices, sizes[::-1])[::-1]
    return _unravelled(indices, sizes)


def _dimensions(shape: object) -> tuple[Bound, ...]:
    """A shape argument that makes no array of that shape: its sizes may be known only at run time."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    if not any(isinstance(n, Tracer) and n.abstract.shape == () for n in sizes):
        return shape_argument(shape)
    for n in sizes:
        if isinstance(n, Tracer):
            check_integer(n)
    return tuple(size_arithmetic.bound_of(n) if isinstance(n, Tracer) else shape_argument(n)[0] for n in sizes)


def _unravelled(indices: object, sizes: tuple[Bound, ...]) -> Value:
    index = atom_of(indices)
    if index.type.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    index = atoms.convert(index, np.int64)
    total: Bound = functools.reduce(operator.mul, sizes, 1)
    message = f"index {{}} is out of bounds for array with size {total if isinstance(total, int) else '{}'}"
    refuse_outside(index, 0, total, run_time_checks.IntMessage(ValueError, message))
    for size in sizes:
        if size_arithmetic.interval_of(size).low < 0:  # two of them make a size that NumPy takes
            wrong = atoms.ufunc(np.less, size_arithmetic.atom_of(size), atoms.literal(0, np.int64))
            run_time_checks.fail_if(wrong, lambda _: ValueError("negative dimensions are not allowed"))
    columns = []
    for size in reversed(sizes):
        n = _everywhere(size_arithmetic.maximum(size, 1), index.type.shape)
        columns.append(_column(wrap.numpy_result(atoms.ufunc(np.remainder, index, n)), len(sizes)))
        index = atoms.ufunc(np.floor_divide, index, n)
    return tuple(reversed(columns))


def _column(made: Value, count: int) -> Value:
    """The result, which in NumPy is one column of an array of so many."""
    if isinstance(made, TracedArray) and count > 1:
        model = memory_layout.contiguous_model(made.shape, made.dtype)
        made.storage.strides = tuple(s * count for s in model.strides)
    return made


@rules.implements(np.ravel_multi_index)
def ravel_multi_index(multi_index: Value, dims: Value, mode: Value = "raise", order: Value = "C") -> Value:
    """As `numpy.ravel_multi_index`."""
    sizes = shape_argument(dims)
    items = [multi_index[i] for i in range(len(multi_index))]
    if _fortran(order):
        how = mode[::-1] if isinstance(mode, tuple) else mode
        return ravel_multi_index(items[::-1], sizes[::-1], how)
    if len(items) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    modes = mode if isinstance(mode, tuple) else (mode,) * len(sizes)
    parts = [atoms.convert(v, np.int64) for v in broadcast_atoms(*items)]
    total = zeros_atom(parts[0].type.shape, np.int64)
    for part, size, how in zip(parts, sizes, modes, strict=True):
        if how == "raise":
            refuse_outside(part, 0, size, run_time_checks.IntMessage(ValueError, "invalid entry in coordinates array"))
        else:
            part = positions(fresh(part), size, how)
        scaled = atoms.ufunc(np.multiply, total, zeros_atom(part.type.shape, np.int64, size))
        total = atoms.ufunc(np.add, scaled, part)
    return result(total)
