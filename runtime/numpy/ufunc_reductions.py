"""Reductions over axes: the common part of `np.sum(…)`, `np.add.reduce(…)` and the like."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy import operands, sequential_loops
from anabranch.runtime.numpy.core import (
    NoValue,
    atom_of,
    axes_tuple,
    fresh,
    keepdims_shape,
    one_axis,
    refused,
    result,
    supported,
    zeros_atom,
)
from anabranch.runtime.numpy.outputs import stored, written
from anabranch.runtime.ops.reducers import highest, lowest
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.arrays import assigned_values
from anabranch.runtime.values.arrays.numpy_scalar import NumPyLike
from anabranch.runtime.values.dynamic_shapes import broadcasting

# Reductions that are an op of their own; every other associative ufunc is reduced by halves.
_OPS = {
    np.add: "reduce_sum",
    np.multiply: "reduce_prod",
    np.minimum: "reduce_min",
    np.maximum: "reduce_max",
    np.logical_or: "reduce_any",
    np.logical_and: "reduce_all",
}
_FOLDED = (
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor, np.fmin, np.fmax, np.gcd, np.hypot,
    np.logaddexp, np.logaddexp2,
)  # fmt: skip
_ACCUMULATIONS = {np.add: "cumsum", np.multiply: "cumprod", np.minimum: "cummin", np.maximum: "cummax"}


@frozen
class ReductionKeywords:
    """The keywords of a reduction, under NumPy's names."""

    axis: Any = None
    dtype: Any = None
    out: Any = None
    keepdims: Any = False
    initial: Any = NoValue
    where: Any = True


def only_binary(ufunc: np.ufunc, name: str) -> None:
    """Raise for a ufunc that does not make one of two."""
    if ufunc.nin != 2 or ufunc.nout != 1:
        kind = "binary functions" if ufunc.nin != 2 else "functions returning a single value"
        raise ValueError(f"{name} only supported for {kind}")


def loop_dtypes(ufunc: np.ufunc, dtype: np.dtype, options: ReductionKeywords) -> tuple[np.dtype, ...]:
    """Return the dtypes of a reduction's loop: accumulator, operand, result. Raises where NumPy has none."""
    out = options.out[0] if isinstance(options.out, tuple) else options.out
    chosen = None if options.dtype is None else supported(options.dtype)
    if chosen is None and isinstance(out, NumPyLike) and ufunc not in (np.logical_and, np.logical_or, np.logical_xor):
        # The output's elements are the first operand.
        chosen = ufunc.resolve_dtypes((out.dtype, dtype, None), casting="unsafe")[0]
    if chosen is None and ufunc in (np.add, np.multiply) and dtype.kind in "biu" and dtype.itemsize <= 8:
        # Sums and products of small integers are widened.
        chosen = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    options_: dict[str, Any] = {} if chosen is None else {"signature": (chosen, None, None)}
    resolved: tuple[np.dtype, ...] = ufunc.resolve_dtypes(
        (None, dtype, None), casting="unsafe", reduction=True, **options_
    )
    return resolved


def neutral(ufunc: np.ufunc, dtype: np.dtype) -> Value:
    """Return the value that changes no result of a ufunc on values of a dtype; None where there is none."""
    if ufunc in (np.maximum, np.minimum):
        return lowest(dtype) if ufunc is np.maximum else highest(dtype)
    if ufunc in (np.fmax, np.fmin) and dtype.kind in "fcV":
        return np.nan
    if ufunc in (np.fmax, np.fmin):
        return neutral(np.maximum if ufunc is np.fmax else np.minimum, dtype)
    return ufunc.identity


