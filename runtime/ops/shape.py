"""Ops that move elements without computing on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.op import PartOp, expect, in_range, one_per_axis, scalar, without
from anabranch.runtime.ops.stablehlo_text import ints
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

# From how many elements on columns are put together as rows.
_LARGE = 1024


def shifted(axes: Sequence[int]) -> tuple[int, ...]:
    """The same axes behind another one."""
    return tuple([axis + 1 for axis in axes])


class _Reshape(PartOp):
    """`reshape[shape](x)`: the same elements in C order."""

    __slots__ = ()
    is_view = True
    is_transparent = True
    work = Work.LITTLE

    def type(self, x: ArrayType, *, shape: Sequence[int]) -> tuple[ArrayType, ...]:
        out = ArrayType(tuple(shape), x.dtype)
        expect(all(n >= 0 for n in shape) and out.size == x.size, self.name, lambda: f"{x} into shape {list(shape)}")
        return (out,)

    def evaluate(self, x: np.ndarray, *, shape: Sequence[int]) -> tuple[np.ndarray, ...]:
        return (np.reshape(x, shape),)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        return {"shape": (length, *params["shape"])}

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return [ctx.emitter.reshape(ctx.inputs[0], ctx.in_types[0], ctx.params["shape"])]


class _Transpose(Op):
    """`transpose[axes](x)`: axis i of the result is axis `axes[i]` of x."""

    __slots__ = ()
    is_view = True
    is_transparent = True

    def type(self, x: ArrayType, *, axes: Sequence[int]) -> tuple[ArrayType, ...]:
        one_per_axis(self.name, len(x.shape), axes=axes)
        in_range(self.name, axes, len(x.shape))
        return (ArrayType(tuple(x.shape[a] for a in axes), x.dtype),)

    def evaluate(self, x: np.ndarray, *, axes: Sequence[int]) -> tuple[np.ndarray, ...]:
        return (np.transpose(x, axes),)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        return {"axes": (0, *shifted(params["axes"]))}

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        axes = ctx.params["axes"]
        if list(axes) == sorted(axes):
            return ctx.inputs
        return [ctx.emitter.transpose(ctx.inputs[0], ctx.in_types[0], axes)]


class _BroadcastInDim(Op):
    """`broadcast_in_dim[shape, dims](x)`: axis i of x becomes axis `dims[i]`; axes of length one are repeated."""

    __slots__ = ()
    is_view = True
    is_transparent = True
    work = Work.LITTLE

    def type(self, x: ArrayType, *, shape: Sequence[int], dims: Sequence[int]) -> tuple[ArrayType, ...]:
        one_per_axis(self.name, len(x.shape), dims=dims)
        in_range(self.name, dims, len(shape))
        expect(list(dims) == sorted(dims), self.name, "the dims do not ascend")
        fits = all(n in (1, shape[d]) for n, d in zip(x.shape, dims, strict=True))
        if not fits or any(n < 0 for n in shape):
            expect(False, self.name, f"{x} into shape {list(shape)} at dims {list(dims)}")
        return (ArrayType(tuple(shape), x.dtype),)

    def evaluate(self, x: np.ndarray, *, shape: Sequence[int], dims: Sequence[int]) -> tuple[np.ndarray, ...]:
        aligned = [1] * len(shape)
        for n, d in zip(x.shape, dims, strict=True):
            aligned[d] = n
        return (np.broadcast_to(np.reshape(x, aligned), shape),)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        return {"shape": (length, *params["shape"]), "dims": (0, *shifted(params["dims"]))}

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if ctx.in_types[0] == ctx.out_types[0]:
            return ctx.inputs
        return [ctx.emitter.broadcast(ctx.inputs[0], ctx.in_types[0], ctx.params["shape"], ctx.params["dims"])]


class _Reverse(Op):
    """`reverse[axes](x)`: `np.flip`."""

    moves_indices = True

    def type(self, x: ArrayType, *, axes: Sequence[int]) -> tuple[ArrayType, ...]:
        in_range(self.name, axes, len(x.shape))
        return (x,)

    def evaluate(self, x: np.ndarray, *, axes: Sequence[int]) -> tuple[np.ndarray, ...]:
        return (np.flip(x, tuple(axes)),)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        return {"axes": shifted(params["axes"])}

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        attributes = f"dimensions = {ints(ctx.params['axes'])}"
        return [ctx.emitter.op("reverse", ctx.inputs, ctx.in_types, ctx.out_types[0], attributes)]


class _Concatenate(Op):
    """`concatenate[axis](*xs)` of one dtype; the caller has promoted."""

    __slots__ = ()
    is_transparent = True

    def type(self, *inputs: ArrayType, axis: int) -> tuple[ArrayType, ...]:
        expect(len(inputs) > 0, self.name, "nothing to concatenate")
        first = inputs[0]
        in_range(self.name, [axis], len(first.shape))
        others = without(first.shape, [axis])
        for x in inputs:
            if x.dtype != first.dtype or len(x.shape) != len(first.shape) or without(x.shape, [axis]) != others:
                expect(False, self.name, f"{first} and {x} along axis {axis}")
        total = sum(x.shape[axis] for x in inputs)
        return (ArrayType((*first.shape[:axis], total, *first.shape[axis + 1 :]), first.dtype),)

    def evaluate(self, *arrays: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
        return (np.concatenate(arrays, axis=axis),)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        return {"axis": params["axis"] + 1}

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        if len(ctx.inputs) == 1:
            return ctx.inputs
        axis, out = ctx.params["axis"], ctx.out_types[0]
        if 0 < axis == len(out.shape) - 1 and out.size >= _LARGE and all(t.shape[axis] == 1 for t in ctx.in_types):
            return [_columns(ctx.emitter, ctx.inputs, ctx.in_types, out)]
        return [ctx.emitter.op("concatenate", ctx.inputs, ctx.in_types, out, f"dimension = {axis} : i64")]


def _columns(emitter: Emitter, columns: Sequence[str], types: Sequence[ArrayType], out: ArrayType) -> str:
    """An array of columns, by way of one of rows: XLA would ask for each element in which column it lies."""
    rows = [ArrayType((1, *type.shape[:-1]), type.dtype) for type in types]
    names = [emitter.reshape(x, t, row.shape) for x, t, row in zip(columns, types, rows, strict=True)]
    lying = ArrayType((len(rows), *out.shape[:-1]), out.dtype)
    name = emitter.op("concatenate", names, rows, lying, "dimension = 0 : i64")
    return emitter.transpose(name, lying, [*range(1, len(out.shape)), 0])


class _Pad(Op):
    """`pad[low, high, interior](x, value)`: `value` before, after and between the elements of each axis."""

    def type(
        self, x: ArrayType, value: ArrayType, *, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
    ) -> tuple[ArrayType, ...]:
        expect(value == scalar(x.dtype), self.name, lambda: f"{x} padded with {value}")
        one_per_axis(self.name, len(x.shape), low=low, high=high, interior=interior)
        expect(all(n >= 0 for n in (*low, *high, *interior)), self.name, "negative padding")
        widths = zip(x.shape, low, high, interior, strict=True)
        return (ArrayType(tuple(a + n + max(n - 1, 0) * gap + b for n, a, b, gap in widths), x.dtype),)

    def evaluate(
        self, x: np.ndarray, value: np.ndarray, *, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
    ) -> tuple[np.ndarray, ...]:
        widths = list(zip(x.shape, low, high, interior, strict=True))
        out = np.full([a + n + max(n - 1, 0) * gap + b for n, a, b, gap in widths], value, x.dtype)
        # An empty axis would make the slice reach into the padding on its far side.
        out[tuple(slice(a, a + n * (gap + 1) if n else a, gap + 1) for n, a, _, gap in widths)] = x
        return (out,)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return [pad_with(ctx.emitter, ctx.inputs[0], ctx.inputs[1], ctx.in_types[0], ctx.out_types[0], **ctx.params)]


def pad_with(
    emitter: Emitter,
    x: str,
    value: str,
    source: ArrayType,
    out: ArrayType,
    low: Sequence[int],
    high: Sequence[int],
    interior: Sequence[int],
) -> str:
    """Emit `stablehlo.pad`."""
    attributes = (
        f"edge_padding_low = {ints(low)}, edge_padding_high = {ints(high)}, interior_padding = {ints(interior)}"
    )
    return emitter.op("pad", [x, value], [source, scalar(source.dtype)], out, attributes)


class _Iota(Op):
    """`iota[shape, dtype, axis]()`: each element is its position along `axis`, cast to `dtype`."""

    __slots__ = ()
    is_transparent = True

    def type(self, *, shape: Sequence[int], dtype: np.dtype, axis: int) -> tuple[ArrayType, ...]:
        in_range(self.name, [axis], len(shape))
        expect(np.dtype(dtype).kind != "b", self.name, "of dtype bool")
        return (ArrayType(tuple(shape), np.dtype(dtype)),)

    def evaluate(self, *, shape: Sequence[int], dtype: np.dtype, axis: int) -> tuple[np.ndarray, ...]:
        aligned = [1] * len(shape)
        aligned[axis] = shape[axis]
        positions = np.arange(shape[axis]).astype(dtype)
        return (np.broadcast_to(positions.reshape(aligned), shape),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return [ctx.emitter.iota(ctx.params["axis"], ctx.out_types[0])]


class _Slice(PartOp):
    """`slice[starts, limits, strides](x)`: `x[starts:limits:strides]` on each axis, static and within the array."""

    __slots__ = ()
    is_transparent = True
    work = Work.LITTLE

    def type(
        self, x: ArrayType, *, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]
    ) -> tuple[ArrayType, ...]:
        return (ArrayType(sliced_shape(self.name, x.shape, starts, limits, strides), x.dtype),)

    def evaluate(
        self, x: np.ndarray, *, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]
    ) -> tuple[np.ndarray, ...]:
        bounds = zip(starts, limits, strides, strict=True)
        return (x[tuple(slice(*b) for b in bounds)],)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        firsts = {"starts": 0, "limits": length, "strides": 1}
        return {name: (first, *params[name]) for name, first in firsts.items()}

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return [slice_of(ctx.emitter, ctx.inputs[0], ctx.in_types[0], **ctx.params)]


def sliced_shape(
    op: str, shape: Sequence[int], starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]
) -> tuple[int, ...]:
    """The shape that a static slice of `shape` has. Raises `TypeError` where it does not lie within the array."""
    one_per_axis(op, len(shape), starts=starts, limits=limits, strides=strides)
    bounds = list(zip(shape, starts, limits, strides, strict=True))
    for axis, (n, start, limit, stride) in enumerate(bounds):
        within = 0 <= start <= limit <= n and stride > 0
        if not within:
            expect(False, op, f"[{start}:{limit}:{stride}] of axis {axis}, whose length is {n}")
    return tuple(-(-(limit - start) // stride) for _, start, limit, stride in bounds)


def slice_of(
    emitter: Emitter, x: str, source: ArrayType, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]
) -> str:
    """Emit `stablehlo.slice`."""
    out = ArrayType(sliced_shape("slice", source.shape, starts, limits, strides), source.dtype)
    if out == source:
        return x
    attributes = f"start_indices = {ints(starts)}, limit_indices = {ints(limits)}, strides = {ints(strides)}"
    return emitter.op("slice", [x], [source], out, attributes)


reshape = _Reshape("reshape")
transpose = _Transpose("transpose")
broadcast_in_dim = _BroadcastInDim("broadcast_in_dim")
reverse = _Reverse("reverse")
concatenate = _Concatenate("concatenate")
pad = _Pad("pad")
iota = _Iota("iota")
slice_ = _Slice("slice")
OPS: tuple[Op, ...] = (reshape, transpose, broadcast_in_dim, reverse, concatenate, pad, iota, slice_)
