"""Sorting, along one axis.

All but few are sorted by NumPy on the host, whose vector code takes a tenth of the time of XLA's.
XLA's CPU sort is fast for one array of integers under `<` alone, and several times slower for any other comparison
and for pairs. So values are sorted as integers that have the same order, and a permutation is found digit by digit:
each pass sorts 64-bit words that hold 32 bits of the key above the 32 bits of the position. Words differ, so ties keep
their order. Integers are also what keeps subnormal numbers apart, which XLA's CPU code takes for zero when it compares
floats.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops import op
from anabranch.runtime.ops.indexing import take
from anabranch.runtime.ops.op import BOOL, INT64, CallOp, expect, in_range
from anabranch.runtime.ops.reducers import has_nan, parts, real_dtype
from anabranch.runtime.ops.stable_positions import write_stable_positions
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

# A call of a host function takes some 6 microseconds; from so many elements on, it takes less than XLA's sort.
MANY = 512
# How many integers there are, and how many to each value between the extremes, so that to count them takes less time.
_LEAST_COUNTED, _LEAST_OF_EACH = 2048, 4
# NumPy's radix sort takes longer for shorter rows, in which it counts as many digits.
_LEAST_BY_RADIX = 24
_UINT8, _UINT64, _FLOAT32 = np.dtype(np.uint8), np.dtype(np.uint64), np.dtype(np.float32)


class _Sorting(CallOp):
    """The rules that `sort` and `argsort` share: an axis that x has, no longer than a 32-bit position reaches."""

    __slots__ = ()
    is_reformed = True
    is_materialized = True

    def result_dtype(self, dtype: np.dtype) -> np.dtype:
        """The dtype of the result, of x's shape."""
        return dtype

    def type(self, x: ArrayType, *, axis: int, stable: bool) -> tuple[ArrayType, ...]:
        expect(isinstance(stable, bool), self.name, f"stable={stable!r} is no bool")
        _check_axis(self.name, x, axis)
        return (ArrayType(x.shape, self.result_dtype(x.dtype)),)


def _check_axis(op: str, x: ArrayType, axis: int) -> None:
    in_range(op, [axis], len(x.shape))
    expect(x.shape[axis] < 2**32, op, f"axis {axis} of {x} is too long")


class _Sort(_Sorting):
    """`sort[axis, stable](x)`: NaNs last, complex numbers by real, then by imaginary part.

    `stable` shows only in the order of 0.0 and -0.0, which tie.
    """

    __slots__ = ()

    def evaluate(self, x: np.ndarray, *, axis: int, stable: bool) -> tuple[np.ndarray, ...]:
        return (np.sort(_wide(x), axis=axis, kind=_kind(x.dtype, x.shape[axis], stable)).astype(x.dtype),)

    def write(self, outs: Sequence[np.ndarray], x: np.ndarray, *, axis: int, stable: bool) -> None:
        """Sort in the result's own memory."""
        if x.size == x.shape[axis] and _wrote_by_counts(outs[0].reshape(-1), x.reshape(-1)):
            return
        outs[0][...] = x
        outs[0].sort(axis, _kind(x.dtype, x.shape[axis], stable))

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x,), (type,), axis = ctx.inputs, ctx.in_types, ctx.params["axis"]
        if type.size == 0 or type.shape[axis] == 1:
            return ctx.inputs
        if op.may_call(ctx, MANY):
            return op.called(ctx, self)
        if type.dtype.kind in "iu":
            return [_ascending(emitter, x, type, axis)]
        if type.dtype == BOOL:
            bytes_type = ArrayType(type.shape, _UINT8)
            ordered = _ascending(emitter, emitter.convert(x, type, _UINT8), bytes_type, axis)
            return [emitter.compare(ordered, emitter.constant(0, bytes_type), "NE", bytes_type)]
        if type.dtype.kind == "c" or ctx.params["stable"]:
            rows = _Rows(emitter, type, axis)
            line = rows.enter(x)
            return [rows.leave(rows.pick(line, type.dtype, _permutation(emitter, line, rows.type)), type.dtype)]
        wide = type if type.dtype.itemsize >= 4 else ArrayType(type.shape, _FLOAT32)
        keys, key_type = _ordered_bits(emitter, emitter.convert(x, type, wide.dtype), wide)
        ordered = _flip(emitter, _ascending(emitter, keys, key_type, axis), key_type)
        floats = emitter.op("bitcast_convert", [ordered], [key_type], wide)
        return [emitter.convert(floats, wide, type.dtype)]


def greatest(dtype: np.dtype) -> np.ndarray:
    """The value of a dtype of NumPy's own that no other is sorted behind."""
    if dtype.kind in "fc":
        return np.array(complex(np.nan, np.nan) if dtype.kind == "c" else np.nan, dtype)
    return np.array(True if dtype.kind == "b" else np.iinfo(dtype).max, dtype)


