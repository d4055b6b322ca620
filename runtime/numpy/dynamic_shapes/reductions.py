"""Reductions of arrays whose size is known only at run time: invalid elements are set to the neutral value."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import axes_tuple
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic

rules = Rules()


@rules.dynamic_shape_method("item")
def item(a: Value, *args: Value) -> Value:
    """As `ndarray.item`."""
    if args:
        return registry.METHODS["item"](a[args if len(args) > 1 else args[0]])
    wrong = broadcasting.differ(a.size, 1)
    broadcasting.refuse(wrong, ValueError, "can only convert an array of size 1 to a Python scalar")
    return registry.METHODS["item"](a[(0,) * a.ndim])


@rules.dynamic_shape(bool)
def truth(a: Value) -> Atom:
    """The truth of the only element; raises as NumPy does for other sizes."""
    size = size_arithmetic.bound_of(a.size)
    broadcasting.refuse(
        broadcasting.differ(size_arithmetic.minimum(size, 1), 1), ValueError, apply_ufunc.NO_TRUTH_OF_NONE
    )
    broadcasting.refuse(
        broadcasting.differ(size_arithmetic.maximum(size, 1), 1), ValueError, apply_ufunc.NO_TRUTH_OF_MANY
    )
    true = atoms.convert(a.padded(0).atom, np.bool_)
    return atoms.op("reduce_any", true, axes=tuple(range(a.ndim)))


@rules.dynamic_shape(np.size)
def size(a: Value, axis: Value = None) -> Value:
    """As `numpy.size`: a traced int."""
    if axis is None:
        return a.size
    made: Any = 1
    for i in axes_tuple(axis, a.ndim):
        made = made * size_arithmetic.bound_of(a.shape[i])
    return made


rules.dynamic_shape(np.shape)(lambda a: a.shape)
rules.dynamic_shape(np.ndim)(lambda a: a.ndim)
