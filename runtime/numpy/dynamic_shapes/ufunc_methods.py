"""Methods of ufuncs on arrays whose size is known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import ufunc_reductions
from anabranch.runtime.numpy.core import NoValue, atom_of, fresh, handle, one_axis
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.dynamic_shapes.outputs import stored
from anabranch.runtime.numpy.dynamic_shapes.reductions import highest, lowest, reduced, refuse_empty
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS


def _idle(ufunc: np.ufunc, dtype: np.dtype) -> Value:
    """Return the value that is neutral for a ufunc on values of a dtype; None where there is none."""
    if ufunc in (np.maximum, np.minimum):
        return lowest(dtype) if ufunc is np.maximum else highest(dtype)
    if ufunc in (np.fmax, np.fmin):
        plain = np.maximum if ufunc is np.fmax else np.minimum
        return np.nan if dtype.kind in "fcV" else _idle(plain, dtype)
    if ufunc in (np.logaddexp, np.logaddexp2) and dtype.kind != "f":
        return None
    return ufunc.identity


def reduce(ufunc: np.ufunc, x: Value, options: ufunc_reductions.ReductionKeywords) -> Value:
    """As `ufunc.reduce`, of arrays of static or of run-time size."""
    if not wrap.is_dynamic_array(x):
        if wrap.is_dynamic_array(options.where):
            options.where._needs_size("an array of the size of where=")
        return ufunc_reductions.reduce(ufunc, x, options)
    axes = ufunc_reductions.reduced_axes(options.axis, x.ndim)
    keep = options.keepdims is not NoValue and bool(options.keepdims)
    given = options.initial is not NoValue and options.initial is not None
    if not given and (ufunc.identity is None or options.initial is None):
        refuse_empty(x, axes, f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    where = options.where
    if where is not True and where is not NoValue:
        where = broadcasting.fitted(where, x)
    idle = _idle(ufunc, x.dtype)
    if idle is None:
        return stored(options.out, _one_after_the_other(ufunc, x, axes, options, where))
    plain = ufunc_reductions.ReductionKeywords(axes, options.dtype, None, keep, options.initial, where)
    return stored(options.out, reduced(ufunc_reductions.reduce(ufunc, x.padded(idle), plain), x, axes, keep))


def _one_after_the_other(
    ufunc: np.ufunc, x: Value, axes: tuple[int, ...], options: ufunc_reductions.ReductionKeywords, where: Value
) -> Value:
    """A reduction without a neutral value, of an array of one axis."""
    if x.ndim != 1 or not axes or (where is not True and where is not NoValue):
        return x._needs_size(f"{ufunc.__name__}.reduce() of one axis, without where=,")
    line = x.left_packed()
    there = operands.front(line.shape[0], line.capacity[0])
    value = fresh(line.padded(1).atom)
    start = options.initial
    if start is NoValue or start is None:
        dtypes = ufunc_reductions.loop_dtypes(ufunc, x.dtype, options)
        start, value = value[0].astype(dtypes[2]), value[1:]
        there = fresh(there)[1:].atom
    keep = options.keepdims is not NoValue and bool(options.keepdims)
    return ufunc_reductions.reduce(
        ufunc, value, ufunc_reductions.ReductionKeywords(0, options.dtype, None, keep, start, fresh(there))
    )


def accumulate(staged: Any, x: Value, axis: Value, dtype: Value, out: Value) -> Value:
    """As `ufunc.accumulate`."""
    if not wrap.is_dynamic_array(x):
        return stored(out, staged.accumulate(x, axis, dtype))
    at = one_axis(axis, x.ndim)
    line = operands.left_packed(x, at)
    return stored(out, line.with_memory(staged.accumulate(line.padded(1), at, dtype)))


def outer(staged: Any, a: Value, b: Value, **kwargs: Value) -> Value:
    """As `ufunc.outer`."""
    x, y = operands.array(a), operands.array(b)
    return staged(x[(..., *(None,) * y.ndim)], y, **kwargs)


def reduceat(staged: Any, x: Value, indices: Value, axis: Value, dtype: Value, out: Value) -> Value:
    """As `ufunc.reduceat`."""
    array, starts = operands.array(x), operands.array(indices)
    at = one_axis(axis, array.ndim)
    idle = _idle(staged.ufunc, array.dtype)
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
