"""Arrays in memory, and parts of them, as a first element and distances: what functions of libraries take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Affine
from anabranch.runtime.native.lazy_array import LazyArray


@frozen
class Strided:
    """An array in memory or a part of it.

    Attributes
    ----------
    array : str
        The name of the array in memory.
    start : Affine
        The number of the first element.
    strides : tuple of int
        How far it is from one element to the next, by axes.
    """

    array: str
    start: Affine
    strides: tuple[int, ...]

    def at(self, index: Sequence[Affine]) -> Affine:
        """The number of the element at an index."""
        number = self.start
        for position, stride in zip(index, self.strides, strict=True):
            number = number.plus(position, stride)
        return number


def strided_view(array: LazyArray) -> Strided | None:
    """An array as one in memory; None where its elements are computed."""
    if array.memory:
        return Strided(array.memory, Affine(0), _strides(array.type))
    whole = array.whole
    if whole is None or not whole.memory:
        return None
    start, found = Affine(0), [0] * len(array.type.shape)
    for axis, step in zip(array.axes, _strides(whole.type), strict=True):
        start = start.plus(axis.start, step)
        if axis.of is not None:
            found[axis.of] += axis.stride * step
    return Strided(whole.memory, start, tuple(found))


def joined_axes(axes: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The size and the stride of axes, given as such pairs, as a single one; None where they are no such in memory."""
    size, stride = 1, 0
    for n, step in reversed([axis for axis in axes if axis[0] != 1]):
        if size == 1:
            size, stride = n, step
        elif step == size * stride:
            size *= n
        else:
            return None
    return size, stride


def _strides(type: ArrayType) -> tuple[int, ...]:
    return tuple(math.prod(type.shape[axis + 1 :]) for axis in range(len(type.shape)))
