"""Slices of an axis: a part of it that is known while tracing, or a valid region that is known only at run time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arrays.index_numbers import NO_BOUND, check_bound
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.dynamic_shapes.valid_region import Masked, ValidRegion, Window, masked, strided
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.memory import views
from anabranch.runtime.values.static_requests import request_static
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

Part = tuple[views.AxisSlice, "ValidRegion | None"]


def part(k: slice, size: int, extent: ValidRegion | None = None) -> Part:
    """`x[k]` along an axis of static length, of which the elements of `extent` are there.

    Gives a part of the axis at a static or a run-time offset, and which of its elements there are.
    """
    start, stop, step = (_resolved(p) for p in (k.start, k.stop, k.step))
    if extent is None and not any(isinstance(p, Tracer) for p in (start, stop, step)):
        first, last, stride = slice(start, stop, step).indices(size)
        return views.AxisSlice(first, len(range(first, last, stride)), stride), None
    whole = views.AxisSlice(0, size)
    step = 1 if step is None else _step(step)
    if extent is not None and start is stop is None and isinstance(step, int) and step == 1:
        return whole, extent
    if isinstance(step, int) and step == 1:
        return _forward(start, stop, size, extent)
    if isinstance(step, int) and step == -1 and not isinstance(extent, Masked):
        return _reversed(start, stop, size, extent)
    return _strided(start, stop, step, size, extent)


def _resolved(value: Value) -> Value:
    value = value.resolve() if isinstance(value, UnionValue) else value
    if isinstance(value, Tracer):
        check_bound(value)
        return size_arithmetic.bound_of(value)
    if value is not None and not hasattr(value, "__index__"):
        raise TypeError(NO_BOUND)
    return None if value is None else value.__index__()


def _step(step: Bound) -> Bound:
    """The stride, whose sign is known: it is no zero."""
    _refuse_zero(step)
    known = size_arithmetic.interval_of(step)
    if known.low == 0:
        return size_arithmetic.limited(step, 1, None)
    return size_arithmetic.limited(step, None, -1) if known.high == 0 else step


def _refuse_zero(step: Bound) -> None:
    known = size_arithmetic.interval_of(step)
    if known.low <= 0 <= known.high:
        zero = atoms.ufunc(np.equal, size_arithmetic.atom_of(step), atoms.literal(0, np.int64))
        run_time_checks.fail_if(zero, lambda _: ValueError("slice step cannot be zero"))


def undecided(key: object) -> tuple[UnionValue, Callable[[Any], Any]] | None:
    """Return the undecided part of a key, and the key with each of its values.

    That is a bound of a slice that is None or an int, a step of unknown sign, or an index that may be no int.
    """
    entries = key if isinstance(key, tuple) else (key,)
    for i, k in enumerate(entries):
        if isinstance(k, UnionValue) and _may_be_no_index(k):
            return k, functools.partial(_replaced, key, i)
        for name in ("start", "stop", "step") if isinstance(k, slice) else ():
            choice = _alternatives(getattr(k, name), name)
            if choice is not None:
                return choice, functools.partial(_decided, key, i, name)
    return None


def _alternatives(part: object, name: str) -> UnionValue | None:
    if isinstance(part, UnionValue):
        part = part.without_undefined()
    if isinstance(part, UnionValue):
        if part.worth is None or part.worth.dtype.kind not in "iu":
            return part
        part = part.resolve()
    if name != "step" or not isinstance(part, Tracer) or part.abstract.shape or part.abstract.dtype.kind not in "iu":
        return None
    step = size_arithmetic.bound_of(part)
    known = size_arithmetic.interval_of(step)
    if not known.low < 0 < known.high:
        return None
    request_static(step, "the sign of a slice's step")
    _refuse_zero(step)
    forward = atoms.ufunc(np.greater, size_arithmetic.atom_of(step), atoms.literal(0, np.int64))
    backward, ahead = size_arithmetic.minimum(step, -1), size_arithmetic.maximum(step, 1)
    return UnionValue(atoms.convert(forward, np.int32), (backward, ahead))


def _may_be_no_index(part: UnionValue) -> bool:
    """Return whether it is an int or a bool in some cases, and something else in others; or one of several arrays."""
    kinds = {a.dtype.kind in "iub" for a in part.kinds() if a is not None and not a.shape}
    return len(kinds) > 1 or any(isinstance(o, Tracer) and o.abstract.kind is Kind.ARRAY for o in part.options)


def _replaced(key: object, place: int, part: object) -> Value:
    return (*key[:place], part, *key[place + 1 :]) if isinstance(key, tuple) else part


def _decided(key: Value, place: int, name: str, part: Value) -> Value:
    if not isinstance(key, tuple):
        parts = {"start": key.start, "stop": key.stop, "step": key.step, name: part}
        return slice(parts["start"], parts["stop"], parts["step"])
    return (*key[:place], _decided(key[place], 0, name, part), *key[place + 1 :])


def _forward(start: Value, stop: Value, size: int, extent: ValidRegion | None) -> Part:
    count = size if extent is None else extent.size
    low = 0 if start is None else size_arithmetic.position(start, count)
    high = count if stop is None else size_arithmetic.position(stop, count)
    if isinstance(extent, Masked):
        return _chosen(extent, size, lambda rank: _between(rank, low, high))
    high = size_arithmetic.maximum(low, high)
    if isinstance(extent, Window):
        return views.AxisSlice(0, size), Window(
            size_arithmetic.add(extent.start, low), size_arithmetic.add(extent.start, high)
        )
    length = None if start is None or stop is None else size_arithmetic.distance(stop, start)
    if length is None or not 0 < length < size:
        return views.AxisSlice(0, size), Window(low, high)
    # A static number of elements at a run-time offset, of which fewer are there near the ends of the axis.
    if size_arithmetic.distance(low, start) == 0 and size_arithmetic.interval_of(low).high <= size - length:
        return views.AxisSlice(size_arithmetic.atom_of(low), length), None
    offset = size_arithmetic.minimum(low, size - length)
    inside = [size_arithmetic.limited(size_arithmetic.subtract(b, offset), 0, length) for b in (low, high)]
    return views.AxisSlice(_start(offset), length), Window(*inside)


def _start(offset: Bound) -> int | Atom:
    return offset if isinstance(offset, int) else size_arithmetic.atom_of(offset)


def _backward(start: Bound | None, stop: Bound | None, count: Bound) -> tuple[Bound, Bound]:
    """From the first element on, down to before `last`, which is -1 for all."""
    first = size_arithmetic.add(count, -1) if start is None else size_arithmetic.position(start, count, -1)
    last = -1 if stop is None else size_arithmetic.position(stop, count, -1)
    return first, size_arithmetic.minimum(first, last)


def _reversed(start: Bound | None, stop: Bound | None, size: int, extent: ValidRegion | None) -> Part:
    count, origin = (size, 0) if not isinstance(extent, Window) else (extent.size, extent.start)
    first, last = _backward(start, stop, count)
    top = size_arithmetic.subtract(size - 1, origin)
    return _backwards(size), Window(
        *(size_arithmetic.limited(size_arithmetic.subtract(top, b), 0, size) for b in (first, last))
    )


def _strided(start: Bound | None, stop: Bound | None, step: Bound, size: int, extent: ValidRegion | None) -> Part:
    if isinstance(extent, Masked):
        return _strided_ranks(start, stop, step, size, extent)
    count, origin = (size, 0) if not isinstance(extent, Window) else (extent.size, extent.start)
    stride = size_arithmetic.stride(step, size)
    if size_arithmetic.interval_of(step).low < 0:
        top = size_arithmetic.subtract(size - 1, origin)
        ends = [size_arithmetic.subtract(top, b) for b in _backward(start, stop, count)]
        low, high = (size_arithmetic.limited(b, 0, size) for b in ends)
        return _backwards(size), strided(size, low, high, stride)
    high = count if stop is None else size_arithmetic.position(stop, count)
    if isinstance(step, int) and isinstance(origin, int) and (start is None or (isinstance(start, int) and start >= 0)):
        first = min(start or 0, size)
        rows = range(origin + first, size, step)
        there = size_arithmetic.limited(size_arithmetic.steps(first, high, step), 0, len(rows))
        return views.AxisSlice(min(rows.start, size), len(rows), step), Window(0, there)
    low = 0 if start is None else size_arithmetic.position(start, count)
    low, high = (size_arithmetic.limited(size_arithmetic.add(origin, b), 0, size) for b in (low, high))
    return views.AxisSlice(0, size), strided(size, low, high, stride)


def _backwards(size: int) -> views.AxisSlice:
    return views.AxisSlice(size - 1, size, -1) if size else views.AxisSlice(0, 0)


def _strided_ranks(start: Bound | None, stop: Bound | None, step: Bound, size: int, extent: Masked) -> Part:
    """The elements of a mask's whose ranks (their places among those that there are) are a step apart."""
    count = extent.size
    if size_arithmetic.interval_of(step).low > 0:
        low = 0 if start is None else size_arithmetic.position(start, count)
        high = count if stop is None else size_arithmetic.position(stop, count)
        return _chosen(extent, size, lambda rank: _multiple(_between(rank, low, high), rank, low, step))
    first, last = _backward(start, stop, count)
    above, below = size_arithmetic.add(first, 1), size_arithmetic.add(last, 1)
    stride = size_arithmetic.stride(step, size)
    _, chosen = _chosen(extent, size, lambda rank: _multiple(_between(rank, below, above), rank, first, stride))
    return _backwards(size), masked(atoms.op("reverse", chosen.mask.atom, axes=(0,)))


