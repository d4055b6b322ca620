"""Sequences of evenly or geometrically spaced numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    dtype_of,
    fresh,
    iota,
    operand,
    plain,
    promoted,
    shape_of,
    supported,
    traced_inside,
    zeros_atom,
)
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.numpy.run_time_sizes import Extents, is_open, with_capacity
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import broadcasting, size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import pack_unpack
from anabranch.runtime.values.static_requests import source_leaves, with_static_request
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

_F = registry.FUNCTIONS

_SAMPLES = "Number of samples, {}, must be non-negative."
_MOST = 2.0**62


@rules.creates(np.arange)
def arange(
    first: object = NoValue,
    /,
    stop: Value = NoValue,
    step: Value = None,
    dtype: object = None,
    *,
    start: Value = NoValue,
    device: object = None,
    like: object = None,
) -> Value:
    """As `numpy.arange`; how many numbers there are may be known only at run time."""
    plain("arange", like=(like, None))
    if device != "cpu":
        plain("arange", device=(device, None))
    if first is not NoValue and start is not NoValue:
        raise TypeError("argument for arange() given by name ('start') and position (position 0)")
    if stop is NoValue:
        # One that is given by its name alone does not count as the stop.
        if first is NoValue:
            raise TypeError("arange() requires stop to be specified.")
        start, stop = 0, first
    else:
        start = first if start is NoValue else start
        if stop is None:
            start, stop = 0, None if start is NoValue else start
        start = 0 if start is NoValue else start
    if stop is None:
        raise TypeError("unsupported operand type(s) for -: 'NoneType' and 'int'")
    step = 1 if step is None else step
    chosen = _arange_dtype(start, stop, step) if dtype is None else supported(dtype)
    count, extents = _arange_count(start, stop, step)
    if chosen.kind == "b":
        return fresh(atoms.literal(np.arange(start, stop, step, dtype=chosen)))
    lowest = _scalar(start, chosen)
    delta = _scalar(step, chosen) if chosen.kind in "iu" else _difference(start, step, chosen)
    made = _affine_range(lowest, delta, count, chosen)
    if chosen.kind in "fc" and not (
        isinstance(lowest, Literal) and (lowest.value or not np.signbit(lowest.value.real))
    ):
        # The first number is the start itself, a zero with its sign.
        zeros = atoms.broadcast_to(atoms.literal(0, np.int64), (count,))
        is_first = atoms.ufunc(np.equal, iota((count,), 0, np.dtype(np.int64)), zeros)
        made = atoms.select(is_first, atoms.broadcast_to(lowest, (count,)), made)
    return wrap.with_extents(fresh(made), extents)


def _arange_dtype(start: object, stop: object, step: object) -> np.dtype:
    dtypes = [np.dtype(np.int64) if type(x) is bool else dtype_of(x) for x in (start, stop, step)]
    return supported(np.result_type(np.int64, *dtypes))


def _arange_count(start: Value, stop: Value, step: Value) -> tuple[int, Extents]:
    extent = stop - start
    if traced_inside((extent, step)):
        _refuse_unless_open((extent, step))
        (capacity,), extents = with_capacity((_of_steps(extent, step),))
        return capacity, extents
    if not step or not math.isfinite(abs(extent / step)):
        return len(np.arange(0 if isinstance(start, Tracer) else start, stop, step)), ()
    return max(math.ceil((extent / step).real), 0), ()


def _of_steps(extent: Any, step: Value) -> Value:
    """How many numbers `np.arange` makes of a distance and a step, as a traced int."""
    if dtype_of(extent).kind in "iu" and type(step) is int and step:
        distance = size_arithmetic.bound_of(extent)
        if step != 1:
            distance = (distance * (1 if step > 0 else -1) + (abs(step) - 1)) // abs(step)
        return size_arithmetic.maximum(distance, 0)
    distance, ratio = atom_of(extent, np.float64), atom_of(extent / step, np.float64)
    zero, most = (atoms.literal(x, np.float64) for x in (0.0, _MOST))
    unknown = atoms.ufunc(np.isnan, ratio)
    broadcasting.refuse(unknown, ValueError, "arange: cannot compute length")
    too_many = atoms.logical_not(atoms.ufunc(np.less, atoms.ufunc(np.absolute, ratio), most))
    broadcasting.refuse(too_many, ValueError, "Maximum allowed size exceeded")
    # A quotient too small for its type is still one number.
    vanished = atoms.logical_and(atoms.ufunc(np.equal, ratio, zero), atoms.ufunc(np.not_equal, distance, zero))
    one = atoms.logical_and(vanished, atoms.logical_not(atoms.ufunc(np.signbit, ratio)))
    rounded = atoms.select(one, atoms.literal(1.0, np.float64), atoms.ufunc(np.ceil, ratio))
    count = atoms.convert(atoms.ufunc(np.maximum, rounded, zero), np.int64)
    return python_scalar(count, Interval(0, int(_MOST)))


def _refuse_unless_open(bounds: Sequence[object]) -> None:
    """Raise where bounds are computed from arguments alone, which become static."""
    traced = [value for value in bounds if traced_inside(value)]
    if all(map(source_leaves, traced)) or any(dtype_of(x).kind == "c" for x in bounds):
        error = ConcretizationError(
            "the length of numpy.arange must be static here; give bounds with a static distance, or make them static "
            "arguments"
        )
        for value in traced:
            with_static_request(error, value, "the length of an arange")
        raise error


def _scalar(x: object, dtype: np.dtype) -> Atom:
    return atoms.reshape(atom_of(x, dtype), ())


def _difference(start: Value, step: Value, dtype: np.dtype) -> Atom:
    """NumPy's own step between floats: the second number less the first, both rounded."""
    return atoms.ufunc(np.subtract, _scalar(start + step, dtype), _scalar(start, dtype))


