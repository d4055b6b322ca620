"""The view step of another dtype: the same bytes, as elements of other sizes or kinds."""

from __future__ import annotations

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms
from anabranch.runtime.values.memory.views import ViewStep


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
