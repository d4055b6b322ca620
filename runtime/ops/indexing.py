"""Reading and writing parts of an array at positions known when the program runs, and writing at static slices.

Positions out of range are clamped, by both evaluations; whoever needs an `IndexError` checks beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.ops.op import (
    BOOL,
    INT64,
    UNBOUNDED,
    NoElementsError,
    PartOp,
    UpdateOp,
    expect,
    index_scalars,
    one_per_axis,
    scalar,
)
from anabranch.runtime.ops.reducers import ADD, AND, MAXIMUM, MINIMUM, MULTIPLY, OR, SUBTRACT, XOR, Reducer
from anabranch.runtime.ops.shape import pad_with, slice_of, sliced_shape
from anabranch.runtime.ops.stablehlo_text import ints
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

COMBINES: dict[str, Reducer | None] = {
    "set": None,
    "add": ADD,
    "subtract": SUBTRACT,
    "multiply": MULTIPLY,
    "minimum": MINIMUM,
    "maximum": MAXIMUM,
    "bitwise_and": AND,
    "bitwise_or": OR,
    "bitwise_xor": XOR,
}


class _DynamicSlice(PartOp):
    """`dynamic_slice[sizes](x, *starts)`: a block of static size; starts are clamped so that it lies within x."""

    __slots__ = ()

    def type(self, x: ArrayType, *starts: ArrayType, sizes: Sequence[int]) -> tuple[ArrayType, ...]:
        index_scalars(self.name, starts, len(x.shape))
        one_per_axis(self.name, len(x.shape), sizes=sizes)
        _expect_elements(self.name, x.shape, sizes)
        fits = all(0 <= size <= n for size, n in zip(sizes, x.shape, strict=True))
        expect(fits, self.name, lambda: f"a block of {list(sizes)} of {x}")
        return (ArrayType(tuple(sizes), x.dtype),)

    def evaluate(self, x: np.ndarray, *starts: np.ndarray, sizes: Sequence[int]) -> tuple[np.ndarray, ...]:
        return (x[_block(x, starts, sizes)],)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if ctx.in_types[0] == ctx.out_types[0]:
            return [ctx.inputs[0]]
        attributes = f"slice_sizes = {ints(ctx.params['sizes'])}"
        return [ctx.emitter.op("dynamic_slice", ctx.inputs, ctx.in_types, ctx.out_types[0], attributes)]


class _DynamicUpdateSlice(UpdateOp):
    """`dynamic_update_slice(x, update, *starts)`: x with a block replaced; starts are clamped so that it fits."""

    __slots__ = ()
    update = 1

    def type(self, x: ArrayType, update: ArrayType, *starts: ArrayType) -> tuple[ArrayType, ...]:
        expect(update.dtype == x.dtype, self.name, lambda: f"an update of {update.dtype} for {x.dtype}")
        _expect_elements(self.name, x.shape, update.shape)
        fits = len(update.shape) == len(x.shape) and all(m <= n for m, n in zip(update.shape, x.shape, strict=True))
        expect(fits, self.name, lambda: f"an update {update} for {x}")
        index_scalars(self.name, starts, len(x.shape))
        return (x,)

    def evaluate(self, x: np.ndarray, update: np.ndarray, *starts: np.ndarray) -> tuple[np.ndarray, ...]:
        out = x.copy()
        out[_block(x, starts, update.shape)] = update
        return (out,)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if ctx.in_types[0] == ctx.in_types[1]:
            return [ctx.inputs[1]]
        return [ctx.emitter.op("dynamic_update_slice", ctx.inputs, ctx.in_types, ctx.out_types[0])]


def _expect_elements(op: str, shape: Sequence[int], sizes: Sequence[int]) -> None:
    if any(size and not n for n, size in zip(shape, sizes, strict=False)):
        raise NoElementsError(f"{op}: a block of {list(sizes)} of an array of shape {list(shape)}")


def _block(x: np.ndarray, starts: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[slice, ...]:
    bounds = zip(x.shape, starts, sizes, strict=True)
    clamped = [(min(max(int(start), 0), n - size), size) for n, start, size in bounds]
    return tuple(slice(start, start + size) for start, size in clamped)


class _StridedUpdate(UpdateOp):
    """`strided_update[starts, limits, strides](x, update)`: x after `x[starts:limits:strides] = update`, all static."""

    __slots__ = ()
    update = 1

    def type(
        self, x: ArrayType, update: ArrayType, *, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]
    ) -> tuple[ArrayType, ...]:
        target = ArrayType(sliced_shape(self.name, x.shape, starts, limits, strides), x.dtype)
        expect(update == target, self.name, lambda: f"an update {update} for {target}")
        return (x,)

    def evaluate(
        self, x: np.ndarray, update: np.ndarray, *, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]
    ) -> tuple[np.ndarray, ...]:
        out = x.copy()
        bounds = zip(starts, limits, strides, strict=True)
        out[tuple(slice(*b) for b in bounds)] = update
        return (out,)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x, update), (x_type, update_type) = ctx.inputs, ctx.in_types
        if update_type.size == 0:
            return [x]
        if update_type == x_type:
            return [update]
        starts, strides = ctx.params["starts"], ctx.params["strides"]
        # The box from the first to the last element written; what a stride skips inside it keeps its value.
        extents = [(n - 1) * stride + 1 for n, stride in zip(update_type.shape, strides, strict=True)]
        box_type = ArrayType(tuple(extents), x_type.dtype)
        if box_type != update_type:
            limits = [start + n for start, n in zip(starts, extents, strict=True)]
            box = slice_of(emitter, x, x_type, starts, limits, [1] * len(extents))
            update = _interleave(emitter, update, box, update_type, box_type, strides)
        if box_type == x_type:
            return [update]
        positions = [emitter.constant(start, scalar(INT64)) for start in starts]
        return [emitter.with_block(x, x_type, positions, scalar(INT64), update, box_type)]


def _interleave(
    emitter: Emitter, update: str, box: str, update_type: ArrayType, box_type: ArrayType, strides: Sequence[int]
) -> str:
    """`box` with `update` at every `strides`-th position of each axis, from the first to the last."""
    zeros = [0] * len(strides)
    gaps = [stride - 1 if n > 1 else 0 for n, stride in zip(update_type.shape, strides, strict=True)]
    zero = emitter.constant(0, scalar(box_type.dtype))
    spread = pad_with(emitter, update, zero, update_type, box_type, zeros, zeros, gaps)
    mask_type, mask = ArrayType(box_type.shape, BOOL), ""
    for axis, gap in enumerate(gaps):
        if gap:
            hits = _multiples(emitter, box_type.shape[axis], gap + 1)
            hits = emitter.broadcast(hits, ArrayType((box_type.shape[axis],), BOOL), box_type.shape, [axis])
            mask = emitter.binary("and", mask, hits, mask_type) if mask else hits
    return emitter.select(mask, spread, box, box_type)


def _multiples(emitter: Emitter, n: int, stride: int) -> str:
    """Which of the positions 0 to n-1 are multiples of `stride`."""
    # Narrow integers: their remainder is vectorised, that of int64 is not.
    line = ArrayType((n,), np.dtype(np.int32 if n < 2**31 else np.int64))
    remainder = emitter.binary("remainder", emitter.iota(0, line), emitter.constant(stride, line), line)
    return emitter.compare(remainder, emitter.constant(0, line), "EQ", line)


class _Gather(PartOp):
    """`gather(x, indices)`: `x[indices[..., 0], …, indices[..., k-1]]`, of shape `indices.shape[:-1] + x.shape[k:]`.

    Where an indexed axis of x has no elements to clamp to, the result is zeros.
    """

    __slots__ = ()
    is_reformed = True

    def type(self, x: ArrayType, indices: ArrayType) -> tuple[ArrayType, ...]:
        return (ArrayType(_indexed_shape(self.name, x, indices), x.dtype),)

    def evaluate(self, x: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, ...]:
        k = indices.shape[-1]
        if 0 in x.shape[:k]:
            return (np.zeros(indices.shape[:-1] + x.shape[k:], x.dtype),)
        return (x[_clamped(x, indices)],)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x, indices), (x_type, index_type), out = ctx.inputs, ctx.in_types, ctx.out_types[0]
        k = index_type.shape[-1]
        if 0 in x_type.shape[:k] or out.size == 0:
            return [emitter.constant(np.zeros(out.shape, out.dtype) if out.size == 0 else 0, out)]
        if len(index_type.shape) == 1:
            return [_read_block(emitter, x, indices, x_type, out)]
        return [take(emitter, x, indices, x_type, index_type)]


def take(emitter: Emitter, x: str, indices: str, x_type: ArrayType, index_type: ArrayType) -> str:
    """Emit `stablehlo.gather` with the last axis of `indices` holding positions on the first axes of x."""
    k, outer = index_type.shape[-1], len(index_type.shape) - 1
    rest = x_type.shape[k:]
    offsets, leading = list(range(outer, outer + len(rest))), list(range(k))
    attributes = (
        f"dimension_numbers = #stablehlo.gather<offset_dims = {offsets}, collapsed_slice_dims = {leading}, "
        f"start_index_map = {leading}, index_vector_dim = {outer}>, "
        f"slice_sizes = {ints([1] * k + list(rest))}, indices_are_sorted = false"
    )
    out = ArrayType(index_type.shape[:-1] + rest, x_type.dtype)
    return emitter.op("gather", [x, indices], [x_type, index_type], out, attributes)


class _Lookup(Op):
    """`lookup(table, index)`: elements of a 1-D table, an element for each index, which are of any shape."""

    __slots__ = ()
    whole_inputs = (0,)

    def type(self, table: ArrayType, index: ArrayType) -> tuple[ArrayType, ...]:
        expect(len(table.shape) == 1 and table.size > 0, self.name, lambda: f"{table} is no table")
        expect(index.dtype == INT64, self.name, lambda: f"an index of {index.dtype}")
        return (ArrayType(index.shape, table.dtype),)

    def evaluate(self, table: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, ...]:
        return (table[np.clip(index, 0, table.shape[0] - 1)],)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        index_type = ArrayType((*ctx.in_types[1].shape, 1), INT64)
        index = emitter.reshape(ctx.inputs[1], ctx.in_types[1], index_type.shape)
        return [take(emitter, ctx.inputs[0], index, ctx.in_types[0], index_type)]


class _Scatter(UpdateOp):
    """`scatter[combine](x, indices, updates)`: x with updates of shape `indices.shape[:-1] + x.shape[k:]` written in.

    `set` is `x[indices] = updates`, where of several updates to one place the last in C order stays; every other
    `combine` is the `at` of NumPy's ufunc of that name, one update after the other.
    """

    __slots__ = ()
    update = 2

    def type(self, x: ArrayType, indices: ArrayType, updates: ArrayType, *, combine: str) -> tuple[ArrayType, ...]:
        expect(combine in COMBINES, self.name, lambda: f"combine={combine!r} is none of {', '.join(COMBINES)}")
        reducer = COMBINES[combine]
        expect(
            reducer is None or reducer.takes(x.dtype), self.name, lambda: f"np.{combine} is not defined on {x.dtype}"
        )
        target = ArrayType(_indexed_shape(self.name, x, indices), x.dtype)
        expect(updates == target, self.name, lambda: f"updates {updates} for {target}")
        return (x,)

    def evaluate(
        self, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, combine: str
    ) -> tuple[np.ndarray, ...]:
        out, reducer = x.copy(), COMBINES[combine]
        if x.size == 0:
            return (out,)
        if reducer is None:
            out[_clamped(x, indices)] = updates
        else:
            reducer.ufunc.at(out, _clamped(x, indices), updates)
        return (out,)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x, indices, updates), (x_type, index_type, update_type) = ctx.inputs, ctx.in_types
        if x_type.size == 0 or update_type.size == 0:
            return [x]
        combine = COMBINES[ctx.params["combine"]]
        if len(index_type.shape) > 1:
            indices = _clamp(emitter, indices, index_type, x_type.shape)
            if combine is ADD and math.prod(index_type.shape[:-1]) == 1:
                x = emitter.fence(x, x_type)  # to XLA one update of 0.0 is its sum with it, also where that is -0.0
            return [_put(emitter, [x, indices, updates], ctx.in_types, combine)]
        if combine is not None:
            before = _read_block(emitter, x, indices, x_type, update_type)
            updates = combine.emit(emitter, before, updates, update_type)
        k = index_type.shape[0]
        block = ArrayType((1,) * k + update_type.shape, x_type.dtype)
        updates = emitter.reshape(updates, update_type, block.shape)
        starts = _starts(emitter, indices, k, len(x_type.shape))
        return [emitter.with_block(x, x_type, starts, scalar(INT64), updates, block)]

    def bytes_touched(self, equation: Equation) -> int:
        """Those of one block; more than an outlined function may touch for several, which it cannot write."""
        return super().bytes_touched(equation) if len(equation.inputs[1].type.shape) == 1 else UNBOUNDED


def _put(emitter: Emitter, operands: Sequence[str], types: Sequence[ArrayType], combine: Reducer | None) -> str:
    """Emit `stablehlo.scatter`; XLA's CPU compiler runs it as a loop over the updates, in C order."""
    x_type, index_type, update_type = types
    k, outer = index_type.shape[-1], len(index_type.shape) - 1
    windows, leading = list(range(outer, len(update_type.shape))), list(range(k))
    attributes = (
        f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {windows}, "
        f"inserted_window_dims = {leading}, scatter_dims_to_operand_dims = {leading}, index_vector_dim = {outer}>, "
        "indices_are_sorted = false, unique_indices = false"
    )
    element = scalar(x_type.dtype)

    def body(names: list[str]) -> Sequence[str]:
        old, new = names
        return emitter.typed([new if combine is None else combine.emit(emitter, old, new, element)], [element])

    region = emitter.region([element, element], body)
    return emitter.multi("scatter", operands, types, [x_type], [region], attributes)[0]


