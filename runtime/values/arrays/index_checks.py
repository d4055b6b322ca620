"""Integer indices as positions from 0, with NumPy's check against the size of the axis."""

from __future__ import annotations

import math

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.dynamic_shapes import compaction, size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, ValidRegion, Window
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer

_NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
    "indices"
)


def out_of_bounds(index: int | str, axis: int | None, size: int) -> str:
    """NumPy's message; `axis` None stands for an iterator over all elements."""
    where = f"size {size}" if axis is None else f"axis {axis} with size {size}"
    return f"index {index} is out of bounds for {where}"


def integer(k: object, size: int, axis: int | None) -> int | Atom:
    """An integer index of an axis as a position from 0; raises, now or at run time, where it is out of bounds."""
    if not isinstance(k, Tracer):
        index = _plain(k)
        if not -size <= index < size:
            raise IndexError(out_of_bounds(index, axis, size))
        return int(index + size if index < 0 else index)
    atom = _traced(k)
    if isinstance(atom, Literal):
        return integer(int(atom.value), size, axis)
    return checked(atom, _known(k), size, axis)


def _plain(k: Value) -> int:
    try:
        index: int = k.__index__()
    except AttributeError:
        raise IndexError(_NO_INDEX) from None
    return index


def _traced(k: Tracer) -> Atom:
    if k.abstract.dtype.kind not in "iu" or k.abstract.shape != ():
        raise IndexError(_NO_INDEX)
    return atoms.convert(wrap.as_atom(k), np.int64)


def _known(k: Tracer) -> Interval:
    return k.interval if isinstance(k, PythonScalar) else FULL


def integer_within(k: object, extent: ValidRegion, capacity: int, axis: int) -> int | Atom:
    """The same for an axis whose elements are those of an extent: the position on the axis itself."""
    if isinstance(k, Tracer):
        _traced(k)
    index = size_arithmetic.bound_of(k if isinstance(k, Tracer) else _plain(k))
    known, size = size_arithmetic.interval_of(index), extent.size
    least = size_arithmetic.interval_of(size)
    count = size_arithmetic.atom_of(size)
    bad: list[Atom] = []
    gap = size_arithmetic.distance(index, size)
    if settings().checks:
        if known.high >= least.low and (gap is None or gap >= 0):
            bad.append(atoms.ufunc(np.greater_equal, size_arithmetic.atom_of(index), count))
        if known.low < -least.low:
            bad.append(atoms.ufunc(np.less, size_arithmetic.atom_of(index), atoms.ufunc(np.negative, count)))
    if bad:
        out = bad[0] if len(bad) == 1 else atoms.logical_or(*bad)
        run_time_checks.record_failure(
            out, OutOfBounds(axis), None, run_time_checks.user_frames(), [size_arithmetic.atom_of(index), count]
        )
    if known.low < 0:
        wrapped = size_arithmetic.add(index, size)
        negative = atoms.ufunc(np.less, size_arithmetic.atom_of(index), atoms.literal(0, np.int64))
        index = wrapped if known.high < 0 else size_arithmetic.choose(negative, wrapped, index)
    return _absolute(index, extent, capacity)


def _absolute(index: Bound, extent: ValidRegion, capacity: int) -> int | Atom:
    if isinstance(extent, Window):
        place = size_arithmetic.add(index, extent.start)
        return place if isinstance(place, int) and 0 <= place < capacity else size_arithmetic.atom_of(place)
    assert isinstance(extent, Masked)
    if not capacity:
        return atoms.literal(0, np.int64)
    places = extent.positions()
    return atoms.reshape(atoms.op("dynamic_slice", places, size_arithmetic.atom_of(index), sizes=(1,)), ())


@frozen
class OutOfBounds:
    """Makes the exception for an index beyond a size that is known only at run time."""

    axis: int | None

    def __call__(self, found: list[np.ndarray]) -> BaseException:
        index, size = (int(f) for f in found)
        return IndexError(out_of_bounds(index, self.axis, size))


def checked(atom: Atom, known: Interval, size: int, axis: int | None, valid: Atom | None = None) -> Atom:
    """Negative positions counted from the end, and the check, each only where the interval asks for it.

    With `valid`, only the positions where that holds are checked.
    """
    shape = atom.type.shape
    low, high = (atoms.broadcast_to(atoms.literal(n, np.int64), shape) for n in (-size, size))
    bad: list[Atom] = []
    if settings().checks and atom.type.size:
        if known.high >= size:
            bad.append(atoms.ufunc(np.greater_equal, atom, high))
        if known.low < -size:
            bad.append(atoms.ufunc(np.less, atom, low))
    if bad:
        out = bad[0] if len(bad) == 1 else atoms.logical_or(*bad)
        refuse(out if valid is None else atoms.logical_and(out, valid), atom, axis, size)
    if known.low >= 0:
        return atom
    negative = atoms.ufunc(np.less, atom, atoms.broadcast_to(atoms.literal(0, np.int64), shape))
    return atoms.select(negative, atoms.ufunc(np.add, atom, high), atom)


def refuse(out: Atom, positions: Atom, axis: int | None, size: Bound) -> None:
    """Raise where some positions are out of bounds, telling of the first."""
    shape, first = positions.type.shape, positions
    if shape:
        where = atoms.op("argmax", atoms.reshape(out, (math.prod(shape),)), axis=0)
        first = atoms.op("dynamic_slice", atoms.reshape(positions, (math.prod(shape),)), where, sizes=(1,))
        first = atoms.reshape(first, ())
        out = atoms.op("reduce_any", out, axes=tuple(range(len(shape))))
    if isinstance(size, int):
        run_time_checks.fail_if(out, run_time_checks.IntMessage(IndexError, out_of_bounds("{}", axis, size)), first)
    else:
        details = [atoms.convert(first, np.int64), size_arithmetic.atom_of(size)]
        run_time_checks.record_failure(out, OutOfBounds(axis), None, run_time_checks.user_frames(), details)


def within(positions: Atom, extent: ValidRegion, capacity: int, axis: int, valid: Atom | None) -> Atom:
    """Index arrays into an axis whose elements are those of an extent: the positions on the axis itself."""
    shape, size = positions.type.shape, extent.size
    count = atoms.broadcast_to(size_arithmetic.atom_of(size), shape)
    negative = atoms.ufunc(np.less, positions, atoms.broadcast_to(atoms.literal(0, np.int64), shape))
    if settings().checks and positions.type.size:
        out = atoms.logical_or(
            atoms.ufunc(np.greater_equal, positions, count),
            atoms.ufunc(np.less, positions, atoms.ufunc(np.negative, count)),
        )
        refuse(out if valid is None else atoms.logical_and(out, valid), positions, axis, size)
    places = atoms.select(negative, atoms.ufunc(np.add, positions, count), positions)
    if isinstance(extent, Window):
        return atoms.ufunc(np.add, places, atoms.broadcast_to(size_arithmetic.atom_of(extent.start), shape))
    assert isinstance(extent, Masked)
    return compaction.taken(extent.positions(), 0, places) if capacity else places