def reduce(ufunc: np.ufunc, x: Value, options: ReductionKeywords) -> Value:
    """`ufunc.reduce(x, axis, dtype, out, keepdims, initial, where)`, of arrays of static and of run-time size alike.

    Raises `ValueError` for no elements and no identity, with NumPy's message.
    """
    out = options.out[0] if isinstance(options.out, tuple) else options.out
    if any(map(wrap.is_dynamic_array, (x, options.where, out))):
        return stored(out, _reduced_where_valid(ufunc, operands.array(x), options))
    return result(reduce_atom(ufunc, atom_of(x), options), out, "unsafe")


def _reduced_where_valid(ufunc: np.ufunc, x: Value, options: ReductionKeywords) -> Value:
    where = options.where
    if where is not True and where is not NoValue:
        where = broadcasting.fitted(where, x)
    axes = reduced_axes(options.axis, x.ndim)
    given = options.initial is not NoValue and options.initial is not None
    operand = loop_dtypes(ufunc, x.dtype, options)[1]
    if operand.kind != x.dtype.kind:  # which may hold the neutral value while the array's own does not
        x = x.astype(operand)
    if not given and _identity(ufunc, options) is None:
        _refuse_empty(ufunc, x, axes)
    keep = options.keepdims is not NoValue and bool(options.keepdims)
    idle = -0.0 if ufunc is np.add and given and x.dtype.kind == "f" else neutral(ufunc, x.dtype)
    if idle is None and wrap.is_dynamic_array(x):
        return _one_after_the_other(ufunc, x, axes, options)
    plain = ReductionKeywords(axes, options.dtype, None, keep, options.initial, where)
    made = wrap.numpy_result(reduce_atom(ufunc, operands.padded(x, idle), plain))
    extents = [None if i in axes else e for i, e in enumerate(operands.extents(x)) if keep or i not in axes]
    return wrap.with_extents(made, extents, operands.origin(x))


def _refuse_empty(ufunc: np.ufunc, x: Value, axes: tuple[int, ...]) -> None:
    """Raise where the axes to reduce are empty and the result is not."""
    nothing: Atom = atoms.literal(False)
    for i, n in enumerate(x.shape):
        some = broadcasting.differ(n, 0)
        nothing = atoms.logical_or(nothing, atoms.logical_not(some)) if i in axes else atoms.logical_and(nothing, some)
    broadcasting.refuse(nothing, ValueError, str(_nothing(ufunc)))


def _one_after_the_other(ufunc: np.ufunc, x: Value, axes: tuple[int, ...], options: ReductionKeywords) -> Value:
    """A reduction without a neutral value, of an array of one axis."""
    if x.ndim != 1 or not axes or (options.where is not True and options.where is not NoValue):
        return x._needs_size(f"{ufunc.__name__}.reduce() of one axis, without where=,")
    line = x.left_packed()
    there = operands.front(line.shape[0], line.capacity[0])
    value, start = line.padded(1), options.initial
    if start is NoValue or start is None:
        start = value[0].astype(loop_dtypes(ufunc, x.dtype, options)[2])
        value, there = value[1:], fresh(there)[1:].atom
    return reduce(ufunc, value, ReductionKeywords(0, options.dtype, None, options.keepdims, start, fresh(there)))


def reduce_atom(ufunc: np.ufunc, x: Atom, options: ReductionKeywords) -> Atom:
    """The value of a reduction."""
    axes = reduced_axes(options.axis, len(x.type.shape))
    dtypes = loop_dtypes(ufunc, x.type.dtype, options)
    if ufunc in _OPS or ufunc in _FOLDED:
        count = math.prod(x.type.shape[axis] for axis in axes)
        is_narrow = ufunc is np.add and options.initial is NoValue and _sums_in_int32(x.type.dtype, count)
        within = np.dtype(np.int32) if is_narrow and dtypes[2].kind in "iu" else dtypes[2]
        value = atoms.convert(_folded(ufunc, atoms.convert(x, within), axes, options), dtypes[2])
    else:
        value = _stepped(ufunc, dtypes, x, axes, options)
    keep = options.keepdims is not NoValue and bool(options.keepdims)
    return atoms.reshape(value, keepdims_shape(x.type.shape, axes)) if keep else value