def _affine_range(first: Atom, delta: Atom, count: int, dtype: np.dtype) -> Atom:
    made = iota((count,), 0, dtype)
    for ufunc, by, neutral in ((np.multiply, delta, 1), (np.add, first, 0)):
        if not isinstance(by, Literal) or by.value != neutral:
            made = atoms.ufunc(ufunc, made, atoms.broadcast_to(by, (count,)))
    return made


@rules.creates(np.linspace)
def linspace(
    start: object,
    stop: object,
    num: Value = 50,
    endpoint: Value = True,
    retstep: object = False,
    dtype: object = None,
    axis: object = 0,
    *,
    device: object = None,
) -> Value:
    """As `numpy.linspace`; the ends may be traced, also arrays."""
    if device != "cpu":
        plain("linspace", device=(device, None))
    extents: Extents = ()
    count = num
    if is_open(num):
        (num,), extents = with_capacity((num,), _SAMPLES)
    num = operator.index(num)
    if num < 0:
        raise ValueError(_SAMPLES.format(num))
    inexact = np.result_type(promoted(start, stop), 0.0)
    chosen = inexact if dtype is None else supported(dtype)
    low, high = (atom_of(x, inexact) for x in (start, stop))
    shape = apply_ufunc.broadcast_shapes(low.type.shape, high.type.shape)
    low, high = atoms.broadcast_to(low, shape), atoms.broadcast_to(high, shape)
    delta = atoms.ufunc(np.subtract, high, low)
    y, step = _spaced(delta, low, high, num, count, bool(endpoint))
    if chosen.kind in "iu":
        y = atoms.ufunc(np.floor, y)
    made = wrap.with_extents(fresh(atoms.convert(y, chosen)), extents and (*extents, *[None] * len(shape)))
    if axis != 0:
        made = registry.FUNCTIONS[np.moveaxis](made, 0, axis)
    if not retstep:
        return made
    apart = registry.FUNCTIONS[np.positive](fresh(step)) if step.type.shape == () else fresh(step)
    # Of a single number, or none, NumPy says with Python's NaN that there is no step.
    several = count > (1 if endpoint else 0)
    if isinstance(several, (bool, np.bool_)):
        return made, apart if several else math.nan
    return made, pack_unpack.either(wrap.as_atom(several), apart, math.nan)


