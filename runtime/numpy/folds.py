"""Reductions over axes: what `np.sum(…)`, `np.add.reduce(…)` and their kin share."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir import Atom
from anabranch.runtime.numpy.core import NoValue, atom_of, axes_tuple, kept, refused, result, supported
from anabranch.runtime.values import arithmetic, atoms, indexing
from anabranch.runtime.values.array import Array

# Reductions that are an op of their own; every other associative ufunc is folded by halves.
_OPS = {
    np.add: "reduce_sum",
    np.multiply: "reduce_prod",
    np.minimum: "reduce_min",
    np.maximum: "reduce_max",
    np.logical_or: "reduce_any",
    np.logical_and: "reduce_all",
}
_FOLDED = (
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor, np.fmin, np.fmax, np.gcd, np.lcm, np.hypot,
    np.logaddexp, np.logaddexp2,
)  # fmt: skip
_ACCUMULATIONS = {np.add: "cumsum", np.multiply: "cumprod", np.minimum: "cummin", np.maximum: "cummax"}


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """The keywords of a reduction, under NumPy's names."""

    axis: Any = None
    dtype: Any = None
    out: Any = None
    keepdims: Any = False
    initial: Any = NoValue
    where: Any = True


def loop_dtype(ufunc: np.ufunc, dtype: np.dtype[Any], options: Options) -> np.dtype[Any]:
    """The dtype a reduction computes in: sums and products of small integers are widened, as NumPy does."""
    if options.dtype is not None:
        return supported(options.dtype)
    out = options.out[0] if isinstance(options.out, tuple) else options.out
    if ufunc in (np.logical_and, np.logical_or, np.logical_xor):
        return np.dtype(np.bool_)
    if isinstance(out, Array):
        return out.dtype
    if ufunc in (np.add, np.multiply) and dtype.kind in "biu" and dtype.itemsize <= 8:
        return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    resolved = ufunc.resolve_dtypes((dtype, dtype, None))
    return np.dtype(resolved[2])


def reduce(ufunc: np.ufunc, x: Any, options: Options) -> Any:
    """`ufunc.reduce(x, axis, dtype, out, keepdims, initial, where)`.

    Raises
    ------
    ValueError
        For no elements and no identity, with NumPy's message.
    """
    value = reduce_atom(ufunc, atom_of(x), options)
    return result(value, options.out)


def reduce_atom(ufunc: np.ufunc, x: Atom, options: Options) -> Atom:
    """The value of a reduction."""
    if ufunc not in _OPS and ufunc not in _FOLDED:
        raise refused(f"{ufunc.__name__}.reduce", "the ufunc is not associative, or its reduction is not implemented")
    dtype = loop_dtype(ufunc, x.type.dtype, options)
    if ufunc in (np.add, np.multiply) and dtype.kind == "b":
        # Sum and product of truth values are "any" and "all".
        ufunc = np.logical_or if ufunc is np.add else np.logical_and
    x = atoms.convert(x, dtype)
    axes = reduced_axes(options.axis, len(x.type.shape))
    x = _masked(ufunc, x, options)
    shape = x.type.shape
    if math.prod(shape[a] for a in axes) == 0 and ufunc.identity is None:
        if options.initial is NoValue or options.initial is None:
            if math.prod(n for i, n in enumerate(shape) if i not in axes):
                raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
            value = atoms.reshape(x, [n for i, n in enumerate(shape) if i not in axes])
        else:
            value = _constant(options.initial, [n for i, n in enumerate(shape) if i not in axes], dtype)
    else:
        value = _fold(ufunc, x, axes)
        if options.initial is not NoValue and options.initial is not None:
            value = atoms.ufunc(ufunc, _constant(options.initial, value.type.shape, dtype), value)
    keep = options.keepdims is not NoValue and bool(options.keepdims)
    return atoms.reshape(value, kept(shape, axes)) if keep else value


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes a reduction takes away; an axis that is named twice is refused in the words of NumPy's ufuncs."""
    if ndim == 0 and not isinstance(axis, tuple) and axis in (0, -1):
        return ()
    try:
        return axes_tuple(axis, ndim)
    except np.exceptions.AxisError:
        raise
    except ValueError:
        raise ValueError("duplicate value in 'axis'") from None


def _constant(value: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Atom:
    return atoms.broadcast_to(atom_of(indexing.assigned(value, dtype), dtype), tuple(shape))


def _masked(ufunc: np.ufunc, x: Atom, options: Options) -> Atom:
    """The array with what `where` leaves out set to what changes nothing."""
    if options.where is True or options.where is NoValue:
        return x
    mask = atom_of(options.where)
    if mask.type.dtype != np.bool_:
        raise TypeError(
            f"Cannot cast array data from {mask.type.dtype!r} to dtype('bool') according to the rule 'safe'"
        )
    neutral = ufunc.identity if options.initial is NoValue or options.initial is None else options.initial
    if neutral is None:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has to "
            "specify 'initial'"
        )
    if ufunc.identity is not None:
        neutral = ufunc.identity
    shape = arithmetic.broadcast_shapes(x.type.shape, mask.type.shape)
    mask, x = atoms.broadcast_to(mask, shape), atoms.broadcast_to(x, shape)
    return atoms.select(mask, x, _constant(neutral, shape, x.type.dtype))


def _fold(ufunc: np.ufunc, x: Atom, axes: tuple[int, ...]) -> Atom:
    if ufunc in _OPS:
        return atoms.op(_OPS[ufunc], x, axes=axes)
    rest = [i for i in range(len(x.type.shape)) if i not in axes]
    shape = [x.type.shape[i] for i in rest]
    count = math.prod(x.type.shape[a] for a in axes)
    x = atoms.reshape(atoms.transpose(x, (*axes, *rest)), (count, *shape))
    if count == 0:
        return _constant(ufunc.identity, shape, x.type.dtype)
    while count > 1:
        half = count // 2
        folded = atoms.ufunc(ufunc, rows(x, 0, half), rows(x, half, 2 * half))
        x = folded if count % 2 == 0 else atoms.op("concatenate", folded, rows(x, count - 1, count), axis=0)
        count = x.type.shape[0]
    return atoms.reshape(x, shape)


def rows(x: Atom, start: int, stop: int, axis: int = 0) -> Atom:
    """`x[start:stop]` along an axis."""
    starts, limits = [0] * len(x.type.shape), list(x.type.shape)
    starts[axis], limits[axis] = start, stop
    return atoms.op("slice", x, starts=tuple(starts), limits=tuple(limits), strides=(1,) * len(starts))


def accumulate_atom(ufunc: np.ufunc, x: Atom, axis: int, dtype: np.dtype[Any]) -> Atom:
    """`ufunc.accumulate` along one axis, in `dtype`."""
    if ufunc not in _ACCUMULATIONS:
        raise refused(f"{ufunc.__name__}.accumulate", "only add, multiply, minimum and maximum accumulate")
    x = atoms.convert(x, dtype)
    if dtype.kind == "b" and ufunc in (np.add, np.multiply):
        ufunc = np.maximum if ufunc is np.add else np.minimum
    return atoms.op(_ACCUMULATIONS[ufunc], x, axis=axis)
