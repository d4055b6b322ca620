"""Reductions over axes, and the positions of extremes."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.blocked_reduction import reduced
from anabranch.runtime.ops.op import BOOL, INT64, expect, in_range, without
from anabranch.runtime.ops.reducers import (
    ADD,
    AND,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    OR,
    Reducer,
    has_nan,
    highest,
    lowest,
    parts,
    real_dtype,
)
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

_FLOAT32 = np.dtype(np.float32)
# From so many elements on, machine code finds extremes and truths in less time, its call included: XLA takes them one
# by one.
_MANY = 16 * 1024


class _OfMany(Op):
    """An op that looks at each element of an array."""

    __slots__ = ()
    whole_work = Work.LITTLE

    def machine_code(self, ctx: LoweringContext) -> list[str] | None:
        """The result of machine code, for many elements; None for others, and where the caller need not wait for it."""
        is_worth_it = ctx.in_types[0].size >= _MANY and not ctx.emitter.is_asynchronous
        return ctx.emitter.native(self, ctx) if is_worth_it else None


class Reduction(_OfMany):
    """`NAME[axes](x)`: a ufunc's `reduce` over a tuple of axes, which the result lacks; no axes leave x as it is."""

    __slots__ = ("reducer",)

    def __init__(self, name: str, reducer: Reducer) -> None:
        super().__init__(name)
        self.reducer = reducer

    @property
    def combine(self) -> str:
        """The name of the ufunc."""
        return self.reducer.ufunc.__name__

    def type(self, x: ArrayType, *, axes: Sequence[int]) -> tuple[ArrayType, ...]:
        in_range(self.name, axes, len(x.shape))
        return (self.reduced(x, axes),)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        return {"axes": tuple([axis + 1 for axis in params["axes"]])}

    @abc.abstractmethod
    def reduced(self, x: ArrayType, axes: Sequence[int]) -> ArrayType:
        """The type of the result; refuses what this reduction does not take."""


class _Arithmetic(Reduction):
    """`reduce_sum` and `reduce_prod`; float16 is summed in float32, as NumPy's pairwise summation does."""

    def reduced(self, x: ArrayType, axes: Sequence[int]) -> ArrayType:
        expect(x.dtype != BOOL, self.name, "of bool, which the caller converts to int64")
        return ArrayType(without(x.shape, axes), x.dtype)

    def evaluate(self, x: np.ndarray, *, axes: Sequence[int]) -> tuple[Any, ...]:
        return (self.reducer.ufunc.reduce(x, axis=tuple(axes), dtype=x.dtype),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x,), (x_type,), axes = ctx.inputs, ctx.in_types, ctx.params["axes"]
        if not axes:
            return ctx.inputs
        wide = _FLOAT32 if x_type.dtype.kind in "fV" and x_type.dtype.itemsize < 4 else x_type.dtype
        x = emitter.convert(x, x_type, wide)
        out, identity = ArrayType(ctx.out_types[0].shape, wide), self.reducer.ufunc.identity
        if all(x_type.shape[axis] == 1 for axis in axes):
            # XLA would leave the identity out, which makes 0.0 of -0.0.
            result = emitter.reshape(x, ArrayType(x_type.shape, wide), out.shape)
            if self.reducer is ADD:
                result = emitter.binary("add", result, emitter.constant(identity, out), out)
        else:
            result = reduced(emitter, x, ArrayType(x_type.shape, wide), axes, self.reducer, identity)
        return [emitter.convert(result, out, x_type.dtype)]