class _SortFront:
    """The first elements of a vector in order, and behind them what is sorted behind all others."""

    def write(self, outs: Sequence[np.ndarray], x: np.ndarray, count: np.ndarray, *, stable: bool) -> None:
        """Sort in the result's own memory."""
        (out,), n = outs, int(count)
        front = out[:n]
        out[n:] = greatest(out.dtype)
        if not _wrote_by_counts(front, x[:n]):
            front[...] = x[:n]
            front.sort(kind=_kind(x.dtype, n, stable))


sort_front = _SortFront()


def _wrote_by_counts(out: np.ndarray, x: np.ndarray) -> bool:
    """Write many integers in order, unless there are few of each: each as often as it occurs."""
    if x.dtype.kind not in "iu" or x.dtype.itemsize < 4 or x.size < _LEAST_COUNTED:
        return False
    low = int(x.min())
    size = int(x.max()) - low + 1
    if size * _LEAST_OF_EACH > x.size:
        return False
    counts = np.bincount((x - x.dtype.type(low)).astype(np.int64, copy=False), minlength=size)
    out[...] = np.repeat(np.arange(size).astype(x.dtype) + x.dtype.type(low), counts)
    return True


class _Partition(CallOp):
    """`partition[axis, kth](x)`: at the positions `kth` what a sort puts there, smaller before, greater behind."""

    __slots__ = ()
    is_reformed = True
    is_materialized = True

    def type(self, x: ArrayType, *, axis: int, kth: Sequence[int]) -> tuple[ArrayType, ...]:
        _check_axis(self.name, x, axis)
        in_range(self.name, kth, x.shape[axis])
        return (x,)

    def evaluate(self, x: np.ndarray, *, axis: int, kth: Sequence[int]) -> tuple[np.ndarray, ...]:
        return (np.partition(_wide(x), list(kth), axis).astype(x.dtype),)

    def write(self, outs: Sequence[np.ndarray], x: np.ndarray, *, axis: int, kth: Sequence[int]) -> None:
        """Partition in the result's own memory."""
        outs[0][...] = x
        outs[0].partition(list(kth), axis)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if op.may_call(ctx, MANY):
            return op.called(ctx, self)
        return sort.lower(dataclasses.replace(ctx, params={"axis": ctx.params["axis"], "stable": False}))


class _ArgPartition(_Partition):
    """`argpartition[axis, kth](x)`: int64 positions that partition x so."""

    __slots__ = ()

    def type(self, x: ArrayType, *, axis: int, kth: Sequence[int]) -> tuple[ArrayType, ...]:
        super().type(x, axis=axis, kth=kth)
        return (ArrayType(x.shape, INT64),)

    def evaluate(self, x: np.ndarray, *, axis: int, kth: Sequence[int]) -> tuple[np.ndarray, ...]:
        return (np.argpartition(_wide(x), list(kth), axis),)

    def write(self, outs: Sequence[np.ndarray], x: np.ndarray, *, axis: int, kth: Sequence[int]) -> None:
        """Write NumPy's positions."""
        (outs[0][...],) = self.evaluate(x, axis=axis, kth=kth)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if op.may_call(ctx, MANY):
            return op.called(ctx, self)
        return argsort.lower(dataclasses.replace(ctx, params={"axis": ctx.params["axis"], "stable": False}))


class _PartitionAt(_Partition):
    """`partition_at[axis](x, places)`: the same for positions that only a run knows, which are moved into the axis."""

    __slots__ = ()

    def type(self, x: ArrayType, places: ArrayType, *, axis: int) -> tuple[ArrayType, ...]:  # type: ignore[override]
        expect(places.dtype == INT64 and len(places.shape) == 1, self.name, f"{places} are no positions")
        return super().type(x, axis=axis, kth=())

    def evaluate(self, x: np.ndarray, places: np.ndarray, *, axis: int) -> tuple[np.ndarray, ...]:  # type: ignore[override]
        return super().evaluate(x, axis=axis, kth=_within(places, x.shape[axis]))

    def write(self, outs: Sequence[np.ndarray], x: np.ndarray, places: np.ndarray, *, axis: int) -> None:  # type: ignore[override]
        """Partition in the result's own memory."""
        super().write(outs, x, axis=axis, kth=_within(places, x.shape[axis]))

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if op.may_call(ctx, MANY):
            return op.called(ctx, self)
        params = {"axis": ctx.params["axis"], "stable": False}
        inputs, atoms, in_types = ctx.inputs[:1], ctx.atoms[:1], ctx.in_types[:1]
        return sort.lower(dataclasses.replace(ctx, inputs=inputs, atoms=atoms, in_types=in_types, params=params))


