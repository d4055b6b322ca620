"""NumPy's functions of dates and durations."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import registry
from anabranch.runtime.values.host_types import time_arithmetic
from anabranch.runtime.values.host_types.times import TracedTimes, as_last, binary, restored, times_of, unary

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
