"""View steps that are no slices: windows, which have elements more than once, and bytes as other elements."""

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


@frozen
class Reinterpret(ViewStep):
    """`ndarray.view(to)` of elements of the dtype `source`, whose last axis is contiguous where the sizes differ."""

    source: np.dtype
    to: np.dtype

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        if self.source.itemsize == self.to.itemsize:
            return base
        return (*base[:-1], base[-1] * self.source.itemsize // self.to.itemsize)

    def dtype(self, base: np.dtype) -> np.dtype:
        return self.to

    def of(self, base: np.ndarray) -> np.ndarray:
        return base.view(self.to)

    def read(self, base: Atom) -> Atom:
        return reinterpreted(base, self.to)

    def write(self, base: Atom, value: Atom) -> Atom:
        return reinterpreted(value, self.source)


def reinterpreted(x: Atom, dtype: np.dtype) -> Atom:
    """The bytes of an array, whose last axis they follow, as elements of another dtype."""
    if x.type.dtype == dtype:
        return x
    words = _words(x)
    part = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    size = words.type.dtype.itemsize
    if size > part.itemsize:
        words = _split(words, part.itemsize)
    elif size < part.itemsize:
        words = _joined(words, part.itemsize)
    if part.kind == "b":
        return atoms.convert(words, part)
    parts = words if words.type.dtype == part else atoms.op("reinterpret", words, dtype=part)
    if dtype.kind != "c":
        return parts
    pairs = _in_groups(parts, 2)
    return atoms.op("complex", _member(pairs, 0), _member(pairs, 1))


def _words(x: Atom) -> Atom:
    """The bytes as unsigned ints of the size of a number, or of a part of a complex one."""
    dtype = x.type.dtype
    if dtype.kind == "c":
        x = _side_by_side([atoms.op("real", x), atoms.op("imag", x)])
        dtype = x.type.dtype
    word = np.dtype(f"u{dtype.itemsize}")
    if dtype.kind == "b":
        return atoms.convert(x, word)
    return x if dtype == word else atoms.op("reinterpret", x, dtype=word)


def _split(words: Atom, size: int) -> Atom:
    """Each word as several of so many bytes, the lowest first."""
    own = words.type.dtype
    parts = []
    for k in range(own.itemsize // size):
        low = atoms.ufunc(np.right_shift, words, _filled(words, 8 * size * k)) if k else words
        parts.append(atoms.convert(low, np.dtype(f"u{size}")))
    return _side_by_side(parts)


def _joined(words: Atom, size: int) -> Atom:
    """Each so many bytes as one word."""
    step, wide = words.type.dtype.itemsize, np.dtype(f"u{size}")
    groups = atoms.convert(_in_groups(words, size // step), wide)
    total = _member(groups, 0)
    for k in range(1, size // step):
        part = _member(groups, k)
        total = atoms.ufunc(np.bitwise_or, total, atoms.ufunc(np.left_shift, part, _filled(part, 8 * step * k)))
    return total


def _filled(like: Atom, value: int) -> Atom:
    return atoms.broadcast_to(atoms.literal(value, like.type.dtype), like.type.shape)


def _side_by_side(parts: list[Atom]) -> Atom:
    """The elements of several arrays in turn along the last axis."""
    *rest, n = parts[0].type.shape
    columns = [atoms.reshape(p, (*rest, n, 1)) for p in parts]
    return atoms.reshape(atoms.op("concatenate", *columns, axis=len(rest) + 1), (*rest, n * len(parts)))


def _in_groups(x: Atom, count: int) -> Atom:
    *rest, n = x.type.shape
    return atoms.reshape(x, (*rest, n // count, count))


def _member(groups: Atom, k: int) -> Atom:
    """Element k of each group, which is the last axis."""
    return atoms.reshape(atoms.cut(groups, k, k + 1, -1), groups.type.shape[:-1])
