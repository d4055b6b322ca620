"""Evenly spaced numbers whose count is known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import atom_of, dtype_of, iota, zeros_atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar

SAMPLES = "Number of samples, {}, must be non-negative."
_MOST = 2.0**62


def of_steps(extent: Any, step: Value) -> Value:
    """How many numbers `np.arange` makes of a distance and a step, as a traced int."""
    if dtype_of(extent).kind in "iu" and type(step) is int and step:
        distance = size_arithmetic.bound_of(extent)
        if step != 1:
            distance = (distance * (1 if step > 0 else -1) + (abs(step) - 1)) // abs(step)
        return size_arithmetic.maximum(distance, 0)
    distance, ratio = atom_of(extent, np.float64), atom_of(extent / step, np.float64)
    zero, most = (atoms.literal(x, np.float64) for x in (0.0, _MOST))
    unknown = atoms.ufunc(np.isnan, ratio)
    broadcasting.refuse(unknown, ValueError, "arange: cannot compute length")
    too_many = atoms.logical_not(atoms.ufunc(np.less, atoms.ufunc(np.absolute, ratio), most))
    broadcasting.refuse(too_many, ValueError, "Maximum allowed size exceeded")
    # A quotient too small for its type is still one number.
    vanished = atoms.logical_and(atoms.ufunc(np.equal, ratio, zero), atoms.ufunc(np.not_equal, distance, zero))
    one = atoms.logical_and(vanished, atoms.logical_not(atoms.ufunc(np.signbit, ratio)))
    rounded = atoms.select(one, atoms.literal(1.0, np.float64), atoms.ufunc(np.ceil, ratio))
    count = atoms.convert(atoms.ufunc(np.maximum, rounded, zero), np.int64)
    return python_scalar(count, Interval(0, int(_MOST)))


def spaced(delta: Atom, low: Atom, high: Atom, capacity: int, count: object, endpoint: bool) -> tuple[Atom, Atom]:
    """The numbers of `np.linspace`, `count` of them, in the order of operations that NumPy uses; and the step."""
    dtype, shape = delta.type.dtype, (capacity, *delta.type.shape)
    positions = iota(shape, 0, dtype)
    steps = atoms.convert(atom_of(count), np.int64)
    if endpoint:
        steps = atoms.ufunc(np.subtract, steps, atoms.literal(1, np.int64))
    divisor = atoms.convert(steps, dtype)
    some = atoms.ufunc(np.greater, steps, atoms.literal(0, np.int64))
    step = atoms.ufunc(np.divide, delta, atoms.broadcast_to(divisor, delta.type.shape))
    zero = atoms.ufunc(np.equal, step, zeros_atom(step.type.shape, dtype))
    if step.type.shape:
        zero = atoms.op("reduce_any", zero, axes=tuple(range(len(step.type.shape))))
    wide = atoms.broadcast_to(delta, shape)
    # A step that underflows to zero: divide the positions first.
    tiny = atoms.ufunc(np.multiply, atoms.ufunc(np.divide, positions, atoms.broadcast_to(divisor, shape)), wide)
    regular = atoms.ufunc(np.multiply, positions, atoms.broadcast_to(step, shape))
    y = atoms.select(some, atoms.select(zero, tiny, regular), atoms.ufunc(np.multiply, positions, wide))
    y = atoms.ufunc(np.add, y, atoms.broadcast_to(low, shape))
    if endpoint:
        at_end = atoms.ufunc(np.equal, iota(shape, 0), atoms.broadcast_to(steps, shape))
        last = atoms.logical_and(at_end, atoms.broadcast_to(some, shape))
        y = atoms.select(last, atoms.broadcast_to(high, shape), y)
    return y, atoms.select(some, step, zeros_atom(delta.type.shape, dtype, np.nan))
