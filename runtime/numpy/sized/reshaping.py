"""The elements of arrays whose size is known only at run time, in another shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anabranch.runtime.ir import Atom, Literal
from anabranch.runtime.numpy.core import iota
from anabranch.runtime.numpy.sized.shapes import transpose
from anabranch.runtime.values import aliasing, aligning, atoms, bounds, compacting, strides, views, wrap
from anabranch.runtime.values.dispatch import FUNCTIONS, sized, sized_method
from anabranch.runtime.values.extents import Masked, Window, masked


@sized(np.ravel)
def ravel(a: Any, order: Any = "C") -> Any:
    """As `numpy.ravel` in C order."""
    if order not in ("C", "K", "A"):
        return ravel(transpose(a))
    flat, capacity = views.Reshape((math.prod(a.capacity),)), a.capacity
    inner = math.prod(capacity[1:])
    first = a.extents[0]
    if a.ndim == 1 and (isinstance(first, Window) or strides.plain(a.view)):
        return a
    if isinstance(first, Window) and not any(a.extents[1:]):
        # Rows that follow one another: the elements of a window of them do, too.
        window = Window(*(bounds.bound_of(b * inner) for b in first.parts))
        return a.viewed(flat, extents=(window,))
    mask = a.valid()
    assert mask is not None
    line = a.viewed(flat, extents=(masked(atoms.reshape(mask, (math.prod(capacity),))),))
    return _copy_unless(_contiguous(a), line)


def _copy_unless(together: Atom, a: Any) -> Any:
    """A copy, which is the same memory where that holds: NumPy copies only what it must."""
    made = a.__copy__()
    if not (isinstance(together, Literal) and not together.value):
        aliasing.link(made.view.storage, together, a.view)
    return made


def _contiguous(a: Any) -> Atom:
    """Whether the elements follow one another in memory, in C order."""
    if not strides.plain(a.view) and a.view.path:
        model = strides.model(a.view) if strides.known(a.view) else None
        if model is None or not model.flags.c_contiguous:
            return atoms.literal(False)
    fine: Atom = atoms.literal(True)
    inner, whole = 1, 1
    for axis in reversed(range(a.ndim)):
        size = bounds.bound_of(a.shape[axis])
        gap = aligning.differ(bounds.bound_of(inner), whole)
        if isinstance(a.extents[axis], Masked):
            gap = atoms.literal(True)
        apart = atoms.logical_and(gap, aligning.differ(size, 1))
        fine = atoms.logical_and(fine, atoms.logical_not(apart))
        inner, whole = inner * size, whole * a.capacity[axis]
    return fine


@sized_method("flatten")
def flatten(a: Any, order: Any = "C") -> Any:
    """As `ndarray.flatten`: a copy."""
    return ravel(a.__copy__(), order)


@sized(np.reshape)
def reshape(a: Any, /, shape: Any = None, order: Any = "C", *, copy: Any = None) -> Any:
    """As `numpy.reshape` to a shape of which all sizes but one are known while tracing."""
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if order not in ("C", "A"):
        return transpose(reshape(transpose(a), tuple(reversed(wanted)), copy=copy))
    a = a.__copy__() if copy else a
    if len(wanted) == 1 and _is(wanted[0], -1):
        return ravel(a)
    own = [n for n, e in zip(a.shape, a.extents, strict=True) if e is not None or n != 1]
    kept = [n for n in wanted if not _is(n, 1)]
    if len(own) == len(kept) and all(_may_be(n, m) for n, m in zip(own, kept, strict=True)):
        return _with_ones(a, wanted, own, kept)
    return _regrouped(a, tuple(n if _is(n, -1) else bounds.bound_of(n) for n in wanted))


def _regrouped(a: Any, wanted: tuple[Any, ...]) -> Any:
    """The elements in C order in another shape."""
    total, line = a.size, ravel(a)
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
    return _rows(line, wanted, run_time[0], total)


def _refuse_misfit(total: Any, known: Any, wanted: tuple[Any, ...], divides: bool) -> None:
    """NumPy's exception for a number of elements that does not fit."""
    text = "cannot reshape array of size {} into shape {}"
    if not divides:
        aligning.refuse(aligning.differ(total, bounds.bound_of(known)), ValueError, text, total, wanted)
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
        aligning.refuse(
            wrong,
            ValueError,
            f"cannot reshape array of size {{}} into shape ({shape})",
            total,
            *(n for n in told if not _is(n, -1)),
        )
        return
    shape = ",".join(["{}"] * len(told))
    aligning.refuse(wrong, ValueError, f"cannot reshape array of size {{}} into shape ({shape})", total, *told)