def _indexed_shape(op: str, x: ArrayType, indices: ArrayType) -> tuple[int, ...]:
    """The shape of `x[indices]`. Raises `TypeError` where the indices do not suit x."""
    expect(indices.dtype == INT64 and len(indices.shape) > 0, op, lambda: f"indices of {indices}, not int64 [..., k]")
    k = indices.shape[-1]
    expect(1 <= k <= len(x.shape), op, lambda: f"{k} indices for {len(x.shape)} dimensions")
    return indices.shape[:-1] + x.shape[k:]


def _clamped(x: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, ...]:
    """The index of each of the leading axes, within range."""
    return tuple(np.clip(indices[..., axis], 0, x.shape[axis] - 1) for axis in range(indices.shape[-1]))


def _clamp(emitter: Emitter, indices: str, type: ArrayType, shape: Sequence[int]) -> str:
    """`stablehlo.scatter` skips an update out of range, so the indices are clamped beforehand."""
    k, last = type.shape[-1], len(type.shape) - 1
    row = ArrayType((k,), INT64)
    upper = emitter.constant(np.array([n - 1 for n in shape[:k]]), row)
    upper = emitter.broadcast(upper, row, type.shape, [last])
    clamped = emitter.binary("maximum", indices, emitter.constant(0, type), type)
    return emitter.binary("minimum", clamped, upper, type)


