"""Choosing elements by condition or position."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    broadcast_atoms,
    dtype_of,
    fresh,
    handle,
    one_axis,
    plain,
    promoted,
    refused,
    result,
    shape_argument,
    shape_of,
    zeros_atom,
)
from anabranch.runtime.numpy.elementwise import elementwise
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import apply_ufunc, atoms, registry, wrap
from anabranch.runtime.values.arrays import indexing
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.dynamic_shapes import size_arithmetic
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar

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
    # Python ints are arrays of int64 here, which wrap where they do not fit.
    on_true, on_false = atoms.convert(atom_of(x), chosen), atoms.convert(atom_of(y), chosen)
    shape = apply_ufunc.broadcast_shapes(*(v.type.shape for v in (mask, on_true, on_false)))
    return fresh(atoms.select(*(atoms.broadcast_to(v, shape) for v in (mask, on_true, on_false))))


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


# NumPy 2.0 makes each bound one of the dtype, and raises where that cannot be.
_CLIP_CONVERTS = np.lib.NumpyVersion(np.__version__) < "2.1.0"


def _within_dtype(bound: Value, a: Value, extreme: Callable[[Any, Any], Any]) -> Value:
    """A Python int beyond the integers of the dtype bounds nothing on that side; on the other it is an error."""
    dtype = getattr(a, "dtype", None)
    if _CLIP_CONVERTS or dtype is None or dtype.kind not in "iu" or not _is_int(bound):
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


@rules.implements(np.piecewise)
def piecewise(x: Value, condlist: Value, funclist: Value, *args: Value, **kw: Value) -> TracedArray:
    """As `numpy.piecewise`; each function is applied to the whole of x, so it must be elementwise."""
    if any(callable(f) for f in funclist):
        raise refused("piecewise", "functions see a part of x whose size is known only at run time; use np.select")
    base = handle(x)
    conditions = [atoms.convert(atom_of(c), np.bool_) for c in condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are "
            "expected"
        )
    value = zeros_atom(base.shape, base.dtype)
    if len(funclist) == len(conditions) + 1:
        value = atoms.broadcast_to(atom_of(indexing.assigned(funclist[-1], base.dtype), base.dtype), base.shape)
    for mask, choice in zip(conditions, funclist, strict=False):
        new = atoms.broadcast_to(atom_of(indexing.assigned(choice, base.dtype), base.dtype), base.shape)
        value = atoms.select(atoms.broadcast_to(mask, base.shape), new, value)
    del args, kw
    return fresh(value)


# ---- by position -----------------------------------------------------------------------------------------------------


def positions(indices: object, size: int, mode: object, axis: int | None = None) -> Atom:
    """Index values as positions from 0, by `mode`; out of range raises `IndexError` in mode 'raise'."""
    index = atom_of(indices)
    if index.type.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {index.type.dtype!r} to dtype('int64') according to the rule 'safe'"
        )
    index = atoms.convert(index, np.int64)
    shape = index.type.shape
    if mode == "clip":
        low, high = zeros_atom(shape, np.int64), zeros_atom(shape, np.int64, max(size - 1, 0))
        return atoms.ufunc(np.minimum, atoms.ufunc(np.maximum, index, low), high)
    if mode == "wrap":
        return atoms.ufunc(np.remainder, index, zeros_atom(shape, np.int64, max(size, 1)))
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    return _checked(index, size, axis)


def _checked(index: Atom, size: int, axis: int | None) -> Atom:
    where_ = f"axis {axis} with " if axis is not None else ""
    text = f"index {{}} is out of bounds for {where_}size {size}"
    refuse_outside(index, -size, size, run_time_checks.IntMessage(IndexError, text))
    shape = index.type.shape
    negative = atoms.ufunc(np.less, index, zeros_atom(shape, np.int64))
    return atoms.select(negative, atoms.ufunc(np.add, index, zeros_atom(shape, np.int64, size)), index)


def refuse_outside(index: Atom, low: int, high: int, error: Callable[[int], BaseException]) -> None:
    """Raise for the first index that is not in [low, high)."""
    if isinstance(index, Literal):
        bad = index.value[(index.value < low) | (index.value >= high)]
        if bad.size:
            raise error(int(bad.flat[0]))
        return
    if not settings().checks or not index.type.size:
        return
    flat = atoms.reshape(index, (index.type.size,))
    least, limit = (zeros_atom(flat.type.shape, np.int64, n) for n in (low, high))
    outside = atoms.logical_or(atoms.ufunc(np.greater_equal, flat, limit), atoms.ufunc(np.less, flat, least))
    first = atoms.op("gather", flat, atoms.reshape(atoms.op("argmax", outside, axis=0), (1,)))
    run_time_checks.fail_if(atoms.op("reduce_any", outside, axes=(0,)), error, first)


def along(value: Atom, index: Atom, axis: int) -> Atom:
    """`value` at positions of one axis, which the positions' axes replace."""
    rank, shape = len(value.type.shape), index.type.shape
    order = (axis, *(i for i in range(rank) if i != axis))
    taken = atoms.op("gather", atoms.transpose(value, order), atoms.reshape(index, (*shape, 1)))
    k = len(shape)
    back = [*range(k, k + axis), *range(k), *range(k + axis, k + rank - 1)]
    return atoms.transpose(taken, back)