def _of_known_size(line: Any, wanted: tuple[int, ...], size: int) -> Any:
    """As many elements of a line as are in it, in a shape that is known: a view where they follow one another."""
    first = line.extents[0]
    if isinstance(first, Window) and size <= line.capacity[0]:
        start = first.start if isinstance(first.start, int) else bounds.atom_of(first.start)
        part = views.Slice((views.AxisSlice(start if size else 0, size, 1),))
        return line.view.viewed(part, views.Reshape(wanted))
    value = compacting.resized(line.anchored().view.atom, 0, size)
    made = wrap.array_of(atoms.reshape(value, wanted))
    made.storage.readonly = strides.UNDECIDED
    return made


def _rows(line: Any, wanted: tuple[Any, ...], axis: int, total: Any) -> Any:
    """A line in a shape whose size on one axis is known only at run time: a view where the rows follow one another."""
    others = math.prod(n for i, n in enumerate(wanted) if i != axis)
    room = line.capacity[0] // others if others else 0
    shape = tuple(room if i == axis else n for i, n in enumerate(wanted))
    size = bounds.limited(bounds.bound_of(total // others if others else 0), 0, room)
    extents = tuple(Window(0, size) if i == axis else None for i in range(len(wanted)))
    first = line.extents[0]
    if axis == 0 and isinstance(first, Window) and _is(first.start, 0):
        part = line.view[: room * others]
        return wrap.with_extents(part.viewed(views.Reshape(shape)), extents, line.origin)
    # Position (i, r, j) of the shape is element (i * size + r) * inner + j of the line.
    inner = math.prod(wanted[axis + 1 :])
    places = [FUNCTIONS[np.asarray](wrap.array_of(iota(shape, i))) for i in range(len(shape))]
    outer = 0
    for i in range(axis):
        outer = outer * wanted[i] + places[i]
    within = 0
    for i in range(axis + 1, len(shape)):
        within = within * wanted[i] + places[i]
    index = (outer * size + places[axis]) * inner + within
    value = compacting.taken(line.anchored().view.atom, 0, wrap.as_atom(index, np.int64))
    made = wrap.array_of(value)
    made.storage.readonly = strides.UNDECIDED
    return wrap.with_extents(made, extents, line.origin)


def _is(n: Any, value: int) -> bool:
    return isinstance(n, (int, np.integer)) and n == value


def _may_be(own: Any, wanted: Any) -> bool:
    if _is(wanted, -1):
        return True
    return not (isinstance(own, int) and isinstance(wanted, int)) or own == wanted


def _with_ones(a: Any, wanted: tuple[Any, ...], own: list[Any], kept: list[Any]) -> Any:
    for n, m in zip(own, kept, strict=True):
        if not _is(m, -1):
            text = "cannot reshape array of size {} into shape {}"
            aligning.refuse(aligning.differ(n, bounds.bound_of(m)), ValueError, text, a.size, tuple(wanted))
    left = iter([(n, e) for n, e in zip(a.capacity, a.extents, strict=True) if e is not None or n != 1])
    axes = [(1, None) if _is(n, 1) else next(left) for n in wanted]
    return a.viewed(views.Reshape(tuple(n for n, _ in axes)), extents=tuple(e for _, e in axes))


@sized_method("reshape")
def reshape_method(a: Any, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    """As `ndarray.reshape`."""
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return reshape(a, given, order, copy=copy)
