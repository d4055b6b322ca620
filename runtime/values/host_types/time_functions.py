"""NumPy's functions of dates and durations, and those that make some: of ints, of lists, of bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import atoms, registry, wrap
from anabranch.runtime.values.host_types import time_arithmetic
from anabranch.runtime.values.host_types.times import (
    TracedTimes,
    as_last,
    binary,
    is_constant,
    restored,
    times_of,
    unary,
)
from anabranch.runtime.values.tracer import Tracer

_F = registry.FUNCTIONS


def _isnat(x: TracedTimes) -> Value:
    return time_arithmetic.isnat(x._ints)


def _diff(a: TracedTimes, n: int = 1, axis: int = -1) -> Value:
    for _ in range(operator.index(n)):
        places = [slice(None)] * a.ndim
        later, earlier = list(places), list(places)
        later[axis], earlier[axis] = slice(1, None), slice(None, -1)
        a = a[tuple(later)] - a[tuple(earlier)]
    return a


def _sorted(a: TracedTimes, axis: Value = -1) -> Value:
    return TracedTimes(restored(_F[np.sort](as_last(a._ints), axis=axis)), a.dtype)


def _where(condition: Value, x: Value, y: Value) -> Value:
    one, other = times_of(x), times_of(y)
    if one is None or other is None:
        raise (one or other)._refusal("numpy.where with other operands")  # type: ignore[union-attr]
    common = np.result_type(one.dtype, other.dtype)
    ints = [time_arithmetic.converted(t._ints, t.dtype, common) for t in (one, other)]
    return TracedTimes(_F[np.where](condition, *ints), common)


def _joined(arrays: Sequence[Value], axis: int = 0) -> Value:
    several = [times_of(a) for a in arrays]
    if any(t is None for t in several):
        raise next(t for t in several if t is not None)._refusal("numpy.concatenate with other arrays")
    common = np.result_type(*(t.dtype for t in several if t is not None))
    ints = [time_arithmetic.converted(t._ints, t.dtype, common) for t in several if t is not None]
    return TracedTimes(_F[np.concatenate](ints, axis=axis), common)


def _method(name: str) -> Callable[..., Value]:
    return lambda a, *args, **kwargs: getattr(a, name)(*args, **kwargs)


def _two(ufunc: np.ufunc) -> Callable[[Value, Value], Value]:
    return lambda x, y: binary(ufunc, x, y)


RULES: dict[Any, Callable[..., Any]] = {
    **{ufunc: _two(ufunc) for ufunc in {u for u, _ in time_arithmetic.LOOPS}},
    **{ufunc: lambda x, ufunc=ufunc: unary(ufunc, x) for ufunc in time_arithmetic.UNARY},
    **{getattr(np, name): _method(name) for name in ("min", "max", "argmin", "argmax", "sum")},
    **{getattr(np, name): _method(name) for name in ("argsort", "reshape", "ravel", "transpose", "squeeze", "take")},
    np.isnat: _isnat, np.diff: _diff, np.sort: _sorted, np.where: _where, np.concatenate: _joined,
    np.copy: _method("copy"), np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim, np.size: lambda a: a.size,
}  # fmt: skip


def duration(value: Value, unit: Value = None) -> TracedTimes:
    """`numpy.timedelta64(value, unit)` of an int known only at run time."""
    dtype = np.dtype("m8" if unit is None else f"m8[{unit}]")
    if isinstance(value, TracedTimes):
        return value if unit is None else value.astype(dtype)
    if not isinstance(value, Tracer) or value.abstract.shape or value.abstract.dtype.kind not in "iu":
        raise UnsupportedOperationError("numpy.timedelta64 of a run-time value takes an int in compiled code")
    return TracedTimes(_F[np.asarray](value).astype(np.int64)[()], dtype)


def made(original: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]) -> TracedTimes | None:
    """An array of dates or durations that a function makes of lists or of bounds; None for any other array."""
    if original not in (np.array, np.asarray, np.arange) or not args:
        return None
    if any(isinstance(x, TracedTimes) for x in (args[0] if isinstance(args[0], (list, tuple)) else args[:1])):
        return _listed(original, args, kwargs)
    dtype = kwargs.get("dtype", args[-1] if len(args) > 1 else None)
    first = args[0][0] if isinstance(args[0], (list, tuple)) and args[0] else args[0]
    names_times = isinstance(dtype, (str, np.dtype)) and _is_of_times(dtype)
    if not names_times and not isinstance(first, (np.datetime64, np.timedelta64)) and not is_constant(first):
        return None
    found = original(*args, **kwargs)
    if found.dtype.kind not in "Mm" or not found.dtype.isnative:
        return None
    ints = np.array(found.view(np.int64))
    ints.flags.writeable = False
    return TracedTimes(wrap.array_of(atoms.literal(ints)), found.dtype)


def _is_of_times(dtype: str | np.dtype) -> bool:
    try:
        return np.dtype(dtype).kind in "Mm"
    except TypeError:
        return False


def _listed(original: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]) -> TracedTimes:
    """As `numpy.array` of a list of dates or durations, or of an array of them."""
    if isinstance(args[0], TracedTimes) and original is np.array and len(args) == 1 and not kwargs:
        return args[0].copy() if args[0].ndim else TracedTimes(_F[np.array](args[0]._ints), args[0].dtype)
    if isinstance(args[0], TracedTimes) and original is np.asarray and args[0].ndim and len(args) == 1 and not kwargs:
        return args[0]
    items = args[0] if isinstance(args[0], (list, tuple)) else ()
    known = [x for x in map(times_of, items) if x is not None and not x.ndim]
    if not known or len(known) < len(items) or len(args) > 1 or kwargs or original is np.arange:
        typed = next(x for x in (*args, *items) if isinstance(x, TracedTimes))
        raise typed._refusal(f"numpy.{original.__name__}")
    common = np.result_type(*(x.dtype for x in known))
    ints = [time_arithmetic.converted(x._ints, x.dtype, common) for x in known]
    return TracedTimes(_F[np.array](ints), common)
