"""Arrays of run-time size brought together: NumPy's broadcasting, decided while tracing where it can be.

Operands whose extents are surely the same are taken where they are. Others are moved to the front of their axes, and
their sizes are compared at run time: a size of 1 is stretched, others that differ raise what NumPy raises.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.failures import UnreachableError
from anabranch.runtime.tracing.source_frames import Position
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, ValidRegion, Window
from anabranch.runtime.values.failures import run_time_checks

# ---- messages that tell of run-time sizes ----------------------------------------------------------------------------


@frozen
class SizeMessage:
    """Makes an exception whose text tells of sizes and shapes; those known only at run time are None."""

    cls: type[BaseException]
    text: str | Callable[..., str]  # with a place for each, or made of them where the sizes decide the words
    told: tuple[int | tuple[int | None, ...] | None, ...]

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        sizes = iter(found)

        def known(size: int | None) -> int:
            return int(next(sizes)) if size is None else size

        values = [tuple(map(known, t)) if isinstance(t, tuple) else known(t) for t in self.told]
        if callable(self.text):
            return self.cls(self.text(*values))
        return self.cls(self.text.format(*(atoms.shape_text(v) if isinstance(v, tuple) else v for v in values)))


def refuse(
    pred: Atom, cls: type[BaseException], text: str | Callable[..., str], *told: Bound | Sequence[Bound]
) -> None:
    """Raise where the predicate holds; the text tells of these sizes and shapes, as they are then."""
    shapes = [t if isinstance(t, (tuple, list)) else (t,) for t in told]
    known = [tuple(n if isinstance(n, int) else None for n in shape) for shape in shapes]
    sizes = [size_arithmetic.atom_of(n) for shape in shapes for n in shape if not isinstance(n, int)]
    plain = tuple(k if isinstance(t, (tuple, list)) else k[0] for k, t in zip(known, told, strict=True))
    make_error = SizeMessage(cls, text, plain)
    if isinstance(pred, Literal):
        if not pred.value:
            return
        if not sizes:
            raise make_error([])
    run_time_checks.record_failure(pred, make_error, None, run_time_checks.user_frames(), sizes)
    if isinstance(pred, Literal):
        raise UnreachableError


def differ(a: Bound, b: Bound) -> Atom:
    """Return whether two sizes differ."""
    gap = size_arithmetic.distance(a, b)
    if gap is not None:
        return atoms.literal(gap != 0)
    first, second = size_arithmetic.interval_of(a), size_arithmetic.interval_of(b)
    if first.high < second.low or second.high < first.low:
        return atoms.literal(True)
    return atoms.ufunc(np.not_equal, size_arithmetic.atom_of(a), size_arithmetic.atom_of(b))


# ---- broadcasting ----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class _Operand:
    """An operand on its way to the common shape."""

    value: Any
    shape: tuple[Any, ...]
    extents: list[ValidRegion | None]

    def extent(self, axis: int, rank: int) -> tuple[int, ValidRegion | None] | None:
        """The place of an axis of the common shape in the operand's own, with its extent."""
        at = axis - (rank - len(self.shape))
        return None if at < 0 else (at, self.extents[at])

    @property
    def atom(self) -> Atom:
        return self.value.atom  # type: ignore[no-any-return]

    def conform(self, at: int, capacity: int, stretches: bool) -> None:
        """Move the elements of an axis to the front of as many places; where there is one, it is what all get."""
        extent, size, value = self.extents[at], self.shape[at], self.atom
        if isinstance(extent, Masked):
            value = compaction.compacted(value, at, extent)
        elif isinstance(extent, Window):
            length = min(capacity, value.type.shape[at])
            value = compaction.shifted(value, at, extent.start, length)
        one = compaction.resized(value, at, min(1, value.type.shape[at])) if stretches else None
        value = compaction.resized(value, at, capacity)
        if one is not None and one.type.shape[at]:
            alone = atoms.ufunc(np.equal, size_arithmetic.atom_of(size), atoms.literal(1, np.int64))
            value = atoms.select(alone, atoms.broadcast_to(one, value.type.shape), value)
        self.value, self.extents[at] = wrap.array_of(value), None

    def trim(self, at: int, capacity: int) -> None:
        """Leave out the places at the end of an axis at which no element is."""
        if self.value.shape[at] != capacity:
            self.value = wrap.array_of(compaction.resized(self.atom, at, capacity))
            extent = self.extents[at]
            assert isinstance(extent, Window)


