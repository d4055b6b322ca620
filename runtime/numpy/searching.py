"""The positions and the elements that a condition selects; their number is known only at run time.

What is selected is not moved: it stays where it is, with a mask.
"""

from __future__ import annotations

import math

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import fresh, one_axis, refused, traced_inside, zeros_atom
from anabranch.runtime.numpy.outputs import stored
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays import index_checks
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, Window, masked
from anabranch.runtime.values.pytrees.padded_union import left_packed_memory
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()

_ZERO_DIMENSIONAL = (
    "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. If the context of this "
    "error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`."
)


def truth(x: Value) -> Atom:
    """The mask of the valid elements that are not zero."""
    value = operands.memory(x).atom
    if value.type.dtype != np.bool_:
        value = atoms.ufunc(np.not_equal, value, zeros_atom(value.type.shape, value.type.dtype))
    there = x.valid() if wrap.is_dynamic_array(x) else None
    return value if there is None else atoms.logical_and(value, there)


def _columns(x: object) -> tuple[list[Atom], Masked]:
    """The index along each axis of each place of an array, flat, and at which of them an element is not zero."""
    shape = operands.capacity(x)
    count = math.prod(shape)
    lines = [operands.spread(operands.places(x, axis), axis, shape) for axis in range(len(shape))]
    return [atoms.reshape(line, (count,)) for line in lines], masked(truth(x))


@rules.any_shape(np.nonzero)
def nonzero(a: object) -> tuple[Value, ...]:
    """As `numpy.nonzero`."""
    x = operands.array(a)
    if not x.ndim:
        raise ValueError(_ZERO_DIMENSIONAL)
    columns, where = _columns(x)
    return tuple(wrap.with_extents(fresh(c), (where,)) for c in columns)


rules.methods["nonzero"] = nonzero


@rules.any_shape(np.argwhere)
def argwhere(a: object) -> Value:
    """As `numpy.argwhere`."""
    x = operands.array(a)
    columns, where = _columns(x)
    count = where.mask.shape[0]
    rows = [atoms.reshape(c, (count, 1)) for c in columns]
    if not rows:
        table: Atom = zeros_atom((count, 0), np.int64)
    else:
        table = rows[0] if len(rows) == 1 else atoms.op("concatenate", *rows, axis=1)
    return wrap.with_extents(fresh(table), (where, None))


@rules.any_shape(np.compress)
def compress(condition: Value, a: object, axis: object = None, out: object = None) -> Value:
    """As `numpy.compress`."""
    wanted = operands.array(condition)
    if wanted.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if not traced_inside(condition):
        return FUNCTIONS[np.take](a, np.flatnonzero(condition), axis, out)
    x = operands.array(a)
    if axis is None:
        x, axis = operands.flat(x), 0
    at = one_axis(axis, x.ndim)
    chosen = masked(_chosen(wanted, x, at))
    kept = operands.extents(x)
    kept[at] = chosen
    return stored(out, wrap.part_of(operands.memory(x), kept, operands.origin(x)).__copy__())


def _chosen(condition: Value, x: Value, axis: int) -> Atom:
    """The positions along an axis at which the condition holds, which may be shorter than the axis."""
    extent, size = operands.extents(x)[axis], operands.capacity(x)[axis]
    if not wrap.is_dynamic_array(condition) and extent is None and condition.shape == (size,):
        return truth(condition)
    here = operands.left_packed(condition)
    line = truth(here)
    count = x.shape[axis]
    _refuse_out_of_bounds(line, count, axis)
    moved = compaction.placed(compaction.resized(line, 0, max(line.type.shape[0], size)), 0, extent, size)
    inside = operands.front(here.shape[0], max(line.type.shape[0], size))
    there = compaction.placed(inside, 0, extent, size)
    made = atoms.logical_and(moved, there)
    valid = None if extent is None else extent.valid((size,), 0)
    return made if valid is None else atoms.logical_and(made, valid)


def _refuse_out_of_bounds(line: Atom, count: Value, axis: int) -> None:
    """Raise for an element that is chosen behind the end of the axis."""
    (n,) = line.type.shape
    if n and not (isinstance(count, int) and n <= count):
        empty = atoms.logical_and(
            atoms.op("reduce_any", line, axes=(0,)), atoms.logical_not(broadcasting.differ(count, 0))
        )
        broadcasting.refuse(empty, IndexError, "cannot do a non-empty take from an empty axes.")
        out_of_bounds = atoms.logical_and(line, atoms.logical_not(operands.front(count, n)))
        index_checks.refuse(out_of_bounds, atoms.op("iota", shape=(n,), dtype=np.dtype(np.int64), axis=0), axis, count)


@rules.method("compress")
def compress_method(a: object, condition: object, axis: Value = None, out: object = None) -> Value:
    """As `ndarray.compress`."""
    return compress(condition, a, axis, out)


@rules.any_shape(np.trim_zeros)
def trim_zeros(filt: object, trim: Value = "fb", axis: object = None) -> Value:
    """As `numpy.trim_zeros` of one axis: a view."""
    x = operands.array(filt)
    if x.ndim != 1:
        raise refused("trim_zeros", "of a run-time array of more than one axis")
    if isinstance(operands.extents(x)[0], Masked):
        x = wrap.part_of(left_packed_memory(x), (operands.window(x.shape[0]),), operands.origin(x))
    size = operands.capacity(x)[0]
    if not size:
        return x[:]
    some = truth(x)
    none = atoms.logical_not(atoms.op("reduce_any", some, axes=(0,)))
    extent = operands.extents(x)[0] or operands.window(size)
    assert isinstance(extent, Window)
    trims = trim.lower()
    start, stop = extent.start, extent.stop
    if "f" in trims:
        start = size_arithmetic.limited(size_arithmetic.bound_of(fresh(atoms.op("argmax", some, axis=0))), 0, size)
    if "b" in trims:
        last = atoms.op("argmax", atoms.op("reverse", some, axes=(0,)), axis=0)
        stop = size_arithmetic.subtract(size, size_arithmetic.limited(size_arithmetic.bound_of(fresh(last)), 0, size))
    start = size_arithmetic.choose(none, extent.stop, start) if "f" in trims else start
    stop = size_arithmetic.choose(none, start, stop) if "b" in trims else stop
    del axis
    return wrap.part_of(operands.memory(x), (Window(start, stop),), operands.origin(x))
