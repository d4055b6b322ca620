"""An array whose elements are computed where they are needed, and parts of arrays."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.native.affine import Affine, Positions, Region, Span
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.scalar_ops import compare


@dataclasses.dataclass(frozen=True, slots=True)
class Axis:
    """The places of the elements of a part along an axis of the whole: at `start`, and every `stride` positions."""

    start: Affine
    stride: int = 1
    of: int | None = None  # the axis of the part; None where it has one position there

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
    """An array that has other elements than another one in a part."""

    base: LazyArray  # what it is elsewhere
    axes: tuple[Axis, ...]  # where the part is
    value: LazyArray  # of which the part is
    region: Region  # the positions of the value that the part has


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class LazyArray:
    """An array by the way in which its elements are computed."""

    type: ArrayType
    make: Callable[[Sequence[Affine]], str]  # writes what computes the element at a position; returns its name
    reads: frozenset[int] = frozenset()  # the arrays in memory that it reads, by their places
    # The numbers of the operations that an element takes: what two operands have in common is done once.
    operations: frozenset[int] = frozenset()
    uniform: str = ""  # the name of the value that all elements are
    is_undefined: bool = False  # no element is ever asked for
    # Of bools: where they are true, as far as `rest` is.
    region: Region | None = None
    rest: LazyArray | None = None
    update: Update | None = None
    # Of a part of another array: the other one, and where the part is.
    whole: LazyArray | None = None
    axes: tuple[Axis, ...] = ()
    memory: str = ""  # the name of the array in memory that it is
    choice: Choice | None = None  # of which array as a whole it is, where a condition decides that
    # Makes the array of one axis that has the same elements in C order, where that takes no more: a loop over it is
    # longer than one over short rows.
    flattened: Callable[[], LazyArray] | None = None

    @property
    def cost(self) -> int:
        """The number of operations that an element takes."""
        return len(self.operations)


class Choice(NamedTuple):
    """One of two arrays, by the name of a bool; either is in memory or a choice itself."""

    pred: str
    on_true: LazyArray
    on_false: LazyArray


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


def parts_of(array: LazyArray) -> Sequence[Update]:
    """The updates at fixed places that an array consists of, and of nothing else, the first one first."""
    found: list[Update] = []
    while array.update is not None and not array.update.region and _is_plain(array.update):
        found.append(array.update)
        array = array.update.base
    return found[::-1] if array.is_undefined else ()


def pieces_of(array: LazyArray) -> Sequence[Update]:
    """The parts that an array consists of, as a stack of arrays has them.

    There are none where one is longer along the axis of the stack: parts of such an array, as of `np.roll`'s, mostly
    lie in several.
    """
    found = parts_of(array)
    return found if found and _are_stacked(found) else ()


def _are_stacked(updates: Sequence[Update]) -> bool:
    """Return whether updates at fixed places are of one shape, and of length 1 where one is beside the other."""
    if len({update.value.type.shape for update in updates}) != 1:
        return False
    columns = zip(*(update.axes for update in updates), strict=True)
    shape = updates[0].value.type.shape
    return all(
        len({axis.start for axis in column}) == 1 or all(axis.of is None or shape[axis.of] == 1 for axis in column)
        for column in columns
    )


def _is_plain(update: Update) -> bool:
    """Return whether the part of an update is a block at a fixed place, with each element of the value once."""
    of = [axis.of for axis in update.axes if axis.of is not None]
    longer = [axis for axis, n in enumerate(update.value.type.shape) if n != 1]
    return (
        all(not axis.start.terms and axis.stride == 1 for axis in update.axes)
        and len(set(of)) == len(of)
        and set(longer) <= set(of)
    )


def are_beside(update: Update, other: Update) -> bool:
    """Return whether two updates are blocks of one shape at fixed places that have no element in common."""
    if update.region or other.region or update.value.type.shape != other.value.type.shape:
        return False
    if not (_is_plain(update) and _is_plain(other)) or [a.of for a in update.axes] != [a.of for a in other.axes]:
        return False
    shape = update.value.type.shape
    return any(
        abs(a.start.constant - b.start.constant) >= (1 if a.of is None else shape[a.of])
        for a, b in zip(update.axes, other.axes, strict=True)
    )


class Placed(NamedTuple):
    """A part of an array, by where it is."""

    array: LazyArray
    axes: tuple[Axis, ...]


def placed_part(array: LazyArray, type: ArrayType, axes: Sequence[Axis]) -> Placed | None:
    """A part of an updated array as one of the update's value, or of its base; None where it may be of both."""
    update = array.update
    if update is None or update.region or not _is_plain(update) or any(axis.start.terms for axis in axes):
        return None
    shape, moved = update.value.type.shape, [Axis(Affine(0))] * len(update.value.type.shape)
    is_inside = True
    for axis, place in zip(axes, update.axes, strict=True):
        count = 1 if axis.of is None else type.shape[axis.of]
        ends = axis.start.constant, axis.start.constant + (count - 1) * axis.stride
        low, high = place.start.constant, place.start.constant + (1 if place.of is None else shape[place.of])
        if max(ends) < low or min(ends) >= high:
            return Placed(update.base, tuple(axes))
        is_inside = is_inside and low <= min(ends) and max(ends) < high
        if place.of is not None:
            moved[place.of] = Axis(axis.start.shifted(-low), axis.stride, axis.of)
    return Placed(update.value, tuple(moved)) if is_inside else None