def _within(places: np.ndarray, length: int) -> list[int]:
    """Positions that are moved into an axis, each once."""
    return sorted(set(np.clip(places, 0, length - 1).tolist()))


class _ArgSort(_Sorting):
    """`argsort[axis, stable](x)`: int64 positions that sort x; ties always stay in order, whatever `stable` says."""

    __slots__ = ()

    def result_dtype(self, dtype: np.dtype) -> np.dtype:
        return INT64

    def evaluate(self, x: np.ndarray, *, axis: int, stable: bool) -> tuple[np.ndarray, ...]:
        return (np.argsort(_wide(x), axis=axis, kind="stable"),)

    def write(self, outs: Sequence[np.ndarray], x: np.ndarray, *, axis: int, stable: bool) -> None:
        """The same, in less time."""
        write_stable_positions(outs[0], x, axis)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x,), (type,), axis = ctx.inputs, ctx.in_types, ctx.params["axis"]
        if type.size == 0 or type.shape[axis] == 1:
            return [emitter.constant(0 if type.size else np.zeros(type.shape, np.int64), ctx.out_types[0])]
        if op.may_call(ctx, MANY):
            return op.called(ctx, self)
        rows = _Rows(emitter, type, axis)
        return [rows.leave(_permutation(emitter, rows.enter(x), rows.type), INT64)]


def _wide(x: np.ndarray) -> np.ndarray:
    """Narrow floats that are not NumPy's own as float32: it leaves these in no order where there is a NaN."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


@frozen
class _Rows:
    """An array seen as rows: the axis that is sorted last, all others as one."""

    emitter: Emitter
    source: ArrayType
    axis: int

    @property
    def _order(self) -> list[int]:
        return [*(i for i in range(len(self.source.shape)) if i != self.axis), self.axis]

    @property
    def _moved(self) -> tuple[int, ...]:
        return tuple(self.source.shape[i] for i in self._order)

    @property
    def type(self) -> ArrayType:
        n = self.source.shape[self.axis]
        return ArrayType((self.source.size // n, n), self.source.dtype)

    def enter(self, x: str) -> str:
        """The source as rows."""
        if self.axis != len(self.source.shape) - 1:
            x = self.emitter.transpose(x, self.source, self._order)
        return self.emitter.reshape(x, ArrayType(self._moved, self.source.dtype), self.type.shape)

    def leave(self, rows: str, dtype: np.dtype) -> str:
        """Rows of any dtype in the source's shape."""
        moved = ArrayType(self._moved, dtype)
        x = self.emitter.reshape(rows, ArrayType(self.type.shape, dtype), moved.shape)
        if self.axis == len(self.source.shape) - 1:
            return x
        return self.emitter.transpose(x, moved, [self._order.index(i) for i in range(len(self._order))])

    def pick(self, rows: str, dtype: np.dtype, positions: str) -> str:
        """`np.take_along_axis(rows, positions, 1)`."""
        return _pick(self.emitter, rows, ArrayType(self.type.shape, dtype), positions)


def _pick(emitter: Emitter, rows: str, type: ArrayType, positions: str) -> str:
    count, n = type.shape
    at = ArrayType(type.shape, INT64)
    if count > 1:
        firsts = emitter.binary("multiply", emitter.iota(0, at), emitter.constant(n, at), at)
        positions = emitter.binary("add", positions, firsts, at)
    flat, index = ArrayType((type.size,), type.dtype), ArrayType((type.size, 1), INT64)
    positions = emitter.reshape(positions, at, index.shape)
    picked = take(emitter, emitter.reshape(rows, type, flat.shape), positions, flat, index)
    return emitter.reshape(picked, flat, type.shape)


def _kind(dtype: np.dtype, length: int, stable: bool) -> Literal["stable", "quicksort"]:
    """The algorithm for rows of a length: NumPy has a radix sort for narrow integers, and calls it stable."""
    is_radix = dtype.kind in "biu" and dtype.itemsize <= 2 and length >= _LEAST_BY_RADIX
    return "stable" if stable or is_radix else "quicksort"


def _ascending(emitter: Emitter, x: str, type: ArrayType, axis: int) -> str:
    """Integers sorted along an axis: many by NumPy, where it can be called."""
    if emitter.can_call_host and type.size >= MANY:
        params = (("axis", axis), ("stable", False))
        return emitter.callback(HostFunction(__name__, "sort", params, inputs=1), [x], [type], [type])[0]
    return emitter.ascending(x, type, axis)


# ---- keys: integers in the order of what they stand for -----------------------------------------------------------


