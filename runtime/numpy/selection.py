"""Choosing elements by condition or position."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    broadcast_atoms,
    dtype_of,
    fresh,
    plain,
    promoted,
    result,
    shape_of,
    zeros_atom,
)
from anabranch.runtime.numpy.operands import elementwise
from anabranch.runtime.numpy.positions import positions
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer

rules = Rules()

_F = registry.FUNCTIONS


@rules.any_shape(np.where)
def where(condition: object, x: object = NoValue, y: object = NoValue, /) -> Value:
    """As `numpy.where` with three arguments: always an array."""
    if x is NoValue and y is NoValue:
        return _F[np.nonzero](condition)
    if x is NoValue or y is NoValue:
        raise ValueError("either both or neither of x and y should be given")
    return _either(condition, x, y)


@elementwise("condition", "x", "y")
def _either(condition: object, x: object, y: object) -> TracedArray:
    chosen = np.result_type(promoted(x, y))
    mask = atoms.convert(atom_of(condition), np.bool_)
    on_true, on_false = (_as_one_of(v, chosen) for v in (x, y))
    shape = apply_ufunc.broadcast_shapes(*(v.type.shape for v in (mask, on_true, on_false)))
    return fresh(atoms.select(*(atoms.broadcast_to(v, shape) for v in (mask, on_true, on_false))))


# Until NumPy 2.5 Python ints were arrays of int64 in `where`, which wrap where they do not fit.
_INTS_WRAP = np.lib.NumpyVersion(np.__version__) < "2.5.0"


def _as_one_of(value: object, dtype: np.dtype) -> Atom:
    """An alternative of `where` in the common dtype."""
    if _INTS_WRAP or not _is_int(value) or dtype.kind not in "iu":
        return atoms.convert(atom_of(value), dtype)
    return wrap.as_atom(value, dtype) if isinstance(value, Tracer) else atoms.literal(dtype.type(value), dtype)


@rules.method("clip")
@rules.any_shape(np.clip)
@elementwise("a", "a_min", "a_max", "min", "max")
def clip(
    a: Value,
    a_min: Value = NoValue,
    a_max: Value = NoValue,
    out: Value = None,
    *,
    min: Value = NoValue,
    max: Value = NoValue,
    where: Value = True,
    **kwargs: Value,
) -> Value:
    """As `numpy.clip`: `minimum(maximum(a, a_min), a_max)` in NumPy's common dtype."""
    low = None if (a_min is NoValue and min is NoValue) else (min if a_min is NoValue else a_min)
    high = None if (a_max is NoValue and max is NoValue) else (max if a_max is NoValue else a_max)
    low, high = _within_dtype(low, a, size_arithmetic.maximum), _within_dtype(high, a, size_arithmetic.minimum)
    if low is None and high is None:
        return _F[np.positive](a, out=out, where=where, **kwargs)
    if low is None:
        return _F[np.minimum](a, high, out=out, where=where, **kwargs)
    if high is None:
        return _F[np.maximum](a, low, out=out, where=where, **kwargs)
    dtype, casting = kwargs.pop("dtype", None), kwargs.pop("casting", "same_kind")
    plain("clip", **{k: (v, NoValue) for k, v in kwargs.items()})
    if where is not True:
        return _F[np.positive](clip(a, low, high, dtype=dtype, casting=casting), out=out, where=where)
    chosen = np.result_type(promoted(a, low, high)) if dtype is None else np.dtype(dtype)
    for i, x in enumerate((a, low, high)):
        if not np.can_cast(dtype_of(x), chosen, casting) and hasattr(x, "dtype"):
            error: Any = np._core._exceptions  # type: ignore[attr-defined]
            raise error._UFuncInputCastingError(np._core.umath.clip, casting, dtype_of(x), chosen, i)  # type: ignore[attr-defined]
    x, floor, ceiling = broadcast_atoms(a, low, high, dtype=chosen)
    value = atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, x, floor), ceiling)
    if isinstance(out, TracedArray):
        value = atoms.broadcast_to(value, out.shape)
    return result(value, out)