def _sums_in_int32(dtype: np.dtype, count: int) -> bool:
    """Return whether no sum of so many values is too large for an int32, of which a vector has more."""
    bits = {"b": 1, "i": 8 * dtype.itemsize, "u": 8 * dtype.itemsize + 1}.get(dtype.kind, 64)
    return count << bits < 2**32


def _folded(ufunc: np.ufunc, x: Atom, axes: tuple[int, ...], options: ReductionKeywords) -> Atom:
    """A reduction whose elements may be combined in any order."""
    if ufunc in (np.add, np.multiply) and x.type.dtype.kind == "b":
        # Sum and product of truth values are "any" and "all".
        ufunc = np.logical_or if ufunc is np.add else np.logical_and
    dtype = x.type.dtype
    x = _masked(ufunc, x, options)
    rest = [n for i, n in enumerate(x.type.shape) if i not in axes]
    given = options.initial is not NoValue and options.initial is not None
    count = math.prod(x.type.shape[a] for a in axes)
    if not given and count == 0 and _identity(ufunc, options) is None:
        raise _nothing(ufunc)
    if given and ufunc.identity is None and count == 0:
        return _constant(options.initial, rest, dtype)
    value = _fold(ufunc, x, axes)
    if given and ufunc is np.add and dtype.kind == "f":
        value = _signed_zero(value, x, axes)
    start = options.initial if given else _neutral(ufunc, dtype)
    if not given and (count != 1 or _identity(ufunc, options) is None or ufunc in _OPS):
        return value
    # NumPy starts from the identity, which shows where one element is left as it is (gcd, hypot).
    return atoms.ufunc(ufunc, _constant(start, rest, dtype), value)


def _signed_zero(total: Atom, x: Atom, axes: tuple[int, ...]) -> Atom:
    """The sum without the 0.0 that it starts from: -0.0 where all elements are."""
    negative = atoms.op("reduce_all", atoms.ufunc(np.signbit, x), axes=axes)
    shape, dtype = total.type.shape, total.type.dtype
    zero = atoms.ufunc(np.equal, total, zeros_atom(shape, dtype))
    return atoms.select(atoms.logical_and(negative, zero), zeros_atom(shape, dtype, -0.0), total)


def _identity(ufunc: np.ufunc, options: ReductionKeywords) -> Value:
    """Return the result of a reduction of no elements; `initial=None` says that there is none."""
    return None if options.initial is None else ufunc.identity


def _neutral(ufunc: np.ufunc, dtype: np.dtype) -> np.ndarray | None:
    """The identity as a value of the dtype: all bits set for `bitwise_and`."""
    return None if ufunc.identity is None else np.asarray(ufunc.identity).astype(dtype)[()]


def _nothing(ufunc: np.ufunc) -> ValueError:
    """The exception for a reduction of nothing that has no identity."""
    return ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")


def _stepped(
    ufunc: np.ufunc, dtypes: tuple[np.dtype, ...], x: Atom, axes: tuple[int, ...], options: ReductionKeywords
) -> Atom:
    """A reduction in the order of the elements."""
    if len(axes) > 1:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may be specified"
        )
    mask = _mask(ufunc, options)
    lines = [along_first(v, axes) for v in ((x,) if mask is None else (x, atoms.broadcast_to(mask, x.type.shape)))]
    rest, n = lines[0].type.shape[1:], lines[0].type.shape[0]
    given = options.initial is not NoValue and options.initial is not None
    loop = sequential_loops.UfuncLoop(ufunc, dtypes)
    if given:
        return sequential_loops.reduced(
            loop, _constant(options.initial, rest, dtypes[2]), lines[0], (*lines[1:], None)[0]
        )
    if not n:
        raise _nothing(ufunc)
    first = atoms.convert(atoms.reshape(atoms.cut(lines[0], 0, 1), rest), dtypes[2])
    return sequential_loops.reduced(loop, first, atoms.cut(lines[0], 1, n), None)