class Extreme(Reduction):
    """`reduce_min` and `reduce_max`: NaN propagates; complex numbers are ordered by real, then by imaginary part."""

    __slots__ = ("initial",)

    def __init__(self, name: str, reducer: Reducer, initial: Callable[[np.dtype], object]) -> None:
        super().__init__(name, reducer)
        self.initial = initial

    def reduced(self, x: ArrayType, axes: Sequence[int]) -> ArrayType:
        out = ArrayType(without(x.shape, axes), x.dtype)
        expect(all(x.shape[axis] for axis in axes), self.name, lambda: f"of no elements: axes {list(axes)} of {x}")
        return out

    def evaluate(self, x: np.ndarray, *, axes: Sequence[int]) -> tuple[Any, ...]:
        return (self.reducer.ufunc.reduce(x, axis=tuple(axes)),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        (x,), (x_type,), axes = ctx.inputs, ctx.in_types, ctx.params["axes"]
        is_in_memory = not ctx.emitter.is_outlined and not ctx.emitter.is_fused(ctx.atoms[0])
        if axes and is_in_memory and (made := self.machine_code(ctx)):
            return made
        return [reduced(ctx.emitter, x, x_type, axes, self.reducer, self.initial(x_type.dtype)) if axes else x]


class Truth(Reduction):
    """`reduce_any` and `reduce_all`: of whether elements are non-zero (a NaN is)."""

    def reduced(self, x: ArrayType, axes: Sequence[int]) -> ArrayType:
        return ArrayType(without(x.shape, axes), BOOL)

    def evaluate(self, x: np.ndarray, *, axes: Sequence[int]) -> tuple[Any, ...]:
        return (self.reducer.ufunc.reduce(x.astype(bool, copy=False), axis=tuple(axes)),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x,), (x_type,), axes = ctx.inputs, ctx.in_types, ctx.params["axes"]
        if axes and (made := self.machine_code(ctx)):
            return made
        if x_type.dtype != BOOL:
            x = emitter.compare(x, emitter.constant(0, x_type), "NE", x_type)
        if not axes:
            return [x]
        return [reduced(emitter, x, ArrayType(x_type.shape, BOOL), axes, self.reducer, self.reducer is AND)]


class ArgExtreme(_OfMany):
    """`argmin[axis](x)` and `argmax[axis](x)`: where the extreme first occurs, int64; the first NaN is the extreme.

    Lowered as reductions that vectorise: the extreme, then the least position that holds it.
    """

    __slots__ = ("initial", "reducer", "ufunc")

    def __init__(
        self,
        name: str,
        ufunc: Callable[..., object],
        reducer: Reducer,
        initial: Callable[[np.dtype], object],
    ) -> None:
        super().__init__(name)
        self.ufunc = ufunc
        self.reducer = reducer
        self.initial = initial

    def type(self, x: ArrayType, *, axis: int) -> tuple[ArrayType, ...]:
        in_range(self.name, [axis], len(x.shape))
        expect(x.shape[axis] > 0, self.name, lambda: f"of no elements: axis {axis} of {x}")
        return (ArrayType(without(x.shape, [axis]), INT64),)

    def evaluate(self, x: np.ndarray, *, axis: int) -> tuple[Any, ...]:
        return (self.ufunc(x, axis=axis),)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (x,), (type,), axis = ctx.inputs, ctx.in_types, ctx.params["axis"]
        if made := self.machine_code(ctx):
            return made
        at = self._at_complex if type.dtype.kind == "c" else self._at_real
        mask = at(emitter, x, type, axis)
        n = type.shape[axis]
        # A narrow position doubles the elements in a vector register.
        position = ArrayType(type.shape, np.dtype(np.int32) if n < 2**31 else INT64)
        where = emitter.select(mask, emitter.iota(axis, position), emitter.constant(n, position), position)
        first = reduced(emitter, where, position, [axis], MINIMUM, n)
        return [emitter.convert(first, ArrayType(ctx.out_types[0].shape, position.dtype), INT64)]

    def _is_extreme(self, emitter: Emitter, x: str, type: ArrayType, axis: int) -> str:
        """Where x equals its extreme along the axis; nowhere if that is NaN."""
        extreme = reduced(emitter, x, type, [axis], self.reducer, self.initial(type.dtype))
        return emitter.compare(x, _along(emitter, extreme, type, axis), "EQ", type)

    def _at_real(self, emitter: Emitter, x: str, type: ArrayType, axis: int) -> str:
        mask = self._is_extreme(emitter, x, type, axis)
        if type.dtype.kind in "biu":
            return mask
        return emitter.binary("or", mask, has_nan(emitter, x, type), ArrayType(type.shape, BOOL))

    def _at_complex(self, emitter: Emitter, x: str, type: ArrayType, axis: int) -> str:
        part, mask = ArrayType(type.shape, real_dtype(type.dtype)), ArrayType(type.shape, BOOL)
        real, imag = parts(emitter, x, type)
        nan = has_nan(emitter, x, type)
        any_nan = _along(emitter, reduced(emitter, nan, mask, [axis], OR, False), mask, axis)
        real_hits = self._is_extreme(emitter, real, part, axis)
        contenders = emitter.select(real_hits, imag, emitter.constant(self.initial(part.dtype), part), part)
        hits = emitter.binary("and", real_hits, self._is_extreme(emitter, contenders, part, axis), mask)
        return emitter.select(any_nan, nan, hits, mask)


def _along(emitter: Emitter, reduced: str, type: ArrayType, axis: int) -> str:
    """A value reduced over `axis`, repeated along it."""
    source = ArrayType(without(type.shape, [axis]), type.dtype)
    kept = [i for i in range(len(type.shape)) if i != axis]
    return emitter.broadcast(reduced, source, type.shape, kept)


reduce_sum = _Arithmetic("reduce_sum", ADD)
reduce_prod = _Arithmetic("reduce_prod", MULTIPLY)
reduce_min = Extreme("reduce_min", MINIMUM, highest)
reduce_max = Extreme("reduce_max", MAXIMUM, lowest)
reduce_any = Truth("reduce_any", OR)
reduce_all = Truth("reduce_all", AND)
argmin = ArgExtreme("argmin", np.argmin, MINIMUM, highest)
argmax = ArgExtreme("argmax", np.argmax, MAXIMUM, lowest)
OPS: tuple[Op, ...] = (reduce_sum, reduce_prod, reduce_min, reduce_max, reduce_any, reduce_all, argmin, argmax)
