"""Checks of inputs and params, and types, that the type rules of several families share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.op import expect

BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)


def scalar(dtype: np.dtype) -> ArrayType:
    """The type of a 0-d value."""
    return ArrayType((), dtype)


def without(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the axes that are left."""
    return tuple(n for axis, n in enumerate(shape) if axis not in axes)


def in_range(op: str, axes: Sequence[int], ndim: int) -> None:
    """Axes are distinct, not negative, and the array has them."""
    if any(not 0 <= a < ndim for a in axes):
        expect(False, op, f"axes {list(axes)} of an array of {ndim} dimensions")
    if len(set(axes)) != len(axes):
        expect(False, op, f"axes {list(axes)} repeat")


def one_per_axis(op: str, ndim: int, **lists: Sequence[int]) -> None:
    """Each of the lists has a number for each axis."""
    for name, values in lists.items():
        if len(values) != ndim:
            expect(False, op, f"{len(values)} {name} for {ndim} dimensions")


def index_scalars(op: str, starts: Sequence[ArrayType], ndim: int) -> None:
    """One int64 scalar for each axis."""
    expect(len(starts) == ndim, op, f"{len(starts)} starts for {ndim} dimensions")
    expect(all(s == scalar(INT64) for s in starts), op, "starts are int64 scalars")