def _within_dtype(bound: Value, a: Value, extreme: Callable[[Any, Any], Any]) -> Value:
    """A Python int beyond the integers of the dtype bounds nothing on that side; on the other it is an error."""
    dtype = getattr(a, "dtype", None)
    if dtype is None or dtype.kind not in "iu" or not _is_int(bound):
        return bound
    info = np.iinfo(dtype)
    limit = info.min if extreme is size_arithmetic.maximum else info.max
    return bound if abs(limit) >= 2**63 else extreme(bound, limit)


def _is_int(value: object) -> bool:
    return type(value) is int or (isinstance(value, PythonScalar) and value.python is int)


@rules.any_shape(np.select)
@elementwise("default", lists=("condlist", "choicelist"))
def select(condlist: Value, choicelist: Value, default: Value = 0) -> TracedArray:
    """As `numpy.select`."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    for i, condition in enumerate(condlist):
        if dtype_of(condition) != np.bool_:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    chosen = np.result_type(promoted(*choicelist, default))
    for choice in choicelist:
        if not np.can_cast(dtype_of(choice), chosen, "same_kind"):
            raise TypeError(
                f"Cannot cast scalar from {dtype_of(choice)!r} to {chosen!r} according to the rule 'same_kind'"
            )
    # The default is filled in, as `numpy.full` of an array does: an int that the dtype cannot hold wraps around.
    filled = np.uint64(default) if type(default) is int and 2**63 <= default < 2**64 else default
    values = [*(atom_of(x, chosen) for x in choicelist), atoms.convert(atom_of(filled), chosen)]
    masks = [atom_of(c) for c in condlist]
    shape = apply_ufunc.broadcast_shapes(*(v.type.shape for v in (*values, *masks)))
    *choices, value = (atoms.broadcast_to(v, shape) for v in values)
    for mask, choice in zip(reversed(masks), reversed(choices), strict=True):
        value = atoms.select(atoms.broadcast_to(mask, shape), choice, value)
    return fresh(value)


# ---- by number ------------------------------------------------------------------------------------------------------


@rules.method("choose")
@rules.any_shape(np.choose)
@elementwise("a", lists=("choices",), fill=0)
def choose(a: Value, choices: Value, out: Value = None, mode: Value = "raise") -> Value:
    """As `numpy.choose`."""
    items: Sequence[Any] = [choices[i] for i in range(len(choices))]
    chosen = promoted(*items)
    values = [atoms.convert(atom_of(c), chosen) for c in items]
    broadcast = apply_ufunc.broadcast_shapes(shape_of(a), *(v.type.shape for v in values))
    if mode == "raise" and math.prod(broadcast):
        _check_choices(atom_of(a), len(items))
    index = positions(a, len(items), "clip" if mode == "raise" else mode)
    shape = apply_ufunc.broadcast_shapes(index.type.shape, *(v.type.shape for v in values))
    index = atoms.broadcast_to(index, shape)
    value = atoms.broadcast_to(values[-1], shape)
    for i, choice in reversed(list(enumerate(values[:-1]))):
        here = atoms.ufunc(np.equal, index, zeros_atom(shape, np.int64, i))
        value = atoms.select(here, atoms.broadcast_to(choice, shape), value)
    return result(value, out)


def _check_choices(index: Atom, count: int) -> None:
    if not settings().checks:
        return
    below = atoms.ufunc(np.less, index, zeros_atom(index.type.shape, index.type.dtype))
    above = atoms.ufunc(np.greater_equal, atoms.convert(index, np.int64), zeros_atom(index.type.shape, np.int64, count))
    outside = atoms.any_of(atoms.logical_or(below, above))
    run_time_checks.fail_if(outside, lambda _: ValueError("invalid entry in choice array"))
