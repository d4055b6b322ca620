"""View steps in which an element may occur more than once: windows that slide over axes, and strides of any size."""

from __future__ import annotations

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.memory.views import ViewStep


@frozen
class Windows(ViewStep):
    """`sliding_window_view`: windows of these sizes over these axes, as axes behind the others."""

    sizes: tuple[int, ...]
    axes: tuple[int, ...]

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        front = list(base)
        for axis, size in zip(self.axes, self.sizes, strict=True):
            front[axis] -= size - 1
        return (*front, *self.sizes)

    def of(self, base: np.ndarray) -> np.ndarray:
        return np.lib.stride_tricks.sliding_window_view(base, self.sizes, self.axes)

    def read(self, base: Atom) -> Atom:
        for axis, size in zip(self.axes, self.sizes, strict=True):
            base = _windows(base, axis, size)
        return base

    def write(self, base: Atom, value: Atom) -> Atom:
        raise ValueError("assignment destination is read-only")


def _windows(x: Atom, axis: int, size: int) -> Atom:
    """Windows over one axis, as the last one of the result."""
    rank, count = len(x.type.shape), x.type.shape[axis] - size + 1
    front = atoms.transpose(x, (axis, *(i for i in range(rank) if i != axis)))
    rows = atoms.op("gather", front, _positions((count, size), (1, 1), 0))
    order = list(range(2, rank + 1))
    order.insert(axis, 0)
    return atoms.transpose(rows, (*order, 1))


@frozen
class Strided(ViewStep):
    """`as_strided` of an array of one dimension: strides are counted in elements, from the element `start` on."""

    to: tuple[int, ...]
    strides: tuple[int, ...]
    start: int

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        return self.to

    def of(self, base: np.ndarray) -> np.ndarray:
        strides = tuple(s * base.strides[0] for s in self.strides)
        return np.lib.stride_tricks.as_strided(base[self.start :], self.to, strides)

    def read(self, base: Atom) -> Atom:
        return atoms.op("gather", base, _positions(self.to, self.strides, self.start))

    def write(self, base: Atom, value: Atom) -> Atom:
        raise UnsupportedOperationError(
            "writing to what as_strided returns is not supported in compiled code, since an element may stand in it "
            "more than once; write to the array itself"
        )


def _positions(shape: tuple[int, ...], strides: tuple[int, ...], start: int) -> Atom:
    """The positions of elements that lie so far apart, as `gather` takes them."""
    total = atoms.broadcast_to(atoms.literal(start, np.int64), shape)
    for axis, stride in enumerate(strides):
        along = atoms.op("iota", shape=shape, dtype=np.dtype(np.int64), axis=axis)
        if stride != 1:
            factor = atoms.broadcast_to(atoms.literal(stride, np.int64), shape)
            along = atoms.ufunc(np.multiply, along, factor)
        total = atoms.ufunc(np.add, total, along)
    return atoms.reshape(total, (*shape, 1))
