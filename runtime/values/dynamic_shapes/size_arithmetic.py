"""Arithmetic on the ends of run-time windows: plain ints where known, else traced Python ints with their intervals.

The arithmetic here never leaves int64: all bounds lie between 0 and the size of some axis. So nothing is checked.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.interval import FULL, Interval
from anabranch.runtime.ir.program import Atom, Literal, Var
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.python_numbers.python_operands import interval_of as interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.value_equality import provably_equal

Bound: TypeAlias = "int | PythonScalar"


def atom_of(bound: Bound) -> Atom:
    """A bound as an int64 scalar atom."""
    return wrap.as_atom(bound, np.int64)


def window(shape: tuple[int, ...], axis: int, low: Bound, high: Bound, step: Bound = 1) -> Atom:
    """The mask of the positions along an axis from one bound up to another, each or every few."""
    bounds = (low, high) if isinstance(step, int) and step == 1 else (low, high, step)
    return atoms.op("window", *map(atom_of, bounds), shape=shape, axis=axis)


def stride(step: Bound, size: int) -> Bound:
    """The distance from one position to the next, which need be no more than the axis is long."""
    most = max(size, 1)
    if isinstance(step, int):
        return min(abs(step), most)
    known = interval_of(step)
    if known.low > 0:
        return minimum(step, most)
    least = maximum(step, -most)
    return _traced(atoms.ufunc(np.negative, atom_of(least)), Interval(1, most))


def steps(low: Bound, high: Bound, step: Bound) -> Bound:
    """How many positions there are from one bound up to another."""
    if all(isinstance(bound, int) for bound in (low, high, step)):
        return len(range(low, high, step))
    rest = maximum(difference(high, low), 0)
    widest, least = interval_of(rest).high, interval_of(step).low
    rounded = add(rest, add(step, -1))
    made = atoms.ufunc(np.floor_divide, atom_of(rounded), atom_of(step))
    return _traced(made, Interval(0, -(-widest // least)))


def difference(a: Bound, b: Bound) -> Bound:
    """Give a - b, of any sign."""
    if isinstance(b, int):
        return add(a, -b)
    span = (interval_of(a) - interval_of(b)).clipped()
    return _traced(atoms.ufunc(np.subtract, atom_of(a), atom_of(b)), span)


def bound_of(value: Value) -> Value:
    """An integer of any kind as a bound; what is known of it is kept."""
    if isinstance(value, PythonScalar) and value.python is int:
        return value
    atom = atoms.held_by(value)
    if atom is None:
        return int(value)
    return _traced(atoms.convert(atom, np.int64))


def _traced(atom: Atom, interval: Interval = FULL, affine: tuple[Atom, int] | None = None) -> Bound:
    """The bound of an atom."""
    made: Bound = python_scalar(atom, interval, affine)
    return made


def add(a: Bound, b: Bound) -> Bound:
    """Give a + b."""
    if isinstance(a, int):
        return a + b if isinstance(b, int) else _moved(b, a)
    if isinstance(b, int):
        return _moved(a, b)
    for part, rest in ((a, b), (b, a)):
        if (whole := _completed(part, rest)) is not None:
            return whole
    return _traced(atoms.ufunc(np.add, atom_of(a), atom_of(b)), (interval_of(a) + interval_of(b)).clipped())


def _completed(part: PythonScalar, rest: PythonScalar) -> Bound | None:
    """Give part + rest where the rest is what something is longer than the part: a[k:] beside a[:k]."""
    (base, offset), (other, further) = part.affine, rest.affine
    maker = current().maker(other) if isinstance(other, Var) else None
    if maker is None or maker.op is not OPS["subtract"]:
        return None
    whole, taken = maker.inputs
    if provably_equal(taken, part.atom):
        offset = 0
    elif not provably_equal(taken, base):
        return None
    if isinstance(whole, Literal):
        return int(whole.value) + offset + further
    return add(_traced(whole, (interval_of(part) + interval_of(rest)).clipped()), offset + further)


def _moved(a: PythonScalar, by: int) -> Bound:
    if by == 0:
        return a
    base, offset = a.affine
    atom = base if offset + by == 0 else atoms.ufunc(np.add, a.atom, atoms.literal(by, np.int64))
    return _traced(atom, (a.interval + Interval(by, by)).clipped(), (base, offset + by))


def subtract(a: Bound, b: Bound) -> Bound:
    """Give a - b, which is no less than 0: a window's size, or the place of one in another."""
    known = distance(a, b)
    if known is not None:
        return known
    if isinstance(b, int) and not isinstance(a, int):
        return limited(_moved(a, -b), 0, None)
    span = interval_of(a) - interval_of(b)
    made = atoms.ufunc(np.subtract, atom_of(a), atom_of(b))
    return _traced(made, Interval(max(span.low, 0), max(span.high, 0)).clipped())


def distance(a: Bound, b: Bound) -> int | None:
    """Give a - b where that is known while tracing."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    if isinstance(a, int) or isinstance(b, int):
        return None
    if a is b:
        return 0
    (base, offset), (other, further) = a.affine, b.affine
    if provably_equal(base, other):
        return int(offset - further)
    return 0 if provably_equal(a.atom, b.atom) else None


def limited(a: Bound, low: int | None, high: int | None) -> Bound:
    """The bound, of which more is known."""
    if isinstance(a, int):
        return a
    known = a.interval
    least = known.low if low is None else max(known.low, low)
    most = known.high if high is None else min(known.high, high)
    return _traced(a.atom, Interval(least, max(least, most)), a.affine)


def minimum(a: Bound, b: Bound) -> Bound:
    """The lesser."""
    return _extreme(np.minimum, a, b)


def maximum(a: Bound, b: Bound) -> Bound:
    """The greater."""
    return _extreme(np.maximum, a, b)


def _extreme(ufunc: np.ufunc, a: Bound, b: Bound) -> Bound:
    gap = distance(a, b)
    if gap is not None:
        return a if (gap <= 0) is (ufunc is np.minimum) else b
    first, second = interval_of(a), interval_of(b)
    lesser, greater = (a, b) if ufunc is np.minimum else (b, a)
    if interval_of(lesser).high <= interval_of(greater).low:
        return a
    if interval_of(greater).high <= interval_of(lesser).low:
        return b
    known = first.min(second) if ufunc is np.minimum else first.max(second)
    return _traced(atoms.ufunc(ufunc, atom_of(a), atom_of(b)), known)


def choose(pred: Atom, a: Bound, b: Bound) -> Bound:
    """Give a where the predicate holds, else b."""
    if isinstance(pred, Literal):
        return a if pred.value else b
    return _traced(atoms.select(pred, atom_of(a), atom_of(b)), interval_of(a) | interval_of(b))


def position(value: Value, size: Bound, low: int = 0) -> Bound:
    """A slice's bound as Python takes it: negative ones count from the end, then it is cut to `low`..size + low."""
    bound, known = bound_of(value), interval_of(bound_of(value))
    top = add(size, low)
    if known.low < 0:
        wrapped = add(bound, size)
        if known.high < 0:
            bound = wrapped
        else:
            bound = choose(atoms.ufunc(np.less, atom_of(bound), atoms.literal(0, np.int64)), wrapped, bound)
        bound = maximum(bound, low)
    return minimum(limited(bound, low, None), top)