def along_first(x: Atom, axes: Sequence[int]) -> Atom:
    """The array with the reduced axis, if any, moved to the front."""
    if not axes:
        return atoms.reshape(x, (1, *x.type.shape))
    return atoms.transpose(x, (*axes, *(i for i in range(len(x.type.shape)) if i not in axes)))


def reduced_axes(axis: object, ndim: int) -> tuple[int, ...]:
    """The axes a reduction takes away; an axis that is named twice is refused in the words of NumPy's ufuncs."""
    if ndim == 0 and not isinstance(axis, tuple) and axis in (0, -1):
        return ()
    try:
        return axes_tuple(axis, ndim)
    except np.exceptions.AxisError:
        raise
    except ValueError:
        raise ValueError("duplicate value in 'axis'") from None


def _constant(value: object, shape: Sequence[int], dtype: np.dtype) -> Atom:
    return atoms.broadcast_to(atom_of(assigned_values.of_elements(value, dtype), dtype), tuple(shape))


def _mask(ufunc: np.ufunc, options: ReductionKeywords) -> Atom | None:
    """Return the mask that `where` picks elements by, or None for all of them."""
    if options.where is True or options.where is NoValue:
        return None
    mask = atom_of(options.where)
    if mask.type.dtype != np.bool_:
        raise TypeError(
            f"Cannot cast array data from {mask.type.dtype!r} to dtype('bool') according to the rule 'safe'"
        )
    if _identity(ufunc, options) is None and (options.initial is NoValue or options.initial is None):
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has to "
            "specify 'initial'"
        )
    return mask


def _masked(ufunc: np.ufunc, x: Atom, options: ReductionKeywords) -> Atom:
    """The array with the elements that `where` leaves out set to the neutral value."""
    mask = _mask(ufunc, options)
    if mask is None:
        return x
    neutral = options.initial if ufunc.identity is None else _neutral(ufunc, x.type.dtype)
    if ufunc is np.add and x.type.dtype.kind == "f" and options.initial is not NoValue:
        neutral = -0.0  # 0.0 makes 0.0 of a sum of -0.0
    shape = x.type.shape
    return atoms.select(atoms.broadcast_to(mask, shape), x, _constant(neutral, shape, x.type.dtype))


def _fold(ufunc: np.ufunc, x: Atom, axes: tuple[int, ...]) -> Atom:
    if ufunc in _OPS:
        return atoms.op(_OPS[ufunc], x, axes=axes)
    kind = x.type.dtype.kind
    if ufunc in (np.fmax, np.fmin) and (kind in "biu" or (kind == "f" and len(axes) == len(x.type.shape))):
        return _extreme_number(np.maximum if ufunc is np.fmax else np.minimum, x, axes)
    rest = [i for i in range(len(x.type.shape)) if i not in axes]
    shape = [x.type.shape[i] for i in rest]
    count = math.prod(x.type.shape[a] for a in axes)
    x = atoms.reshape(atoms.transpose(x, (*axes, *rest)), (count, *shape))
    if count == 0:
        return _constant(_neutral(ufunc, x.type.dtype), shape, x.type.dtype)
    while count > 1:
        half = count // 2
        folded = atoms.ufunc(ufunc, atoms.cut(x, 0, half), atoms.cut(x, half, 2 * half))
        x = folded if count % 2 == 0 else atoms.op("concatenate", folded, atoms.cut(x, count - 1, count), axis=0)
        count = x.type.shape[0]
    return atoms.reshape(x, shape)


