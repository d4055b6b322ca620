"""Interpolation and convolution of arrays whose size is known only at run time."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import fresh, iota
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


def _of_run_time_size(*xs: object) -> Value:
    """The first of the arrays whose size is known only at run time."""
    return next(x for x in xs if wrap.is_dynamic_array(x))


@rules.dynamic_shape(np.interp)
def interp(
    x: object, xp: object, fp: object, left: object = None, right: object = None, period: object = None
) -> Value:
    """As `numpy.interp`; the sample points of run-time size are followed by their last one."""
    known = [operands.array(v) for v in (xp, fp)]
    if any(map(wrap.is_dynamic_array, known)):
        if period is not None:
            return _of_run_time_size(*known)._needs_size("sample points of static size, for period=,")
        broadcasting.refuse(
            atoms.logical_not(broadcasting.differ(known[0].shape[0], 0)), ValueError, "array of sample points is empty"
        )
        wrong = broadcasting.differ(known[0].shape[0], known[1].shape[0])
        broadcasting.refuse(wrong, ValueError, "fp and xp are not of the same length.")
        known = [_padded_with_last(v) for v in known]
        capacity = min(v.shape[0] for v in known)
        known = [v[:capacity] for v in known]

    def compute(points: object) -> Value:
        return FUNCTIONS[np.interp](points, known[0], known[1], left, right, period)

    return broadcasting.elementwise(compute, (x,)) if wrap.is_dynamic_array(x) else compute(x)


def _padded_with_last(x: Value) -> Value:
    """The elements, then the last of them for ever."""
    if not wrap.is_dynamic_array(x):
        return x
    x = x.left_packed()
    last = size_arithmetic.add(x.shape[0], -1)
    places = FUNCTIONS[np.minimum](fresh(iota(x.capacity)), last)
    return FUNCTIONS[np.take](x.memory, FUNCTIONS[np.maximum](places, 0))


@rules.dynamic_shape(np.convolve)
def convolve(a: Value, v: Value, mode: Value = "full") -> Value:
    """As `numpy.convolve`."""
    lines = [operands.array(x) for x in (a, v)]
    for x, name in zip(lines, "av", strict=True):
        if x.ndim != 1:
            raise ValueError("object too deep for desired array")
        broadcasting.refuse(
            atoms.logical_not(broadcasting.differ(x.shape[0], 0)), ValueError, f"{name} cannot be empty"
        )
    n, m = (x.shape[0] for x in lines)
    cleared = [operands.left_packed(x).padded(0) if wrap.is_dynamic_array(x) else x for x in lines]
    if not all(x.shape[0] for x in cleared):
        return lines[0]
    full = FUNCTIONS[np.convolve](*cleared)
    capacity = full.shape[0]
    total = size_arithmetic.limited(size_arithmetic.add(size_arithmetic.add(n, m), -1), 0, capacity)
    made = wrap.with_extents(full, (operands.window(total),), operands.origin(*lines))
    if mode == "full":
        return made
    short, long = size_arithmetic.minimum(n, m), size_arithmetic.maximum(n, m)
    if mode not in ("same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    if mode == "valid":
        return made[size_arithmetic.add(short, -1) : long]
    start = (short - 1) // 2
    return made[start : start + long]
