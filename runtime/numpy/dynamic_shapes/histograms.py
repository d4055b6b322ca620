"""Histograms of arrays whose size is known only at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.numpy.core import fresh
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


@rules.dynamic_shape(np.histogram)
def histogram(
    a: object, bins: Value = 10, range: object = None, density: object = None, weights: Value = None
) -> Value:
    """As `numpy.histogram`, for a static number of bins: invalid elements have weight 0."""
    if wrap.is_dynamic_array(bins):
        return bins._needs_size("a static number of bins")
    values = operands.array(a)
    if not wrap.is_dynamic_array(values):
        return weights._needs_size("weights of static size, as the array's is,")
    limits = _limits(values) if range is None and not np.iterable(bins) else range
    there = fresh(operands.valid(values))
    weight: Any = FUNCTIONS[np.asarray](there, np.int64)
    if weights is not None:
        for n, m in zip(values.shape, operands.array(weights).shape, strict=True):
            broadcasting.refuse(broadcasting.differ(n, m), ValueError, "weights should have the same shape as a.")
        fitted = FUNCTIONS[np.asarray](broadcasting.fitted(weights, values))
        weight = FUNCTIONS[np.where](there, fitted, fitted.dtype.type(0))
    inside = values.padded(0)
    counts, edges = FUNCTIONS[np.histogram](inside, bins, limits, None, weight)
    if density:
        return counts / FUNCTIONS[np.diff](edges).astype(float) / counts.sum(), edges
    return counts, edges


def _limits(values: Value) -> tuple[Value, Value]:
    """The least and the greatest value; 0 and 1 of an empty array."""
    some = fresh(broadcasting.differ(values.size, 0))
    dtype = values.dtype if values.dtype.kind != "b" else np.dtype(np.uint8)
    kind = dtype.type
    values = values.astype(dtype)
    worst = (np.inf, -np.inf) if dtype.kind in "fV" else (np.iinfo(dtype).max, np.iinfo(dtype).min)
    low, high = (FUNCTIONS[f](values, initial=w) for f, w in zip((np.min, np.max), worst, strict=True))
    return FUNCTIONS[np.where](some, low, kind(0))[()], FUNCTIONS[np.where](some, high, kind(1))[()]