def _starts(emitter: Emitter, indices: str, k: int, ndim: int) -> list[str]:
    """The k elements of `indices` as scalars, then zeros up to `ndim`."""
    row = ArrayType((k,), INT64)
    elements = [slice_of(emitter, indices, row, [axis], [axis + 1], [1]) for axis in range(k)]
    scalars = [emitter.reshape(e, ArrayType((1,), INT64), ()) for e in elements]
    return scalars + [emitter.constant(0, scalar(INT64))] * (ndim - k)


def _read_block(emitter: Emitter, x: str, indices: str, x_type: ArrayType, out: ArrayType) -> str:
    """`x[indices]` for a single index vector: a slice, which XLA fuses where it would not fuse a gather."""
    k = len(x_type.shape) - len(out.shape)
    starts = _starts(emitter, indices, k, len(x_type.shape))
    block = ArrayType((1,) * k + out.shape, x_type.dtype)
    return emitter.reshape(emitter.block(x, x_type, starts, scalar(INT64), block), block, out.shape)


dynamic_slice = _DynamicSlice("dynamic_slice")
dynamic_update_slice = _DynamicUpdateSlice("dynamic_update_slice")
strided_update = _StridedUpdate("strided_update")
gather = _Gather("gather")
scatter = _Scatter("scatter")
lookup = _Lookup("lookup")
OPS: tuple[Op, ...] = (dynamic_slice, dynamic_update_slice, strided_update, gather, scatter, lookup)