def _chosen(extent: Masked, size: int, choose: Callable[[Atom], Atom]) -> tuple[views.AxisSlice, Masked]:
    """The elements whose ranks are chosen."""
    mask, valid = choose(extent.ranks()), extent.valid((size,), 0)
    return views.AxisSlice(0, size), masked(mask if valid is None else atoms.logical_and(mask, valid))


def _as_vector(value: Bound | Atom, size: int) -> Atom:
    atom = value if not isinstance(value, int) and not isinstance(value, Tracer) else wrap.as_atom(value, np.int64)
    return atoms.broadcast_to(atom, (size,))


def _between(rank: Atom, low: Bound, high: Bound) -> Atom:
    n = rank.type.shape[0]
    return atoms.logical_and(
        atoms.ufunc(np.greater_equal, rank, _as_vector(low, n)), atoms.ufunc(np.less, rank, _as_vector(high, n))
    )


def _multiple(among: Atom, rank: Atom, origin: Bound, stride: Bound | Atom) -> Atom:
    n = rank.type.shape[0]
    away = atoms.ufunc(np.absolute, atoms.ufunc(np.subtract, rank, _as_vector(origin, n)))
    rest = atoms.ufunc(np.remainder, away, _as_vector(stride, n))
    return atoms.logical_and(among, atoms.ufunc(np.equal, rest, _as_vector(0, n)))
