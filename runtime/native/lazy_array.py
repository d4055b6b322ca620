"""An array whose elements are computed where they are needed, and parts of arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Affine, Region, Span


@dataclasses.dataclass(frozen=True, slots=True)
class Axis:
    """The places of the elements of a part along an axis of the whole: at `start`, and every `stride` positions.

    Attributes
    ----------
    start : Affine
    stride : int
    of : int or None
        The axis of the part; None where it has one position there.
    """

    start: Affine
    stride: int = 1
    of: int | None = None

    def at(self, index: Sequence[Affine]) -> Affine:
        """The position of an element of the part."""
        return self.start if self.of is None else self.start + index[self.of].times(self.stride)

    def within(self, outer: Sequence[Axis]) -> Axis:
        """The places of the elements of a part of the part, which itself has `outer`."""
        if self.of is None:
            return self
        axis = outer[self.of]
        return Axis(self.start + axis.start.times(self.stride), self.stride * axis.stride, axis.of)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Update:
    """An array that has other elements than another one in a part.

    Attributes
    ----------
    base : LazyArray
        What it is elsewhere.
    axes : tuple of Axis
        Where the part is.
    value : LazyArray
        Of which the part is.
    region : Region
        The positions of the value that the part has.
    """

    base: LazyArray
    axes: tuple[Axis, ...]
    value: LazyArray
    region: Region


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class LazyArray:
    """An array by the way in which its elements are computed.

    Attributes
    ----------
    type : ArrayType
    make : callable
        Writes what computes the element at a position; returns its name.
    reads : frozenset of int
        The arrays in memory that it reads, by their places.
    cost : int
        How many operations an element takes.
    uniform : str
        The name of the value that all elements are.
    is_undefined : bool
        No element is ever asked for.
    region, rest
        Of bools: where they are true, as far as `rest` is.
    update : Update or None
    whole, axes
        Of a part of another array: the other one, and where the part is.
    memory : str
        The name of the array in memory that it is.
    """

    type: ArrayType
    make: Callable[[Sequence[Affine]], str]
    reads: frozenset[int] = frozenset()
    cost: int = 1
    uniform: str = ""
    is_undefined: bool = False
    region: Region | None = None
    rest: LazyArray | None = None
    update: Update | None = None
    whole: LazyArray | None = None
    axes: tuple[Axis, ...] = ()
    memory: str = ""


def is_all(axes: Sequence[Axis], whole: ArrayType, type: ArrayType) -> bool:
    """Return whether a part is all of an array."""
    zero = Affine(0)
    return whole.shape == type.shape and all(
        axis.start == zero and ((axis.of == i and axis.stride == 1) or n == 1)
        for i, (axis, n) in enumerate(zip(axes, whole.shape, strict=True))
    )


def is_rearrangement(axes: Sequence[Axis], whole: ArrayType, type: ArrayType) -> bool:
    """Return whether a part has each element of an array once; one may have as many, some of them more than once."""
    longer = [(axis, n) for axis, n in zip(axes, whole.shape, strict=True) if n != 1]
    return (
        type.size == whole.size
        and len({axis.of for axis, _ in longer}) == len(longer)
        and all(axis.of is not None and type.shape[axis.of] == n and abs(axis.stride) == 1 for axis, n in longer)
    )


def is_part(array: LazyArray, base: LazyArray, axes: Sequence[Axis]) -> bool:
    """Return whether an array is a certain part of another one."""
    whole = array if array.whole is None else array.whole
    if whole is not base and not (base.memory and whole.memory == base.memory and whole.type == base.type):
        return False
    own = array.axes or tuple(Axis(Affine(0), 1, axis) for axis in range(len(array.type.shape)))
    return all(
        a.start == b.start and ((a.of == b.of and a.stride == b.stride) or _length(array, a) == _length(array, b) == 1)
        for a, b in zip(own, axes, strict=True)
    )


def _length(array: LazyArray, axis: Axis) -> int:
    return 1 if axis.of is None else array.type.shape[axis.of]


def region_of_part(region: Region | None, axes: Sequence[Axis]) -> Region | None:
    """The region in which the bools of a part are true; None where that is none."""
    if region is None:
        return None
    found: dict[int, Span] = {}
    for axis, span in region.items():
        place = axes[axis]
        if place.of is None or abs(place.stride) != 1 or span.step is not None:
            return None
        lows, highs = span.lows, span.highs
        if place.stride < 0:
            lows, highs = (tuple(b.times(-1).shifted(1) for b in bounds) for bounds in (highs, lows))
        by = place.start.times(-place.stride)
        found[place.of] = Span(tuple(b + by for b in lows), tuple(b + by for b in highs))
    return found
