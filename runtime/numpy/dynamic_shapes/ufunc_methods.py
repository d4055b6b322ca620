"""Methods of ufuncs on arrays whose size is known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, ufunc_reductions
from anabranch.runtime.numpy.core import atom_of, fresh, handle, one_axis
from anabranch.runtime.numpy.outputs import stored
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS


def reduceat(staged: Any, x: Value, indices: Value, axis: Value, dtype: Value, out: Value) -> Value:
    """As `ufunc.reduceat`."""
    array, starts = operands.array(x), operands.array(indices)
    at = one_axis(axis, array.ndim)
    idle = ufunc_reductions.neutral(staged.ufunc, array.dtype)
    if idle is None or (staged.ufunc in (np.add, np.multiply) and array.dtype.kind == "b"):
        return next(v for v in (array, starts) if wrap.is_dynamic_array(v))._needs_size(
            f"{staged.ufunc.__name__}.reduceat()"
        )
    size = array.shape[at]
    _check_starts(staged.ufunc, starts, size)
    line = operands.left_packed(array, at)
    value = FUNCTIONS[np.asarray](fresh(operands.padded(line, idle)))
    if not value.shape[at]:
        return stored(out, line)
    front = operands.left_packed(starts)
    place = FUNCTIONS[np.asarray](operands.memory(front)).astype(np.int64)
    # An invalid start ends the segment before it.
    there = fresh(operands.valid(front))
    made = _segments(staged, value, FUNCTIONS[np.where](there, place, size), at, dtype)
    extents = operands.extents(line)
    extents[at] = operands.extents(front)[0]
    return stored(out, wrap.with_extents(made, extents) if any(extents) else made)


def _segments(staged: Any, value: Value, starts: Value, at: int, dtype: Value) -> Value:
    """The segments of an array to which a neutral element was added at the end of an axis."""
    blank = [(0, 1) if i == at else (0, 0) for i in range(value.ndim)]
    extended = FUNCTIONS[np.pad](value, blank, mode="edge")
    return staged.reduceat(extended, starts, at, dtype)


def _check_starts(ufunc: np.ufunc, starts: Value, size: Value) -> None:
    if starts.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {starts.dtype!r} to dtype('int64') according to the rule 'safe'")
    wrong = FUNCTIONS[np.logical_or](starts < 0, starts >= size)
    first = FUNCTIONS[np.max](
        FUNCTIONS[np.where](wrong, starts, np.iinfo(np.int64).min), initial=np.iinfo(np.int64).min
    )
    found = size_arithmetic.bound_of(FUNCTIONS[np.asarray](first))
    text = f"index {{}} out-of-bounds in {ufunc.__name__}.reduceat [0, {{}})"
    broadcasting.refuse(wrap.as_atom(FUNCTIONS[np.any](wrong)), IndexError, text, found, size)


def places(a: Value, indices: Value) -> tuple[Atom, Value]:
    """The flat positions in an array's buffer that indices select, and the array of them where not all are valid."""
    view = operands.memory(a)
    count = atoms.op("iota", shape=(view.size,), dtype=np.dtype(np.int64), axis=0)
    grid = wrap.with_extents(fresh(atoms.reshape(count, view.shape)), operands.extents(a))
    found = grid[indices]
    if not wrap.is_dynamic_array(found):
        return atom_of(found), None
    return found.padded(view.size).atom, found


def fitted(b: Value, target: Value) -> Atom:
    """The operand of `ufunc.at` at the target's positions, 1 where no element is valid."""
    value = atoms.broadcast_to(
        atom_of(broadcasting.fitted(handle(b) if not wrap.is_dynamic_array(b) else b, target)), target.capacity
    )
    one = atoms.broadcast_to(atoms.literal(np.ones((), value.type.dtype)), target.capacity)
    return atoms.select(operands.valid(target), value, one)