@frozen
class Strided:
    """An array in memory or a part of it."""

    array: str  # the name of the array in memory
    start: Affine  # the number of the first element
    strides: tuple[int, ...]  # how far it is from one element to the next, by axes

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


_INT64 = np.dtype(np.int64)


class PartTests:
    """The conditions of one nest."""

    def __init__(self, code: Instructions, positions: Positions) -> None:
        self._code, self._positions = code, positions

    def value_at(self, update: Update, index: Sequence[Affine]) -> tuple[str, list[Affine]]:
        """The bool that a position is in the part, and the position of the value there."""
        tests, shape = [], update.value.type.shape
        at = [Affine(0)] * len(shape)
        for axis, position in zip(update.axes, index, strict=True):
            away = position - axis.start
            if axis.of is None:
                tests.append(self._is_zero(away))
                continue
            if axis.stride < 0:
                away = away.times(-1)
            if abs(axis.stride) != 1:
                away, exact = self._divided(away, abs(axis.stride))
                tests.append(exact)
            at[axis.of] = away
        everything = {axis: Span((Affine(0),), (Affine(n),)) for axis, n in enumerate(shape)}
        tests.append(self.inside(everything, at))
        tests.append(self.inside(update.region, at))
        inside = self.all_of(tests)
        return inside, [
            self._positions.within(i, n) for i, n in zip(at, shape, strict=True)
        ] if inside != "false" else at

    def inside(self, region: Region, index: Sequence[Affine]) -> str:
        """The bool that a position is in a region."""
        tests = []
        for axis, span in region.items():
            tests += [self._is_positive((index[axis] - low).shifted(1)) for low in span.lows]
            tests += [self._is_positive(high - index[axis]) for high in span.highs]
            if span.step is not None:
                away = self._positions.value(index[axis] - span.lows[0])
                left = self._code.add("srem", "i64", away, self._positions.value(span.step))
                tests.append(self._code.add("icmp eq", "i64", left, "0"))
        return self.all_of(tests)

    def _divided(self, away: Affine, stride: int) -> tuple[Affine, str]:
        if not away.terms:
            return Affine(away.constant // stride), "false" if away.constant % stride else "true"
        if all(factor % stride == 0 for _, factor in away.terms):
            exact = "false" if away.constant % stride else "true"
            terms = tuple((name, factor // stride) for name, factor in away.terms)
            return Affine(away.constant // stride, terms), exact
        name = self._positions.value(away)
        quotient = self._code.add("sdiv", "i64", name, str(stride))
        left = self._code.add("srem", "i64", name, str(stride))
        return self._positions.of(quotient), self._code.add("icmp eq", "i64", left, "0")

    def _is_zero(self, index: Affine) -> str:
        if not index.terms:
            return "false" if index.constant else "true"
        return compare(self._code, self._positions.value(index), "0", "EQ", _INT64)

    def _is_positive(self, index: Affine) -> str:
        if self._positions.is_at_least(index, 1):
            return "true"
        if self._positions.is_below(index, 1):
            return "false"
        return compare(self._code, self._positions.value(index), "0", "GT", _INT64)

    def all_of(self, tests: Sequence[str]) -> str:
        """The bool that all of these hold."""
        left = list(dict.fromkeys(test for test in tests if test != "true"))
        if "false" in left:
            return "false"
        found = left[0] if left else "true"
        for test in left[1:]:
            found = self._code.add("and", "i1", found, test)
        return found