def _spaced(delta: Atom, low: Atom, high: Atom, capacity: int, count: object, endpoint: bool) -> tuple[Atom, Atom]:
    """The numbers of `np.linspace`, `count` of them, in the order of operations that NumPy uses; and the step."""
    dtype, shape = delta.type.dtype, (capacity, *delta.type.shape)
    positions = iota(shape, 0, dtype)
    steps = atoms.convert(atom_of(count), np.int64)
    if endpoint:
        steps = atoms.ufunc(np.subtract, steps, atoms.literal(1, np.int64))
    divisor = atoms.convert(steps, dtype)
    some = atoms.ufunc(np.greater, steps, atoms.literal(0, np.int64))
    step = atoms.ufunc(np.divide, delta, atoms.broadcast_to(divisor, delta.type.shape))
    zero = atoms.any_of(atoms.ufunc(np.equal, step, zeros_atom(step.type.shape, dtype)))
    wide = atoms.broadcast_to(delta, shape)
    # A step that underflows to zero: divide the positions first.
    tiny = atoms.ufunc(np.multiply, atoms.ufunc(np.divide, positions, atoms.broadcast_to(divisor, shape)), wide)
    regular = atoms.ufunc(np.multiply, positions, atoms.broadcast_to(step, shape))
    y = atoms.select(some, atoms.select(zero, tiny, regular), atoms.ufunc(np.multiply, positions, wide))
    y = atoms.ufunc(np.add, y, atoms.broadcast_to(low, shape))
    if endpoint:
        at_end = atoms.ufunc(np.equal, iota(shape, 0), atoms.broadcast_to(steps, shape))
        y = atoms.select(some, atoms.select(at_end, atoms.broadcast_to(high, shape), y), y)
    return y, atoms.select(some, step, zeros_atom(delta.type.shape, dtype, np.nan))


@rules.creates(np.logspace)
def logspace(
    start: object,
    stop: object,
    num: object = 50,
    endpoint: object = True,
    base: object = 10.0,
    dtype: object = None,
    axis: object = 0,
) -> Value:
    """As `numpy.logspace`."""
    if shape_of(base):
        most = max(len(shape_of(x)) for x in (start, stop, base))
        parts = [_F[np.expand_dims](x, tuple(range(most - len(shape_of(x))))) for x in (start, stop, base)]
        start, stop, base = _F[np.broadcast_arrays](*parts)
        base = _F[np.expand_dims](base, axis)
    y = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    powers = apply_ufunc.apply(np.power, (operand(base), y))
    return powers if dtype is None else powers.astype(supported(dtype))


@rules.creates(np.geomspace)
def geomspace(
    start: Value, stop: Value, num: Value = 50, endpoint: Value = True, dtype: Value = None, axis: Value = 0
) -> Value:
    """As `numpy.geomspace`."""
    if not traced_inside((start, stop, num)):
        return fresh(atoms.literal(np.geomspace(start, stop, num, endpoint, dtype, axis)))
    chosen = np.result_type(promoted(start, stop), 1.0, np.zeros((), dtype or float).dtype)
    first, last = (_F[np.asarray](x).astype(chosen) for x in (start, stop))
    zero = _F[np.logical_or](_F[np.any](first == 0), _F[np.any](last == 0))
    run_time_checks.fail_if(wrap.as_atom(zero), lambda _: ValueError("Geometric sequence cannot include zero"))
    # Turned to the positive reals, and back.
    sign = _F[np.sign](first)
    first, last = first / sign, last / sign
    y = logspace(_F[np.log10](first), _F[np.log10](last), num=num, endpoint=endpoint, base=10.0, dtype=chosen)
    if is_open(num):
        y = _ended(y, first, last, num, endpoint)
    elif num > 0:
        y[0] = first
        if num > 1 and endpoint:
            y[-1] = last
    y = y * sign
    y = _F[np.moveaxis](y, 0, axis) if axis != 0 else y
    return y.astype(chosen if dtype is None else supported(dtype))


def _ended(y: Value, first: object, last: Value, num: Value, endpoint: Value) -> Value:
    """A sequence of run-time length with what its ends are to be exactly."""
    places = _F[np.expand_dims](arange(num), tuple(range(1, y.ndim)))
    y = _F[np.where](places == num - 1, last, y) if endpoint else y
    return _F[np.where](places == 0, first, y)


class Grid:
    """`np.mgrid` and `np.ogrid`."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Value) -> Value:
        """Coordinates over slices; a complex step is a number of points."""
        if not tracing():
            return (np.ogrid if self.sparse else np.mgrid)[key]
        single = not isinstance(key, tuple)
        lines = [self._axis(k) for k in ((key,) if single else key)]
        if single:
            return lines[0]
        grid: tuple[TracedArray, ...] = registry.FUNCTIONS[np.meshgrid](*lines, sparse=self.sparse, indexing="ij")
        if self.sparse:
            return grid
        return registry.FUNCTIONS[np.stack](grid)

    def _axis(self, k: slice) -> Value:
        start = 0 if k.start is None else k.start
        if isinstance(k.step, complex):
            return linspace(start, k.stop, int(abs(k.step)))
        return arange(start, k.stop, 1 if k.step is None else k.step)
