"""Reshaping of arrays whose size is known only at run time: views where NumPy makes views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy import operands
from anabranch.runtime.tracing.builder import Builder
from anabranch.runtime.tracing.storage import Compact
from anabranch.runtime.values import atoms, visibility, wrap
from anabranch.runtime.values.dynamic_shapes import broadcasting, compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.valid_region import Window, masked
from anabranch.runtime.values.memory import aliasing, memory_layout, views
from anabranch.runtime.values.pytrees.padded_union import left_packed_memory
from anabranch.runtime.values.registry import FUNCTIONS


def raveled(a: Value, order: str) -> Value:
    """`np.ravel`: a view of what is contiguous, else a copy."""
    if order == "F":
        a, order = operands.transposed(a), "C"
    _check_order(a, order)
    return _as_line(a, _follow(a, a.itemsize))


def _check_order(a: Value, order: str) -> None:
    if order != "C" and not (a.ndim == 1 or memory_layout.plain(a.memory)):
        a._needs_size(f"the order in memory, for order={order!r}")


def _as_line(a: Value, together: Atom | None) -> Value:
    """The elements in C order: a copy, which is the same memory where that holds. NumPy copies only what it must."""
    line = _flattened(a)
    if isinstance(together, Literal) and together.value and (a.ndim == 1 or _is_view(a.memory)):
        return line
    return _copy_unless(together, line)


def _copy_unless(together: Atom | None, a: Value) -> Value:
    made = a.__copy__()
    if not isinstance(together, Literal) or together.value:
        aliasing.add_edge(made.memory.storage, together, a.memory)
    return made


def _is_view(whole: Value) -> bool:
    """Return whether not only the elements but all places that they lie among make a line without a copy."""
    return memory_layout.reshape(memory_layout.model(whole), (math.prod(whole.shape),)) is not None


def _flattened(a: Value) -> Value:
    """The elements in C order, as if they were a view."""
    if a.ndim == 1:
        return a
    flat = views.Reshape((math.prod(a.capacity),))
    first = a.extents[0]
    if isinstance(first, Window) and not any(a.extents[1:]):
        # The elements of a window of rows follow one another.
        inner = math.prod(a.capacity[1:])
        return a.viewed(flat, extents=(Window(*(size_arithmetic.bound_of(b * inner) for b in first.parts)),))
    mask = a.valid() or atoms.broadcast_to(atoms.literal(True), a.capacity)
    return a.viewed(flat, extents=(masked(atoms.reshape(mask, (math.prod(a.capacity),))),))


def _follow(a: Value, step: int | None = None) -> Atom | None:
    """Return whether the elements in C order follow one another in NumPy's memory; None where that is unknown.

    They are `step` bytes apart, or any number of bytes.
    """
    layout = a.memory.storage.strides
    if isinstance(layout, Compact):
        return atoms.literal(True) if not a.memory.path and _are_same(layout.extents, a.extents) else None
    # What a mask selects of other memory may be every second element.
    if not memory_layout.known(a.memory) or any(e is not None and not e.follow for e in a.extents):
        return None
    fine: Atom = atoms.literal(True)
    # How far apart is said by the first axis, from the last one on, that has more than one element.
    said: Atom = atoms.literal(step is not None)
    unit: Any = step or 0
    inner: Any = 1
    for stride, size in reversed(list(zip(memory_layout.model(a.memory).strides, a.shape, strict=True))):
        size = size_arithmetic.bound_of(size)
        several = broadcasting.differ(size, 1)
        unit = size_arithmetic.choose(said, unit, stride)
        apart = atoms.logical_and(several, broadcasting.differ(stride, size_arithmetic.bound_of(inner * unit)))
        fine = atoms.logical_and(fine, atoms.logical_not(apart))
        said = atoms.logical_or(said, several)
        inner = size_arithmetic.bound_of(inner * size)
    return atoms.logical_or(fine, atoms.logical_not(broadcasting.differ(inner, 0)))


def _are_same(ones: Sequence[Value] | None, others: Sequence[Value]) -> bool:
    return ones is not None and all(
        a is b or (a is not None and b is not None and a.same(b)) for a, b in zip(ones, others, strict=True)
    )


def contiguous(a: Value) -> Value:
    """`np.ascontiguousarray`: a copy where the elements do not follow one another."""
    together = _follow(a, a.itemsize)
    return a if isinstance(together, Literal) and together.value else _copy_unless(together, a)


def reshaped(a: Value, shape: Value, order: str, copy: Value) -> Value:
    """`np.reshape` to a shape of which all sizes but one are known while tracing."""
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if order == "F":
        return operands.transposed(reshaped(operands.transposed(a), wanted[::-1], "C", copy))
    _check_order(a, order)
    if copy is not None and not copy:
        a._needs_size("to know whether a view will do, for copy=False,")
    a = a.__copy__() if copy else a
    if len(wanted) == 1 and _is(wanted[0], -1):
        return _as_line(a, _follow(a))
    own = [n for n, e in zip(a.shape, a.extents, strict=True) if e is not None or n != 1]
    kept = [n for n in wanted if not _is(n, 1)]
    if _are_alike(own, kept):
        return _with_ones(a, wanted, own, kept)
    return _regrouped(a, tuple(n if _is(n, -1) else size_arithmetic.bound_of(n) for n in wanted))


def _regrouped(a: Value, wanted: tuple[Value, ...]) -> Value:
    """The elements in C order in another shape."""
    total = a.size
    # Other shapes than lines may be views of elements, too, that do not follow one another.
    lies = _follow(a)
    surely = isinstance(lies, Literal) and lies.value
    line = _as_line(a, lies if surely or sum(not _is(n, 1) for n in wanted) < 2 else None)
    unknown = [i for i, n in enumerate(wanted) if _is(n, -1)]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(n for n in wanted if not _is(n, -1))
    _refuse_misfit(total, known, wanted, bool(unknown))
    run_time = unknown or [i for i, n in enumerate(wanted) if not isinstance(n, int)]
    if not run_time:
        return _of_known_size(line, wanted, known)
    if len(run_time) > 1 or any(not isinstance(n, int) for i, n in enumerate(wanted) if i not in run_time):
        a._needs_size("a shape with at most one size that is known only at run time")
    return _rows(a, line, wanted, run_time[0], total)


def _refuse_misfit(total: Value, known: Value, wanted: tuple[Value, ...], divides: bool) -> None:
    """NumPy's exception for a number of elements that does not fit."""
    text = "cannot reshape array of size {} into shape {}"
    if not divides:
        broadcasting.refuse(
            broadcasting.differ(total, size_arithmetic.bound_of(known)), ValueError, text, total, wanted
        )
        return
    if isinstance(known, int) and isinstance(total, int):
        wrong: Atom = atoms.literal(known == 0 or total % known != 0)
    else:
        rest = FUNCTIONS[np.remainder](total, FUNCTIONS[np.maximum](known, 1))
        wrong = wrap.as_atom(FUNCTIONS[np.logical_or](FUNCTIONS[np.not_equal](rest, 0), FUNCTIONS[np.equal](known, 0)))
    # The unknown size is left out where it is first, as NumPy does it.
    told = [n for i, n in enumerate(wanted) if i or not _is(n, -1)]
    if any(_is(n, -1) for n in told):
        shape = ",".join("newaxis" if _is(n, -1) else "{}" for n in told)
        broadcasting.refuse(
            wrong,
            ValueError,
            f"cannot reshape array of size {{}} into shape ({shape})",
            total,
            *(n for n in told if not _is(n, -1)),
        )
        return
    shape = ",".join(["{}"] * len(told))
    broadcasting.refuse(wrong, ValueError, f"cannot reshape array of size {{}} into shape ({shape})", total, *told)


