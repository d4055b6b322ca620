"""`array[key]` of an `Array`: positions are run-time values, so that a loop over them compiles once."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.device.array import Array, placed
from anabranch.runtime.eager.execute import call, captured, number, run
from anabranch.runtime.eager.staged_calls import Operand
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import wrap
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.memory import views

_INT64 = np.dtype(np.int64)
_POSITION = Operand((), _INT64, scalar=True)


class _Basic(NamedTuple):
    """Integers, slices, `...` and None: for each axis size, stride and start, which is None where it is an operand."""

    axes: tuple[tuple[int, int, Any], ...]
    shape: tuple[int, ...]

    def __call__(self, array: Value, *positions: Value) -> Value:
        given = iter(positions)
        slices = [
            views.AxisSlice(wrap.as_atom(next(given)) if start is None else start, size, stride)
            for size, stride, start in self.axes
        ]
        return array.viewed(views.Slice(tuple(slices)), views.Reshape(self.shape))


def get(array: Array, key: Value) -> Value:
    """`array[key]`, always an Array; what a mask chooses is chosen on the host, as its size is known only there."""
    if type(key) is tuple and not key:
        return array
    if tracing():
        return captured(array)[captured(key)]
    parts = [_part(k) for k in key] if isinstance(key, tuple) else [_part(key)]
    if any(
        isinstance(k, bool) or (isinstance(k, (Array, np.ndarray, np.bool_)) and k.dtype.kind == "b") for k in parts
    ):
        host = tuple([np.asarray(k) if isinstance(k, Array) else k for k in parts])
        return placed(np.asarray(np.asarray(array)[host]))
    if any(isinstance(k, (Array, np.ndarray)) and k.shape for k in parts):
        return call(operator.getitem, (array, tuple(parts)), {})
    slices, shape = indexing.basic(array, tuple(parts))
    # A view with run-time positions has strides of one.
    forward = all(s.stride == 1 for s in slices)
    movable = [forward and s.size not in (0, length) for s, length in zip(slices, array.shape, strict=True)]
    axes = tuple([(s.size, s.stride, None if m else s.start) for s, m in zip(slices, movable, strict=True)])
    positions = [number(s.start, _INT64) for s, m in zip(slices, movable, strict=True) if m]
    templates = (Operand(array.shape, array.dtype), *[_POSITION] * len(positions))
    chosen: Any = _Basic(axes, shape)
    return run((chosen, templates, ()), [array, *positions])


def _part(key: object) -> Value:
    """One index: lists are arrays, arrays without axes are integers."""
    if isinstance(key, list):
        return np.asarray(key, None if key else np.intp)
    if isinstance(key, (Array, np.ndarray)) and not key.shape and key.dtype.kind in "iu":
        return int(key)
    return key
