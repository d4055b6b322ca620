"""Elements taken and put by position, chosen and moved round, in arrays whose size is known only at run time."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import fresh, one_axis
from anabranch.runtime.numpy.outputs import stored
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()

_MODES = ("raise", "wrap", "clip")


def _positions(indices: object, size: Value, mode: object) -> Value:
    """Indices by `mode`: those out of range are left for indexing to refuse, or brought into it."""
    if mode not in _MODES:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    index = operands.array(indices)
    if index.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {index.dtype!r} to dtype('int64') according to the rule 'safe'")
    index = index.astype(np.int64)
    least = size_arithmetic.maximum(size, 1)
    if mode == "wrap":
        return FUNCTIONS[np.remainder](index, least)
    return FUNCTIONS[np.clip](index, 0, size_arithmetic.add(least, -1)) if mode == "clip" else index


@rules.dynamic_shape(np.take)
def take(a: object, indices: object, axis: object = None, out: object = None, mode: object = "raise") -> Value:
    """As `numpy.take`."""
    x = operands.array(a)
    if axis is None:
        x, axis = operands.flat(x), 0
    at = one_axis(axis, x.ndim)
    size = x.shape[at]
    index = _positions(indices, size, mode)
    nothing = atoms.logical_and(atoms.logical_not(broadcasting.differ(size, 0)), broadcasting.differ(index.size, 0))
    broadcasting.refuse(nothing, IndexError, "cannot do a non-empty take from an empty axes.")
    made = x[(slice(None),) * at + (index if index.ndim else index[()],)]
    return stored(out, made)


@rules.dynamic_shape(np.put)
def put(a: Value, ind: Value, v: Value, mode: Value = "raise") -> None:
    """As `numpy.put`: writes at positions of the flat array."""
    flat = operands.flat(a)
    alone = a.ndim == 1
    index = operands.flat(_positions(ind, flat.shape[0], mode))
    values = operands.flat(indexing.assigned(v, a.dtype))
    if not wrap.is_dynamic_array(values) and values.shape[0] == 0:
        return
    count = size_arithmetic.maximum(values.shape[0], 1)
    line = operands.with_axis(index, fresh(operands.places(index, 0)), 0, operands.extents(index)[0])
    if not (isinstance(count, int) and count == 1):
        values = values[FUNCTIONS[np.remainder](line, count)]
    if alone:
        a[index] = values
        return
    copy = flat.copy()
    copy[index] = values
    _restore(a, copy)


def _restore(a: Value, flat: Value) -> None:
    """Write all elements of an array of several axes."""
    if wrap.is_dynamic_array(a) and wrap.is_dynamic_array(flat):
        a._needs_size("an array of one axis, or of static size, to put() into")
    a[...] = FUNCTIONS[np.reshape](flat, a.shape)