def _may_be_one(size: Bound) -> bool:
    known = size_arithmetic.interval_of(size)
    return bool(known.low <= 1 <= known.high)


@dataclasses.dataclass(slots=True)
class Aligned:
    """Operands of ordinary shapes that broadcast, and the extents of what an elementwise function makes of them."""

    operands: list[Any]
    extents: tuple[ValidRegion | None, ...]
    origin: Position | None

    def made(self, result: object) -> Value:
        """A result of the common shape with the common extents."""
        if isinstance(result, tuple):
            return tuple(map(self.made, result))
        return wrap.with_extents(result, self.extents, self.origin)


OPERANDS = "operands could not be broadcast together with shapes {} "


def broadcast(operands: Sequence[Value], fill: Value = None, text: str | None = None) -> Aligned:
    """Operands of which some have run-time sizes, brought to ordinary shapes that broadcast.

    `fill` is what stands where no element is, where that matters: for functions that raise for some values. Raises
    `ValueError` at run time, where the sizes do not go together.
    """
    rows = [_row(x, fill) for x in operands]
    rank = max(len(r.shape) for r in rows)
    shapes = [r.shape for r in rows]
    message = text or OPERANDS.rstrip() + " {}" * (len(rows) - 1) + " "
    extents = [_axis(rows, axis, rank, lambda bad: refuse(bad, ValueError, message, *shapes)) for axis in range(rank)]
    origin = next((x.origin for x in operands if wrap.is_dynamic_array(x)), None)
    return Aligned([r.value for r in rows], tuple(extents), origin)


def _row(x: Value, fill: Value) -> _Operand:
    if wrap.is_dynamic_array(x):
        value = x.memory if fill is None else x.padded(fill)
        return _Operand(value, x.shape, list(x.extents))
    x = wrap.numpy_operand(x)
    if isinstance(x, np.ndarray):
        x = wrap.array_of(wrap.as_atom(x))
    shape = wrap.shape_of(x)
    return _Operand(x, shape, [None] * len(shape))


def _axis(rows: Sequence[_Operand], axis: int, rank: int, check: Callable[[Atom], None]) -> ValidRegion | None:
    """Bring one axis of all operands together; return its extent in the result."""
    here = [(row, *found) for row in rows if (found := row.extent(axis, rank)) is not None]
    sized = [(row, at) for row, at, extent in here if extent is not None]
    fixed = {row.shape[at] for row, at, extent in here if extent is None and row.shape[at] != 1}
    if len(fixed) > 1:
        check(atoms.literal(True))
    if not sized:
        return None
    if fixed:
        _to_fixed(sized, fixed.pop(), check)
        return None
    (first, front), *others = sized
    extent = first.extents[front]
    assert extent is not None
    if all(extent.same(row.extents[at]) for row, at in others):
        _trim(sized)
        return extent
    return _to_common(sized, check)


def _trim(sized: Sequence[tuple[_Operand, int]]) -> None:
    least = min(row.value.shape[at] for row, at in sized)
    for row, at in sized:
        row.trim(at, least)


def _to_fixed(sized: Sequence[tuple[_Operand, int]], size: int, check: Callable[[Atom], None]) -> None:
    """Beside an axis of static size, run-time sizes must be that, or 1."""
    for row, at in sized:
        own = row.shape[at]
        wrong = differ(own, size)
        stretches = _may_be_one(own)
        if stretches:
            wrong = atoms.logical_and(wrong, differ(own, 1))
        check(wrong)
        row.conform(at, size, stretches)


