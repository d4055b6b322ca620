"""The valid region of an axis, known only at run time: a window, or the elements that a mask selects."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import bind
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.memory.handle import Handle
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.value_equality import provably_equal


class ValidRegion(abc.ABC):
    """The elements of an axis whose static length is a capacity."""

    __slots__ = ()
    follow: ClassVar[bool]  # whether one element is beside the other

    @property
    @abc.abstractmethod
    def size(self) -> Bound:
        """How many there are: an int or a traced Python int."""

    @abc.abstractmethod
    def valid(self, shape: tuple[int, ...], axis: int) -> Atom | None:
        """Which they are, as bools of a shape that has the axis; None for all."""

    @property
    @abc.abstractmethod
    def parts(self) -> tuple[Bound | Handle, ...]:
        """The run-time values that it consists of."""

    @abc.abstractmethod
    def same(self, other: ValidRegion | None) -> bool:
        """Return whether another extent surely selects the same positions."""


@frozen(eq=False)
class Window(ValidRegion):
    """The positions from `start` up to `stop`; 0 <= start <= stop <= the axis's length."""

    start: Bound
    stop: Bound
    follow = True

    @property
    def size(self) -> Bound:
        return size_arithmetic.subtract(self.stop, self.start)

    def valid(self, shape: tuple[int, ...], axis: int) -> Atom | None:
        if size_arithmetic.distance(self.start, 0) == 0 == size_arithmetic.distance(self.stop, shape[axis]):
            return None
        return size_arithmetic.window(shape, axis, self.start, self.stop)

    @property
    def parts(self) -> tuple[Bound | Handle, ...]:
        return (self.start, self.stop)

    def same(self, other: ValidRegion | None) -> bool:
        if not isinstance(other, Window):
            return False
        return size_arithmetic.distance(self.start, other.start) == 0 == size_arithmetic.distance(self.stop, other.stop)


@frozen(eq=False)
class Front(Window):
    """The window of a result's own memory, of which the caller gets no more than twice what it shows."""


@frozen(eq=False)
class Masked(ValidRegion):
    """The positions at which a mask is true, in order."""

    mask: Handle  # an array handle that nobody else has
    whole: Atom | None  # the mask of several axes, whose elements these are in C order
    follow = False

    @property
    def size(self) -> Bound:
        counted = atoms.op("reduce_sum", atoms.convert(self.mask.atom, np.int64), axes=(0,))
        size: Bound = python_scalar(counted, Interval(0, self.mask.shape[0]))
        return size

    def valid(self, shape: tuple[int, ...], axis: int) -> Atom | None:
        along = [n if i == axis else 1 for i, n in enumerate(shape)]
        return atoms.broadcast_to(atoms.reshape(self.mask.atom, along), shape)

    def positions(self) -> Atom:
        """The positions, in order, then others."""
        return atoms.op("true_positions", self.mask.atom)

    def counted_positions(self) -> tuple[Atom, Bound]:
        """The positions, in order, then any numbers; and how many they are."""
        positions, count = bind(OPS["counted_positions"], self.mask.atom)
        return positions, python_scalar(count, Interval(0, self.mask.shape[0]))

    def ranks(self) -> Atom:
        """How many of them come before each position of the axis; before others, any number."""
        counts = atoms.convert(self.mask.atom, np.int64)
        if not counts.type.size:
            return counts
        return atoms.ufunc(np.subtract, atoms.op("cumsum", counts, axis=0), counts)

    @property
    def parts(self) -> tuple[Bound | Handle, ...]:
        return (self.mask,)

    def same(self, other: ValidRegion | None) -> bool:
        if not isinstance(other, Masked):
            return False
        a, b = self.mask, other.mask
        is_one = a is b or (a.storage is b.storage and not a.path and not b.path) or provably_equal(a.atom, b.atom)
        return is_one or (self.whole is not None and self.whole is other.whole)


@frozen(eq=False)
class Strided(Masked):
    """The positions from `start` up to `stop`, `step` apart: 0 <= start, and 0 < step. Elsewhere it is its mask."""

    start: Bound
    stop: Bound
    step: Bound

    @property
    def size(self) -> Bound:
        return size_arithmetic.steps(self.start, self.stop, self.step)

    def positions(self) -> Atom:
        return atoms.ufunc(
            np.add, self._vector(self.start), atoms.ufunc(np.multiply, self._places(), self._vector(self.step))
        )

    def counted_positions(self) -> tuple[Atom, Bound]:
        return self.positions(), self.size

    def ranks(self) -> Atom:
        away = atoms.ufunc(np.subtract, self._places(), self._vector(self.start))
        return atoms.ufunc(np.floor_divide, away, self._vector(self.step))

    def same(self, other: ValidRegion | None) -> bool:
        if not isinstance(other, Strided):
            return Masked.same(self, other)
        pairs = ((self.start, other.start), (self.stop, other.stop), (self.step, other.step))
        return all(size_arithmetic.distance(a, b) == 0 for a, b in pairs)

    def _places(self) -> Atom:
        return atoms.op("iota", shape=self.mask.shape, dtype=np.dtype(np.int64), axis=0)

    def _vector(self, bound: Bound) -> Atom:
        return atoms.broadcast_to(size_arithmetic.atom_of(bound), self.mask.shape)


def valid_elements(regions: Sequence[ValidRegion | None], shape: tuple[int, ...]) -> Atom | None:
    """Which elements of a shape lie in the regions of all axes, as bools; None for all."""
    found: Atom | None = None
    for axis, region in enumerate(regions):
        here = None if region is None else region.valid(shape, axis)
        if here is not None:
            found = here if found is None else atoms.logical_and(found, here)
    return found


def masked(mask: Atom) -> Masked:
    """The positions at which a mask is true, as those of one axis in C order."""
    if len(mask.type.shape) == 1:
        return Masked(wrap.array_of(mask), None)
    return Masked(wrap.array_of(atoms.reshape(mask, (mask.type.size,))), mask)


def strided(size: int, start: Bound, stop: Bound, step: Bound) -> Strided:
    """The positions of an axis from one bound up to another, `step` apart."""
    mask = size_arithmetic.window((size,), 0, start, stop, step)
    return Strided(wrap.array_of(mask), None, start, stop, step)