def _of_known_size(line: Any, wanted: tuple[int, ...], size: int) -> Value:
    """A view of as many elements of a line as are in it, in a shape that is known."""
    first, view = line.extents[0], line.memory
    if size > line.capacity[0]:  # which has failed
        return wrap.array_of(atoms.reshape(compaction.resized(view.atom, 0, size), wanted))
    start: int | Atom = 0
    if size and isinstance(first, Window):
        start = first.start if isinstance(first.start, int) else size_arithmetic.atom_of(first.start)
    elif size:
        view = left_packed_memory(line)
    return view.viewed(views.Slice((views.AxisSlice(start, size, 1),)), views.Reshape(wanted))


def _rows(a: Value, line: Any, wanted: tuple[Value, ...], axis: int, total: Value) -> Value:
    """A view of a line in a shape whose size on one axis is known only at run time."""
    others = math.prod(n for i, n in enumerate(wanted) if i != axis)
    capacity = line.capacity[0] // others if others else 0
    shape = tuple(capacity if i == axis else n for i, n in enumerate(wanted))
    rows = _window(a, line, others) if axis == 0 else None
    size = size_arithmetic.limited(size_arithmetic.bound_of(total // others if others else 0), 0, capacity)
    extents = tuple((rows or Window(0, size)) if i == axis else None for i in range(len(wanted)))
    if rows is not None or math.prod(wanted[:axis]) == 1:
        view = left_packed_memory(line) if rows is None else line.memory
        return wrap.part_of(view[: capacity * others].viewed(views.Reshape(shape)), extents, line.origin)
    # Where the axes before go on, the next rows begin where the last have ended, which is known only at run time.
    form = PaddedRows.of(left_packed_memory(line), shape, axis, size, total)
    made = wrap.array_of(form.to_owner(form.line))
    aliasing.add_edge(made.storage, atoms.literal(True), form.line, form)
    return wrap.part_of(made, extents, line.origin)


def _window(a: Value, line: Any, length: int) -> Window | None:
    """The window of the rows of a length that a line's elements make; None where they do not begin with a whole one."""
    elements, rows = line.extents[0], a.extents[0]
    if not isinstance(elements, Window) or not length:
        return None
    if _is(elements.start, 0):
        return Window(
            0, size_arithmetic.limited(size_arithmetic.bound_of(elements.stop // length), 0, line.capacity[0] // length)
        )
    inner = math.prod(a.capacity[1:])
    if a.ndim == 1 or inner % length:
        return None
    return Window(*(size_arithmetic.bound_of(b * (inner // length)) for b in rows.parts))


@frozen(eq=False)
class PaddedRows:
    """The layout of a line's elements in an array: one group of rows after the other, each with unused capacity."""

    line: Any  # array
    shape: tuple[int, ...]
    places: Atom  # where in the line the array's elements are
    back: Atom  # where in the array, its axes put into one, the line's elements are
    some: Atom  # which places of the line have elements

    @staticmethod
    def of(line: Any, shape: tuple[int, ...], axis: int, size: Value, total: Value) -> PaddedRows:
        """That of so many elements in all, in groups of `size` rows along an axis."""
        capacity, inner = shape[axis], math.prod(shape[axis + 1 :])
        # Row r of group g begins with element (g * size + r) * inner of the line.
        at = np.arange(math.prod(shape))
        group, row, column = at // (capacity * inner), at // inner % capacity, at % inner
        places = (group * size + row) * inner + column
        there = np.arange(line.shape[0])
        rows = FUNCTIONS[np.maximum](size, 1)
        group, row = there // inner // rows, there // inner % rows
        back = (group * capacity + row) * inner + there % inner
        number = np.dtype(np.int64)
        some = wrap.as_atom(there < total, np.dtype(np.bool_))
        return PaddedRows(line, shape, wrap.as_atom(places, number), wrap.as_atom(back, number), some)

    def to_owner(self, handle: Any) -> Atom:
        """The array."""
        return atoms.reshape(compaction.taken(handle.atom, 0, self.places), self.shape)

    def to_handle(self, held: Atom, handle: Any) -> Atom:
        """The line with the array's elements."""
        line = atoms.reshape(atoms.convert(held, handle.dtype), (math.prod(self.shape),))
        return atoms.select(self.some, compaction.taken(line, 0, self.back), handle.atom)

    def is_visible(self, builder: Builder) -> bool:
        """Return whether a builder can see where the elements are."""
        every = (self.places, self.back, self.some)
        return all(isinstance(a, Literal) or visibility.atom_visible(builder, a) for a in every)

    @property
    def starts(self) -> None:
        """They do not lie side by side."""

    @property
    def is_whole(self) -> bool:
        """Return whether the array is the line as it was: it has another shape."""
        return False


def _is(n: object, value: int) -> bool:
    return isinstance(n, (int, np.integer)) and n == value


def _are_alike(own: Sequence[object], wanted: Sequence[object]) -> bool:
    """Return whether a shape is another but for one size, which is what the others leave for it."""
    if len(own) != len(wanted):
        return False
    same = [not _is(m, -1) and _surely(n, m) for n, m in zip(own, wanted, strict=True)]
    rest = [n for n, is_same in zip(own, same, strict=True) if is_same]
    return all(same) or (same.count(False) == 1 and all(isinstance(n, int) and n > 0 for n in rest))


def _surely(own: object, wanted: object) -> bool:
    return size_arithmetic.distance(size_arithmetic.bound_of(own), size_arithmetic.bound_of(wanted)) == 0


def _with_ones(a: Value, wanted: tuple[Value, ...], own: list[Value], kept: list[Value]) -> Value:
    for n, m in zip(own, kept, strict=True):
        if not _is(m, -1):
            text = "cannot reshape array of size {} into shape {}"
            broadcasting.refuse(
                broadcasting.differ(n, size_arithmetic.bound_of(m)), ValueError, text, a.size, tuple(wanted)
            )
    left = iter([(n, e) for n, e in zip(a.capacity, a.extents, strict=True) if e is not None or n != 1])
    axes = [(1, None) if _is(n, 1) else next(left) for n in wanted]
    return a.viewed(views.Reshape(tuple(n for n, _ in axes)), extents=tuple(e for _, e in axes))