def _to_common(sized: Sequence[tuple[_Operand, int]], check: Callable[[Atom], None]) -> ValidRegion:
    """Run-time sizes side by side: all the same, but for those that are 1."""
    sizes = [row.shape[at] for row, at in sized]
    common = sizes[0]
    for size in sizes[1:]:
        if _may_be_one(common) and size_arithmetic.distance(common, size) != 0:
            common = size_arithmetic.choose(atoms.logical_not(differ(common, 1)), size, common)
    alike = all(size_arithmetic.distance(sizes[0], size) == 0 for size in sizes[1:])
    capacities = [row.value.shape[at] for row, at in sized]
    stretches = [not alike and _may_be_one(size) for size in sizes]
    capacity = max(capacities) if any(stretches) else min(capacities)
    for (row, at), size, stretched in zip(sized, sizes, stretches, strict=True):
        wrong = differ(size, common) if not alike else atoms.literal(False)
        check(atoms.logical_and(wrong, differ(size, 1)) if stretched else wrong)
        row.conform(at, capacity, stretched)
    return Window(0, size_arithmetic.limited(common, 0, capacity))


def elementwise(function: Callable[..., object], operands: Sequence[object], fill: object = None) -> Value:
    """`function(*operands)` of operands of which some have run-time sizes, element by element."""
    aligned = broadcast(operands, fill)
    return aligned.made(function(*aligned.operands))


# ---- assignment ------------------------------------------------------------------------------------------------------


_ASSIGNED = "could not broadcast input array from shape {} into shape {}"


def in_place(value: tuple[int, ...], target: tuple[int, ...]) -> str:
    """The message of the exception of `target += value` where the value has another shape."""
    into, given = atoms.shape_text(target), atoms.shape_text(value)
    try:
        common = atoms.shape_text(np.broadcast_shapes(value, target))
    except ValueError:
        return f"operands could not be broadcast together with shapes {into} {given} {into} "
    return f"non-broadcastable output operand with shape {into} doesn't match the broadcast shape {common}"


def fitted(
    value: Value,
    target: Value,
    text: str | Callable[..., str] = _ASSIGNED,
    told: Callable[[Sequence[Bound]], Bound | Sequence[Bound]] = tuple,
    where: Atom | None = None,
) -> Value:
    """A value as what stands at the places of a target's elements: it broadcasts to the target's capacity.

    The text of the exception tells of the value's and the target's shapes, or of what `told` makes of them. Only
    `where` it matters the value must fit. Raises `ValueError` at run time, where its shape does not broadcast to the
    target's.
    """
    value = wrap.numpy_operand(value)
    row = _row(value, None)
    if not row.shape:
        return value
    shapes = (told(row.shape), told(target.shape))

    def check(bad: Atom) -> None:
        refuse(bad if where is None else atoms.logical_and(bad, where), ValueError, text, *shapes)

    while len(row.shape) > target.ndim and isinstance(row.shape[0], int) and row.shape[0] == 1:
        row.value = wrap.array_of(atoms.reshape(wrap.as_atom(row.value), row.value.shape[1:]))
        row.shape, row.extents = row.shape[1:], row.extents[1:]
    if len(row.shape) > target.ndim:
        check(atoms.literal(True))
    for at in range(len(row.shape)):
        _fit(row, at, target, at + target.ndim - len(row.shape), check)
    return row.value


def _fit(row: _Operand, at: int, target: Value, axis: int, check: Callable[[Atom], None]) -> None:
    """Put one axis of a value to where the target's elements are."""
    size, wanted = row.shape[at], target.shape[axis]
    extent, goal, capacity = row.extents[at], None, wanted
    if wrap.is_dynamic_array(target):
        goal, capacity = target.extents[axis], target.capacity[axis]
    if extent is None and isinstance(size, int) and size == 1:
        return
    if extent is not None and goal is not None and extent.same(goal) and row.value.shape[at] == capacity:
        row.extents[at] = None
        return
    wrong = differ(size, wanted)
    stretches = extent is not None and _may_be_one(size) and size_arithmetic.distance(size, wanted) != 0
    if stretches:
        wrong = atoms.logical_and(wrong, differ(size, 1))
    check(wrong)
    row.conform(at, capacity if extent is not None else row.value.shape[at], stretches)
    placed = compaction.placed(row.atom, at, goal, capacity)
    row.value = wrap.array_of(placed)