def _extreme_number(ufunc: np.ufunc, x: Atom, axes: tuple[int, ...]) -> Atom:
    """The maximum or minimum of real numbers; NaN where there are no others."""
    dtype = x.type.dtype
    if dtype.kind != "f":
        return _fold(ufunc, x, axes)
    is_nan = atoms.ufunc(np.isnan, x)
    found = _fold(ufunc, atoms.select(is_nan, _constant(neutral(ufunc, dtype), x.type.shape, dtype), x), axes)
    is_none = _fold(np.logical_and, is_nan, axes)
    return atoms.select(is_none, _constant(np.nan, found.type.shape, dtype), found)


def accumulate(ufunc: np.ufunc, x: Value, axis: Value, dtype: Value = None, out: Value = None) -> Value:
    """`ufunc.accumulate`, of arrays of static and of run-time size alike."""
    at = one_axis(axis, x.ndim)
    dtypes = loop_dtypes(ufunc, x.dtype, ReductionKeywords(dtype=dtype, out=out))
    is_combined = ufunc in _ACCUMULATIONS
    line = x if is_combined else operands.left_packed(x, at)
    # What begins without an identity has its first element in front, and whatever behind the last.
    value = accumulate_atom(ufunc, operands.padded(line, neutral(ufunc, x.dtype) if is_combined else 1), at, dtypes)
    return written(out, wrap.with_extents(fresh(value), operands.extents(line), operands.origin(x)))


def accumulate_atom(ufunc: np.ufunc, x: Atom, axis: int, dtypes: tuple[np.dtype, ...]) -> Atom:
    """`ufunc.accumulate` along one axis."""
    _check_running(ufunc, dtypes, "accumulate")
    if dtypes[2].kind == "b" and ufunc in (np.add, np.multiply):
        ufunc = np.maximum if ufunc is np.add else np.minimum
    if ufunc in _ACCUMULATIONS:
        return atoms.op(_ACCUMULATIONS[ufunc], atoms.convert(x, dtypes[2]), axis=axis)
    line = along_first(x, (axis,))
    n, *rest = line.type.shape
    if not n:
        return atoms.convert(x, dtypes[2])
    first = atoms.convert(atoms.reshape(atoms.cut(line, 0, 1), rest), dtypes[2])
    made = sequential_loops.accumulated(sequential_loops.UfuncLoop(ufunc, dtypes), first, atoms.cut(line, 1, n))
    return back(made, axis)


def back(x: Atom, axis: int) -> Atom:
    """The array with its first axis moved to a given position."""
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(x.type.shape))]
    return atoms.transpose(x, order)


def _check_running(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...], name: str) -> None:
    if len(set(dtypes)) > 1:
        text = ", ".join(map(repr, dtypes))
        raise TypeError(f"the resolved dtypes are not compatible with {ufunc.__name__}.{name}. Resolved ({text})")


def reduceat_atom(ufunc: np.ufunc, x: Atom, starts: Atom, axis: int, dtypes: tuple[np.dtype, ...], size: Atom) -> Atom:
    """`ufunc.reduceat` along one axis of so many elements, of starts within it."""
    _check_running(ufunc, dtypes, "reduceat")
    if ufunc is np.power and dtypes[1].kind == "i":
        raise refused("power.reduceat", "exponents of signed integers may be negative; use floats")
    line, (count,) = along_first(x, (axis,)), starts.type.shape
    if not count or not line.type.shape[0]:
        return back(zeros_atom((count, *line.type.shape[1:]), dtypes[2]), axis)
    shape, dtype = line.type.shape, dtypes[2]
    is_vector = len(shape) == 1 and line.type.dtype == dtype and dtype.char in "bBhHiIlLqQfd"

    def fold(elements: Atom, mask: Atom) -> Atom:
        return _fold(ufunc, atoms.select(mask, elements, _constant(neutral(ufunc, dtype), shape, dtype)), (0,))

    folds = is_vector and ufunc in (np.add, np.maximum, np.minimum)
    loop = sequential_loops.UfuncLoop(ufunc, dtypes)
    return back(sequential_loops.segmented(loop, line, starts, size, fold if folds else None), axis)
