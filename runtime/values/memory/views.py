"""Steps of a view: how a part of an array is read from the whole, and how the whole looks after the part is written."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.values import atoms
from anabranch.runtime.values.value_equality import provably_equal


class ViewStep(abc.ABC):
    """One step from a base array to a view of it."""

    __slots__ = ()

    @abc.abstractmethod
    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        """The view's shape, given the base's."""

    @abc.abstractmethod
    def of(self, base: np.ndarray) -> np.ndarray:
        """The view of an ndarray; only for positions that are known."""

    def text(self, base: str, shape: tuple[int, ...], constant: Callable[[object], str]) -> str:
        """The expression of the view of an ndarray of this shape; `constant` gives names for values."""
        return f"{constant(self.of)}({base})"

    def dtype(self, base: np.dtype) -> np.dtype:
        """The view's dtype, given the base's."""
        return base

    @property
    def static(self) -> bool:
        """Return whether all positions are known."""
        return not self.positions

    @property
    def positions(self) -> tuple[Atom, ...]:
        """The positions that are known only at run time."""
        return ()

    def at(self, positions: Iterator[int | Atom]) -> ViewStep:
        """The step with others in place of its run-time positions."""
        return self

    @abc.abstractmethod
    def read(self, base: Atom) -> Atom:
        """The view's value."""

    @abc.abstractmethod
    def write(self, base: Atom, value: Atom) -> Atom:
        """The base's value after the view has been set to `value`."""


@frozen
class AxisSlice:
    """`size` elements of an axis from `start` on, `stride` apart (negative: backwards). An atom start is in range."""

    start: int | Atom
    size: int
    stride: int = 1