@rules.method("take")
@rules.implements(np.take)
def take(a: object, indices: object, axis: object = None, out: object = None, mode: object = "raise") -> Value:
    """As `numpy.take`."""
    value = atom_of(a)
    if axis is None:
        value, axis = atoms.reshape(value, (value.type.size,)), 0
    if not value.type.shape:
        one_axis(axis, 1)
        value, axis = atoms.reshape(value, (1,)), 0
    at = one_axis(axis, len(value.type.shape))
    size = value.type.shape[at]
    if size == 0 and atom_of(indices).type.size and math.prod(n for i, n in enumerate(value.type.shape) if i != at):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if isinstance(out, TracedArray) and not np.can_cast(out.dtype, value.type.dtype, "safe"):
        # NumPy works on a copy of the output in the array's dtype.
        raise TypeError(
            f"Cannot cast array data from {out.dtype!r} to {value.type.dtype!r} according to the rule 'safe'"
        )
    if mode == "raise" and size and not math.prod(value.type.shape[:at]):
        mode = "clip"  # NumPy, too, looks at no index
    return result(along(value, positions(indices, size, mode, at), at), out, "unsafe")


def _along_axis(array: object, indices: object, axis: object) -> tuple[Atom, Atom, int]:
    """The array (flat for axis None), full positions of each element, and the axis."""
    value, index = atom_of(array), atom_of(indices)
    if axis is None:
        if len(index.type.shape) != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        value, axis = atoms.reshape(value, (value.type.size,)), 0
    at = one_axis(axis, len(value.type.shape))
    if index.type.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if len(index.type.shape) != len(value.type.shape):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    shape = list(value.type.shape)
    shape[at] = index.type.shape[at]
    index = atoms.broadcast_to(positions(fresh(index), value.type.shape[at], "raise", at), shape)
    columns = [
        index if i == at else atoms.op("iota", shape=tuple(shape), dtype=np.dtype(np.int64), axis=i)
        for i in range(len(shape))
    ]
    parts = [atoms.reshape(c, (*shape, 1)) for c in columns]
    return value, parts[0] if len(parts) == 1 else atoms.op("concatenate", *parts, axis=len(shape)), at


@rules.implements(np.take_along_axis)
def take_along_axis(arr: object, indices: object, axis: object = -1) -> TracedArray:
    """As `numpy.take_along_axis`."""
    value, full, _ = _along_axis(arr, indices, axis)
    return fresh(atoms.op("gather", value, full))


@rules.implements(np.put_along_axis)
def put_along_axis(arr: object, indices: object, values: object, axis: object) -> None:
    """As `numpy.put_along_axis`: writes in place."""
    target = handle(arr)
    value, full, _ = _along_axis(arr, indices, axis)
    shape = full.type.shape[:-1]
    updates = atoms.broadcast_to(atom_of(values, target.dtype), shape)
    count = full.type.size // max(full.type.shape[-1], 1)
    flat = atoms.reshape(full, (count, full.type.shape[-1]))
    written = atoms.op("scatter", value, flat, atoms.reshape(updates, (count,)), combine="set")
    target.set(atoms.reshape(written, target.shape))


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
    outside = atoms.op("reduce_any", atoms.logical_or(below, above), axes=tuple(range(len(index.type.shape))))
    run_time_checks.fail_if(outside, lambda _: ValueError("invalid entry in choice array"))


# ---- flat positions --------------------------------------------------------------------------------------------------


def _fortran(order: object) -> bool:
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return bool(order == "F")


@rules.implements(np.unravel_index)
def unravel_index(indices: object, shape: object, order: object = "C") -> Value:
    """As `numpy.unravel_index`."""
    if _fortran(order):
        return unravel_index(indices, shape_argument(shape)[::-1])[::-1]
    sizes = shape_argument(shape)
    index = atom_of(indices)
    if index.type.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    index = atoms.convert(index, np.int64)
    total = math.prod(sizes)
    message = f"is out of bounds for array with size {total}"
    refuse_outside(index, 0, total, run_time_checks.IntMessage(ValueError, f"index {{}} {message}"))
    columns = []
    for size in reversed(sizes):
        n = zeros_atom(index.type.shape, np.int64, max(size, 1))
        columns.append(wrap.numpy_result(atoms.ufunc(np.remainder, index, n)))
        index = atoms.ufunc(np.floor_divide, index, n)
    return tuple(reversed(columns))


@rules.implements(np.ravel_multi_index)
def ravel_multi_index(multi_index: Value, dims: Value, mode: Value = "raise", order: Value = "C") -> Value:
    """As `numpy.ravel_multi_index`."""
    sizes = shape_argument(dims)
    items = [multi_index[i] for i in range(len(multi_index))]
    if _fortran(order):
        how = mode[::-1] if isinstance(mode, tuple) else mode
        return ravel_multi_index(items[::-1], sizes[::-1], how)
    if len(items) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    modes = mode if isinstance(mode, tuple) else (mode,) * len(sizes)
    parts = [atoms.convert(v, np.int64) for v in broadcast_atoms(*items)]
    total = zeros_atom(parts[0].type.shape, np.int64)
    for part, size, how in zip(parts, sizes, modes, strict=True):
        if how == "raise":
            refuse_outside(part, 0, size, run_time_checks.IntMessage(ValueError, "invalid entry in coordinates array"))
        else:
            part = positions(fresh(part), size, how)
        scaled = atoms.ufunc(np.multiply, total, zeros_atom(part.type.shape, np.int64, size))
        total = atoms.ufunc(np.add, scaled, part)
    return result(total)
