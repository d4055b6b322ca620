"""Searches of sorted lines: how many elements come before each wanted one."""

from __future__ import annotations

import math

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands
from anabranch.runtime.numpy.core import (
    atom_of,
    dtype_of,
    fresh,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.dynamic_shapes.size_arithmetic import Bound
from anabranch.runtime.values.failures import run_time_checks

rules = Rules()

_F = registry.FUNCTIONS
# In so long a line so many values are looked for one after the other, and not all at once, in each step at half the
# distance: there are too many steps.
_LONG_LINE, _MANY_VALUES = 9, 4


@rules.method("searchsorted")
@rules.any_shape(np.searchsorted)
def searchsorted(a: object, v: object, side: object = "left", sorter: object = None) -> Value:
    """As `numpy.searchsorted`: a binary search of a static number of steps."""
    if side not in ("left", "right", "l", "r", "L", "R"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    base = operands.left_packed(a if sorter is None else _F[np.take](operands.array(a), sorter))
    memory = operands.memory(base), operands.memory(v)
    # A Python number is an array here, with a dtype of its own.
    chosen = np.result_type(*map(dtype_of, memory))
    line, wanted = (atom_of(x, chosen) for x in memory)
    if len(line.type.shape) != 1:
        raise ValueError(
            "object too deep for desired array" if line.type.shape else "object of too small depth for desired array"
        )
    count = base.shape[0] if wrap.is_dynamic_array(base) else None
    made = bisect(line, wanted, right=side in ("right", "r", "R"), count=count)
    return wrap.with_extents(wrap.numpy_result(made), operands.extents(operands.array(v)), operands.origin(v))


def bisect(line: Atom, wanted: Atom, right: bool, count: Bound | None = None) -> Atom:
    """How many of the first `count` elements of a sorted line (of all by default) come before each wanted one.

    NaN is greater than every number.
    """
    n, shape = line.type.shape[0], wanted.type.shape
    if line.type.dtype.kind == "b" and math.prod(shape) > 2:
        # There are two places in all.
        places = bisect(line, atom_of(np.array([False, True])), right, count)
        of_false, of_true = (atoms.broadcast_to(atoms.cut(places, k, k + 1), shape) for k in (0, 1))
        return atoms.select(wanted, of_true, of_false)
    low = zeros_atom(shape, np.int64)
    if n == 0:
        return low
    total = size_arithmetic.atom_of(n if count is None else count)
    if n >= _LONG_LINE and math.prod(shape) >= _MANY_VALUES and line.type.dtype.kind in "iuf":
        return atoms.op("search_sorted", line, wanted, total, right=right)
    size = atoms.broadcast_to(total, shape)
    # Steps of falling powers of two: `low` elements are known to come before.
    for bit in reversed(range(n.bit_length())):
        probe = atoms.ufunc(np.add, low, zeros_atom(shape, np.int64, 1 << bit))
        within = atoms.ufunc(np.less_equal, probe, size)
        last = atoms.ufunc(np.subtract, probe, zeros_atom(shape, np.int64, 1))
        last = atoms.ufunc(np.minimum, last, zeros_atom(shape, np.int64, n - 1))
        element = atoms.op("gather", line, atoms.reshape(last, (*shape, 1)))
        before = atoms.logical_not(_less(wanted, element)) if right else _less(element, wanted)
        low = atoms.select(atoms.logical_and(within, before), probe, low)
    return low


def _less(x: Atom, y: Atom) -> Atom:
    """`x < y` in the order of sorting: NaN last."""
    if x.type.dtype.kind == "c":
        return _less_complex(x, y)
    less = atoms.ufunc(np.less, x, y)
    if x.type.dtype.kind != "f":
        return less
    only_y = atoms.logical_and(atoms.ufunc(np.isnan, y), atoms.logical_not(atoms.ufunc(np.isnan, x)))
    return atoms.logical_or(less, only_y)


def _less_complex(x: Atom, y: Atom) -> Atom:
    """By real part, then by imaginary part; what has a NaN comes after what has none."""
    a, b = (_F[np.real](fresh(v)) for v in (x, y)), (_F[np.imag](fresh(v)) for v in (x, y))
    (xr, yr), (xi, yi) = a, b
    x_number, y_nan = ~_F[np.isnan](xi), _F[np.isnan](yi)
    tie = _F[np.logical_or](xr == yr, _F[np.logical_and](_F[np.isnan](xr), _F[np.isnan](yr)))
    by_imaginary = _F[np.logical_or](xi < yi, _F[np.logical_and](y_nan, x_number))
    rest = _F[np.where](tie, by_imaginary, _F[np.isnan](yr))
    made = _F[np.where](xr > yr, _F[np.logical_and](y_nan, x_number), rest)
    return atom_of(_F[np.where](xr < yr, _F[np.logical_or](x_number, y_nan), made))


@rules.any_shape(np.digitize)
def digitize(x: Value, bins: object, right: object = False) -> Value:
    """As `numpy.digitize`: the bins may rise or fall."""
    line = operands.left_packed(operands.array(bins))
    if operands.array(x).dtype.kind == "c":
        raise TypeError("x may not be complex")
    if line.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if line.ndim else "object of too small depth for desired array"
        )
    steps = (line[1:] >= line[:-1]), (line[1:] <= line[:-1])
    rising, falling = (_F[np.all](s) for s in steps)
    neither = _F[np.logical_not](_F[np.logical_or](rising, falling))
    run_time_checks.fail_if(
        atom_of(neither), lambda _: ValueError("bins must be monotonically increasing or decreasing")
    )
    side = "left" if right else "right"
    found = _F[np.searchsorted](_F[np.where](rising, line, line[::-1]), x, side)
    made = _F[np.where](rising, found, _F[np.subtract](line.shape[0], found))
    return made if made.shape else made[()]