@frozen
class Slice(ViewStep):
    """Basic slicing of every axis. Where a position is known only at run time every stride is 1."""

    axes: tuple[AxisSlice, ...]

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a.size for a in self.axes)

    @property
    def positions(self) -> tuple[Atom, ...]:
        return tuple([a.start for a in self.axes if not isinstance(a.start, int)])

    def at(self, positions: Iterator[int | Atom]) -> Slice:
        axes = [a if isinstance(a.start, int) else dataclasses.replace(a, start=next(positions)) for a in self.axes]
        return Slice(tuple(axes))

    def of(self, base: np.ndarray) -> np.ndarray:
        return base[self.key(base.shape)]

    def text(self, base: str, shape: tuple[int, ...], constant: Callable[[object], str]) -> str:
        return f"{base}[{constant(self.key(shape))}]"

    def key(self, shape: Sequence[int]) -> tuple[slice, ...]:
        """The index of the part in an array of this shape."""
        keys = []
        for a, n in zip(self.axes, shape, strict=True):
            assert isinstance(a.start, int)
            # A position from the run is clamped, as it is there, where checks are off; a known one fits.
            start = min(max(a.start, 0), max(n - a.size, 0)) if a.stride == 1 else a.start
            stop = start + a.size * a.stride
            keys.append(slice(start, stop if stop >= 0 else None, a.stride) if a.size else slice(0, 0))
        return tuple(keys)

    def _bounds(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Starts, limits and strides of the forward slice, and the axes to reverse after it."""
        starts, limits, strides, reverse = [], [], [], []
        for i, a in enumerate(self.axes):
            assert isinstance(a.start, int)
            low, step = a.start, abs(a.stride)
            if a.stride < 0:
                reverse.append(i)
                low = a.start - (a.size - 1) * step if a.size else 0
            starts.append(low if a.size else 0)
            limits.append(low + (a.size - 1) * step + 1 if a.size else 0)
            strides.append(step)
        return tuple(starts), tuple(limits), tuple(strides), tuple(reverse)

    def _starts(self) -> list[Atom]:
        return [atoms.literal(a.start, np.int64) if isinstance(a.start, int) else a.start for a in self.axes]

    def read(self, base: Atom) -> Atom:
        sizes = tuple(a.size for a in self.axes)
        if not self.static:
            return atoms.op("dynamic_slice", base, *self._starts(), sizes=sizes)
        starts, limits, strides, reverse = self._bounds()
        if sizes == base.type.shape and not reverse:
            return base
        part = atoms.op("slice", base, starts=starts, limits=limits, strides=strides)
        return atoms.op("reverse", part, axes=reverse) if reverse else part

    def write(self, base: Atom, value: Atom) -> Atom:
        if not self.static:
            return atoms.op("dynamic_update_slice", base, value, *self._starts())
        if 0 in value.type.shape:
            return base
        starts, limits, strides, reverse = self._bounds()
        if reverse:
            value = atoms.op("reverse", value, axes=reverse)
        if value.type.shape == base.type.shape:
            return value
        if all(s == 1 for s in strides):
            return atoms.op("dynamic_update_slice", base, value, *(atoms.literal(s, np.int64) for s in starts))
        return atoms.op("strided_update", base, value, starts=starts, limits=limits, strides=strides)


@frozen
class Reshape(ViewStep):
    """The same elements in C order in another shape; adds and drops axes of size 1, too."""

    to: tuple[int, ...]

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        return self.to

    def of(self, base: np.ndarray) -> np.ndarray:
        return base.reshape(self.to)

    def text(self, base: str, shape: tuple[int, ...], constant: Callable[[object], str]) -> str:
        return f"{base}.reshape({constant(self.to)})"

    def read(self, base: Atom) -> Atom:
        return atoms.reshape(base, self.to)

    def write(self, base: Atom, value: Atom) -> Atom:
        return atoms.reshape(value, base.type.shape)


@frozen
class Permute(ViewStep):
    """`transpose(axes)`."""

    axes: tuple[int, ...]

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(base[a] for a in self.axes)

    def of(self, base: np.ndarray) -> np.ndarray:
        return base.transpose(self.axes)

    def text(self, base: str, shape: tuple[int, ...], constant: Callable[[object], str]) -> str:
        is_turned = self.axes == tuple(reversed(range(len(shape))))
        return f"{base}.T" if is_turned else f"{base}.transpose({constant(self.axes)})"

    def read(self, base: Atom) -> Atom:
        return atoms.transpose(base, self.axes)

    def write(self, base: Atom, value: Atom) -> Atom:
        inverse = tuple(int(i) for i in np.argsort(self.axes))
        return atoms.transpose(value, inverse)


@frozen
class Diagonal(ViewStep):
    """`np.diagonal` of the last two axes, which are square and offset 0 after slicing."""

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        return base[:-1]

    def of(self, base: np.ndarray) -> np.ndarray:
        diagonal: np.ndarray = np.einsum("...ii->...i", base)  # unlike np.diagonal it can be written to
        return diagonal

    def _positions(self, n: int) -> Literal:
        return atoms.literal(np.stack([np.arange(n)] * 2, axis=-1), np.int64)

    def read(self, base: Atom) -> Atom:
        rank = len(base.type.shape)
        front = atoms.transpose(base, (rank - 2, rank - 1, *range(rank - 2)))
        part = atoms.op("gather", front, self._positions(base.type.shape[-1]))
        return atoms.transpose(part, (*range(1, rank - 1), 0))

    def write(self, base: Atom, value: Atom) -> Atom:
        rank = len(base.type.shape)
        front = atoms.transpose(base, (rank - 2, rank - 1, *range(rank - 2)))
        value = atoms.transpose(value, (rank - 2, *range(rank - 2)))
        whole = atoms.op("scatter", front, self._positions(base.type.shape[-1]), value, combine="set")
        return atoms.transpose(whole, (*range(2, rank), 0, 1))


@frozen
class ComplexPart(ViewStep):
    """`.real` or `.imag` of a complex array."""

    part: str

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        return base

    def dtype(self, base: np.dtype) -> np.dtype:
        return np.dtype(f"f{base.itemsize // 2}")

    def of(self, base: np.ndarray) -> np.ndarray:
        return base.real if self.part == "real" else base.imag

    def read(self, base: Atom) -> Atom:
        return atoms.op(self.part, base)

    def write(self, base: Atom, value: Atom) -> Atom:
        other = atoms.op("imag" if self.part == "real" else "real", base)
        parts = (value, other) if self.part == "real" else (other, value)
        return atoms.op("complex", *parts)


@frozen
class Broadcast(ViewStep):
    """`np.broadcast_to`: read only, as NumPy's."""

    to: tuple[int, ...]

    def shape(self, base: tuple[int, ...]) -> tuple[int, ...]:
        return self.to

    def of(self, base: np.ndarray) -> np.ndarray:
        return np.broadcast_to(base, self.to)

    def read(self, base: Atom) -> Atom:
        return atoms.broadcast_to(base, self.to)

    def write(self, base: Atom, value: Atom) -> Atom:
        raise ValueError("assignment destination is read-only")


Path = tuple[ViewStep, ...]


def positions(path: Path) -> list[Atom]:
    """The place of a view, as far as it is known only at run time."""
    return [start for step in path for start in step.positions]


def at(path: Path, positions: Iterator[int | Atom]) -> Path:
    """The path with others in place of its run-time positions."""
    return tuple([step.at(positions) for step in path])


def text(base: str, path: Path, shape: tuple[int, ...], constant: Callable[[object], str]) -> str:
    """The expression of a view of an ndarray of this shape; axes are dropped and added by indices."""
    steps = list(path)
    while steps:
        first = steps[0]
        one = first if isinstance(first, Slice) else Slice(tuple([AxisSlice(0, n) for n in shape]))
        after = steps[one is first : (one is first) + 1]
        key = _index(one.key(shape), one.shape(shape), after[0].to) if after and isinstance(after[0], Reshape) else None
        taken = 1 if key is None else 1 + (one is first)
        base = (
            first.text(base, shape, constant)
            if key is None
            else f"{base}[{constant(key[0] if len(key) == 1 else key)}]"
        )
        for step in steps[:taken]:
            shape = step.shape(shape)
        del steps[:taken]
    return base


def _index(key: Sequence[slice], shape: Sequence[int], to: Sequence[int]) -> tuple[int | slice | None, ...] | None:
    """The index that does what a slice and a reshape do that only drops and adds axes; None where it does more."""
    left, found = list(to), list[int | slice | None]()
    for part, size in zip(key, shape, strict=True):
        while size != 1 and left[:1] == [1]:
            del left[0]
            found.append(None)
        if left and left[0] == size:
            found.append(part)
            left.pop(0)
        elif size == 1:
            found.append(part.start)
        else:
            return None
    if set(left) - {1} or not to:
        return None  # ints alone would read an element
    found += [None] * len(left)
    return tuple(found)


def read(base: Atom, path: Path) -> Atom:
    """The value of a view."""
    for step in path:
        base = step.read(base)
    return base


def write(base: Atom, path: Path, value: Atom) -> Atom:
    """The base's value after a view of it has been set."""
    if not path:
        return value
    return path[0].write(base, write(path[0].read(base), path[1:], value))


def same(one: Path, other: Path) -> bool:
    """Return whether two paths surely lead to the same part of an array."""
    if one == other:
        return True
    return len(one) == len(other) and all(_same_step(a, b) for a, b in zip(one, other, strict=True))


def within(part: Path, view: Path) -> list[Path] | None:
    """The part of a view where all is that it has in common with a part of its array; None where that is not known.

    So of a row that is the same places in it as in another row. The list is empty where they have nothing in common.
    """
    leading, count = part[: len(view)], len(view)
    if same(leading, view):
        return [part[count:]]
    if len(leading) < count or not all(_beside(*steps) for steps in zip(leading, view, strict=True)):
        return None
    apart = any(
        isinstance(a.start, int) and isinstance(b.start, int) and a.start != b.start
        for one, other in zip(leading, view, strict=True)
        if isinstance(one, Slice) and isinstance(other, Slice)
        for a, b in zip(one.axes, other.axes, strict=True)
    )
    return [] if apart else [part[count:]]


def _beside(one: ViewStep, other: ViewStep) -> bool:
    """Return whether two steps lead to the same places but for those on axes of which they take one."""
    if not (isinstance(one, Slice) and isinstance(other, Slice)) or len(one.axes) != len(other.axes):
        return one == other
    pairs = zip(one.axes, other.axes, strict=True)
    return all(
        a.size == b.size == 1 or ((a.size, a.stride) == (b.size, b.stride) and _same_start(a.start, b.start))
        for a, b in pairs
    )


def _same_step(one: ViewStep, other: ViewStep) -> bool:
    if one == other:
        return True
    if not (isinstance(one, Slice) and isinstance(other, Slice)) or len(one.axes) != len(other.axes):
        return False
    pairs = zip(one.axes, other.axes, strict=True)
    return all((a.size, a.stride) == (b.size, b.stride) and _same_start(a.start, b.start) for a, b in pairs)


def _same_start(one: int | Atom, other: int | Atom) -> bool:
    if isinstance(one, int) or isinstance(other, int):
        return one == other
    return provably_equal(one, other)