def _ordered_bits(emitter: Emitter, x: str, type: ArrayType) -> tuple[str, ArrayType]:
    """Signed integers in the order of the floats x, -0.0 before 0.0, every NaN the same and last."""
    nan = emitter.constant(np.nan, type)
    x = emitter.select(has_nan(emitter, x, type), nan, x, type)
    bits_type = ArrayType(type.shape, np.dtype(f"i{type.dtype.itemsize}"))
    return _flip(emitter, emitter.op("bitcast_convert", [x], [type], bits_type), bits_type), bits_type


def _flip(emitter: Emitter, bits: str, type: ArrayType) -> str:
    """Negative floats' bits ascend as their values descend: all but the sign is inverted. Its own inverse."""
    width = 8 * type.dtype.itemsize
    sign = emitter.binary("shift_right_arithmetic", bits, emitter.constant(width - 1, type), type)
    mask = emitter.binary("and", sign, emitter.constant(np.iinfo(type.dtype).max, type), type)
    return emitter.binary("xor", bits, mask, type)


def _real_key(emitter: Emitter, x: str, type: ArrayType) -> tuple[str, ArrayType]:
    """An unsigned key of a bool, an integer or a float; 0.0 and -0.0 share one."""
    if type.dtype.kind in "bu":
        dtype = _UINT8 if type.dtype == BOOL else type.dtype
        return emitter.convert(x, type, dtype), ArrayType(type.shape, dtype)
    if type.dtype.kind != "i":
        wide = type if type.dtype.itemsize >= 4 else ArrayType(type.shape, _FLOAT32)
        x, type = _ordered_bits(emitter, emitter.convert(x, type, wide.dtype), wide)
        minus_zero = emitter.compare(x, emitter.constant(-1, type), "EQ", type)
        x = emitter.select(minus_zero, emitter.constant(0, type), x, type)
    x = emitter.binary("xor", x, emitter.constant(np.iinfo(type.dtype).min, type), type)
    unsigned = ArrayType(type.shape, np.dtype(f"u{type.dtype.itemsize}"))
    return emitter.op("bitcast_convert", [x], [type], unsigned), unsigned


def _keys(emitter: Emitter, x: str, type: ArrayType) -> list[tuple[str, ArrayType]]:
    """Unsigned keys of the elements, the least significant first."""
    if type.dtype.kind != "c":
        return [_real_key(emitter, x, type)]
    part = ArrayType(type.shape, real_dtype(type.dtype))
    pair = parts(emitter, x, type)
    # Numbers, then those with a NaN as imaginary part, then those with one as real part, then those with two.
    rank_type = ArrayType(type.shape, _UINT8)
    real_nan, imag_nan = (emitter.convert(has_nan(emitter, p, part), ArrayType(type.shape, BOOL), _UINT8) for p in pair)
    twice = emitter.binary("add", real_nan, real_nan, rank_type)
    rank = emitter.binary("add", twice, imag_nan, rank_type)
    real, imag = (_real_key(emitter, p, part) for p in pair)
    return [imag, real, (rank, rank_type)]


def _digits(emitter: Emitter, key: str, type: ArrayType) -> list[str]:
    """A key as uint64 digits below 2**32, the least significant first."""
    word = ArrayType(type.shape, _UINT64)
    wide = emitter.convert(key, type, _UINT64)
    if type.dtype.itemsize <= 4:
        return [wide]
    return [_low(emitter, wide, word), emitter.binary("shift_right_logical", wide, emitter.constant(32, word), word)]


def _low(emitter: Emitter, words: str, type: ArrayType) -> str:
    return emitter.binary("and", words, emitter.constant(2**32 - 1, type), type)


def _permutation(emitter: Emitter, x: str, type: ArrayType) -> str:
    """The int64 positions that sort each row of x."""
    word, at = ArrayType(type.shape, _UINT64), ArrayType(type.shape, INT64)
    positions = emitter.iota(1, word)
    permutation = ""
    for key, key_type in _keys(emitter, x, type):
        for digit in _digits(emitter, key, key_type):
            ranked = _pick(emitter, digit, word, permutation) if permutation else digit
            high = emitter.binary("shift_left", ranked, emitter.constant(32, word), word)
            words = _ascending(emitter, emitter.binary("or", high, positions, word), word, 1)
            found = emitter.convert(_low(emitter, words, word), word, INT64)
            permutation = _pick(emitter, permutation, at, found) if permutation else found
    return permutation


sort = _Sort("sort")
partition = _Partition("partition")
argpartition = _ArgPartition("argpartition")
argsort = _ArgSort("argsort")
partition_at = _PartitionAt("partition_at")
OPS: tuple[Op, ...] = (sort, partition, partition_at, argpartition, argsort)
