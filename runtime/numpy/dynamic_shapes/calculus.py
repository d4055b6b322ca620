"""Differences, slopes, integrals, interpolation and convolution of arrays whose size is known only at run time."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import NoValue, fresh, iota, one_axis
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


@rules.dynamic_shape(np.diff)
def diff(a: object, n: Value = 1, axis: Value = -1, prepend: object = NoValue, append: object = NoValue) -> Value:
    """As `numpy.diff`."""
    times = operator.index(n)
    if times == 0:
        return a
    if times < 0:
        raise ValueError("order must be non-negative but got " + repr(times))
    x = operands.array(a)
    at = one_axis(axis, x.ndim)
    ends = [e if e is NoValue else _end(e, x, at) for e in (prepend, append)]
    parts = [p for p in (ends[0], x, ends[1]) if p is not NoValue]
    x = x if len(parts) == 1 else FUNCTIONS[np.concatenate](parts, at)
    if operands.extents(x)[at] is None:
        made = FUNCTIONS[np.diff](operands.memory(x), times, at)
        return operands.with_axis(x, made, at, None)
    x = x.left_packed(at)
    made = FUNCTIONS[np.diff](x.memory, times, at)
    size = size_arithmetic.maximum(size_arithmetic.add(x.shape[at], -times), 0)
    return operands.with_axis(x, made, at, operands.window(size_arithmetic.limited(size, 0, made.shape[at])))


def _end(value: object, x: Value, at: int) -> Value:
    """Return the elements that are put before or behind: a number is one element for each line."""
    end = operands.array(value)
    if end.ndim:
        return end
    if any(e is not None for i, e in enumerate(operands.extents(x)) if i != at):
        return x._needs_size("static sizes of the other axes, for prepend= or append=,")
    shape = [1 if i == at else n for i, n in enumerate(operands.capacity(x))]
    return fresh(atoms.broadcast_to(end.atom, shape))


@rules.dynamic_shape(np.gradient)
def gradient(f: object, *varargs: object, axis: object = None, edge_order: object = 1) -> Value:
    """As `numpy.gradient` along one axis, at even distances, with `edge_order=1`."""
    x = operands.array(f)
    spacing = varargs[0] if varargs else 1.0
    if (axis is None and x.ndim != 1) or len(varargs) > 1 or edge_order != 1 or getattr(spacing, "shape", ()):
        return _of_run_time_size(f, *varargs)._needs_size("one axis at even distances, with edge_order=1,")
    at = one_axis(0 if axis is None else axis, x.ndim)
    x = x.astype(np.float64) if x.dtype.kind in "biu" else x
    x = operands.left_packed(x, at)
    size, capacity = x.shape[at], operands.capacity(x)[at]
    few = atoms.logical_or(*(atoms.logical_not(broadcasting.differ(size, n)) for n in (0, 1)))
    text = (
        "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
    )
    broadcasting.refuse(few, ValueError, text)
    line: Any = fresh(iota((capacity,)))
    low, high = FUNCTIONS[np.maximum](line - 1, 0), FUNCTIONS[np.minimum](line + 1, size_arithmetic.add(size, -1))
    high = FUNCTIONS[np.maximum](high, 0)
    view = operands.memory(x)
    before, behind = (FUNCTIONS[np.take](view, i, axis=at) for i in (low, high))
    shape = [capacity if i == at else 1 for i in range(x.ndim)]
    steps = FUNCTIONS[np.reshape](FUNCTIONS[np.subtract](high, low), shape)
    made = (behind - before) / (FUNCTIONS[np.asarray](steps, x.dtype) * spacing)
    return x.with_memory(made)


def _of_run_time_size(*xs: object) -> Value:
    """The first of the arrays whose size is known only at run time."""
    return next(x for x in xs if wrap.is_dynamic_array(x))
