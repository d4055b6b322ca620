"""Systems of linear equations, and the factorings that solve them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.indexing import take
from anabranch.runtime.ops.lapack import INT32, Lapack, attempt, call, info_type, like, matrices, real
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.shape import pad_with, slice_of
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

_INT64 = np.dtype(np.int64)


class _SlogDet(Lapack):
    """`slogdet(a)`: signs, of size 1 or 0, and logarithms of the sizes of the determinants of square matrices a."""

    __slots__ = ()

    def type(self, a: ArrayType) -> tuple[ArrayType, ...]:
        matrices(self.name, a, square=True)
        return like(a), real(a)

    def evaluate(self, a: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(map(np.asarray, np.linalg.slogdet(a)))

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        emitter, (a,), (sign_type, log_type) = ctx.emitter, ctx.in_types, ctx.out_types
        factors, pivots, info = _factored(emitter, ctx.inputs[0], a)
        stack, n = a.shape[:-2], a.shape[-1]
        last = len(stack)
        square = ArrayType(a.shape, _INT64)
        diagonal = ArrayType((*stack, n), a.dtype)
        here = emitter.compare(emitter.iota(last, square), emitter.iota(last + 1, square), "EQ", square)
        alone = emitter.select(here, factors, emitter.constant(0, a), a)
        values = _combined(emitter, alone, a, last + 1, "add", 0)
        size_type = ArrayType(diagonal.shape, log_type.dtype)
        size = emitter.op("abs", [values], [diagonal], size_type)
        if a.dtype.kind == "c":
            zero = emitter.constant(0, size_type)
            size_as_a = emitter.op("complex", [size, zero], [size_type, size_type], diagonal)
            signs = emitter.binary("divide", values, size_as_a, diagonal)
        else:
            signs = emitter.op("sign", [values], [diagonal], diagonal)
        # Pivots count from 1; each row that was swapped with another one turns the sign.
        place = ArrayType((*stack, n), INT32)
        own = emitter.binary("add", emitter.iota(last, place), emitter.constant(1, place), place)
        turned = emitter.compare(pivots, own, "NE", place)
        signs = emitter.select(turned, emitter.op("negate", [signs], [diagonal], diagonal), signs, diagonal)
        sign = _combined(emitter, signs, diagonal, last, "multiply", 1)
        log = _combined(emitter, emitter.op("log", [size], [size_type], size_type), size_type, last, "add", 0)
        singular = emitter.compare(info, emitter.constant(0, info_type(a)), "NE", info_type(a))
        return (
            emitter.select(singular, emitter.constant(0, sign_type), sign, sign_type),
            emitter.select(singular, emitter.constant(-np.inf, log_type), log, log_type),
        )


def _combined(emitter: Emitter, x: str, type: ArrayType, axis: int, by: str, initial: int) -> str:
    """The sums or the products along an axis."""
    element = ArrayType((), type.dtype)
    start = emitter.constant(initial, element)
    return emitter.reduce([x], [type], [start], [axis], lambda p: [emitter.binary(by, p[0], p[1], element)])[0]


class _Solve(Lapack):
    """`solve(a, b)`: `(x, info)` with `a @ x = b` for square matrices a; `info` is positive where one is singular."""

    __slots__ = ()

    def type(self, a: ArrayType, b: ArrayType) -> tuple[ArrayType, ...]:
        stack, n, _ = matrices(self.name, a, square=True)
        expect(matrices(self.name, b)[:2] == (stack, n), self.name, f"right-hand sides {b} for {a}")
        expect(a.dtype == b.dtype, self.name, f"dtypes {a.dtype} and {b.dtype}")
        return b, info_type(a)

    def evaluate(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
        outs = self.type(*(ArrayType(x.shape, x.dtype) for x in (a, b)))
        return attempt(lambda m, v: [np.linalg.solve(m, v)], outs, a, b)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (a, _), (a_type, b_type) = ctx.inputs, ctx.in_types
        if a_type.size == 0 or b_type.size > 0:
            return super().lower(ctx)
        # No right-hand sides: all that is asked is whether a is singular.
        return emitter.constant(np.zeros(b_type.shape), b_type), _factored(emitter, a, a_type)[2]

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        (a, b), (a_type, b_type) = ctx.inputs, ctx.in_types
        return _solved(ctx.emitter, a, b, a_type, b_type)


class _Inverse(Lapack):
    """`inverse(a)`: `(x, info)` with `a @ x = 1` for square matrices a; `info` is positive where one is singular."""

    __slots__ = ()

    def type(self, a: ArrayType) -> tuple[ArrayType, ...]:
        matrices(self.name, a, square=True)
        return a, info_type(a)

    def evaluate(self, a: np.ndarray) -> tuple[np.ndarray, ...]:
        return attempt(lambda m: [np.linalg.inv(m)], self.type(ArrayType(a.shape, a.dtype)), a)

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        emitter, (a,), (type,) = ctx.emitter, ctx.inputs, ctx.in_types
        places, rank = ArrayType(type.shape, _INT64), len(type.shape)
        is_diagonal = emitter.compare(emitter.iota(rank - 2, places), emitter.iota(rank - 1, places), "EQ", places)
        one, zero = (emitter.constant(value, type) for value in (1, 0))
        return _solved(emitter, a, emitter.select(is_diagonal, one, zero, type), type, type)


def _solved(emitter: Emitter, a: str, b: str, a_type: ArrayType, b_type: ArrayType) -> Sequence[str]:
    """Emit the solution of `a @ x = b`; returns the names of x and of what tells the singular."""
    factors, pivots, info = _factored(emitter, a, a_type)
    x = _swapped(emitter, b, b_type, pivots)
    for triangle, diagonal in (("L", "U"), ("U", "N")):
        flags = {"side": "L", "uplo": triangle, "trans_x": "N", "diag": diagonal}
        (x,) = call(emitter, "trsm", [factors, x], [a_type, b_type], [b_type], **flags)
    return x, info


def _factored(emitter: Emitter, a: str, type: ArrayType) -> list[str]:
    """Emit the factoring by rows; returns the names of the factors, of the pivots, and of what tells the singular."""
    pivots = ArrayType(type.shape[:-1], INT32)
    return call(emitter, "getrf", [a], [type], [type, pivots, info_type(type)])


def _swapped(emitter: Emitter, b: str, type: ArrayType, pivots: str) -> str:
    """The matrices b with the rows swapped that the pivots say."""
    n, columns = type.shape[-2:]
    count = type.size // (n * columns)
    index = ArrayType((count, n), _INT64)
    pivots = emitter.convert(
        emitter.reshape(pivots, ArrayType(type.shape[:-1], INT32), index.shape), ArrayType(index.shape, INT32), _INT64
    )
    rows = _row_order(emitter, pivots, index)
    firsts = emitter.binary("multiply", emitter.iota(0, index), emitter.constant(n, index), index)
    rows = emitter.reshape(emitter.binary("add", rows, firsts, index), index, (count * n, 1))
    flat = ArrayType((count * n, columns), type.dtype)
    taken = take(emitter, emitter.reshape(b, type, flat.shape), rows, flat, ArrayType((count * n, 1), _INT64))
    return emitter.reshape(taken, flat, type.shape)


def _row_order(emitter: Emitter, pivots: str, type: ArrayType) -> str:
    """Which row comes to each place, by swaps one after the other, for all matrices of the stack at once."""
    count, n = type.shape
    step, column = ArrayType((), _INT64), ArrayType((count, 1), _INT64)
    state = [step, type, type]

    def going(names: list[str]) -> str:
        return emitter.compare(names[0], emitter.constant(n, step), "LT", step)

    def swap(names: list[str]) -> Sequence[str]:
        i, order, targets = names

        def wide(x: str) -> str:
            return emitter.broadcast(emitter.reshape(x, column, (count,)), ArrayType((count,), _INT64), type.shape, [0])

        def at(x: str) -> str:
            return emitter.block(x, type, [emitter.constant(0, step), i], step, column)

        places = emitter.iota(1, type)
        target = emitter.binary("subtract", wide(at(targets)), emitter.constant(1, type), type)
        here = emitter.compare(places, emitter.broadcast(i, step, type.shape, []), "EQ", type)
        there = emitter.compare(places, target, "EQ", type)
        kept = emitter.select(there, order, emitter.constant(0, type), type)
        zero = emitter.constant(0, step)
        (moved,) = emitter.reduce([kept], [type], [zero], [1], lambda p: [emitter.binary("add", p[0], p[1], step)])
        moved = emitter.broadcast(moved, ArrayType((count,), _INT64), type.shape, [0])
        swapped = emitter.select(here, moved, emitter.select(there, wide(at(order)), order, type), type)
        following = emitter.binary("add", i, emitter.constant(1, step), step)
        return [following, swapped, targets]

    start = [emitter.constant(0, step), emitter.iota(1, type), pivots]
    return emitter.outlined(start, state, state, lambda names: emitter.loop(names, state, going, swap))[1]


class _Cholesky(Lapack):
    """`cholesky[upper](a)`: `(factor, info)`; of a only one triangle is read, the other of the factor is zero."""

    __slots__ = ()

    def type(self, a: ArrayType, *, upper: bool) -> tuple[ArrayType, ...]:
        expect(isinstance(upper, bool), self.name, f"upper={upper!r} is no bool")
        matrices(self.name, a, square=True)
        return a, info_type(a)

    def evaluate(self, a: np.ndarray, *, upper: bool) -> tuple[np.ndarray, ...]:
        outs = self.type(ArrayType(a.shape, a.dtype), upper=upper)
        return attempt(lambda m: [np.linalg.cholesky(m, upper=upper)], outs, a)

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (type,), upper = ctx.in_types, ctx.params["upper"]
        factor, info = call(emitter, "potrf", ctx.inputs, ctx.in_types, ctx.out_types, uplo="U" if upper else "L")
        index, rank = ArrayType(type.shape, _INT64), len(type.shape)
        kept = emitter.compare(
            emitter.iota(rank - 2, index), emitter.iota(rank - 1, index), "LE" if upper else "GE", index
        )
        return emitter.select(kept, factor, emitter.constant(0, type), type), info


class _Qr(Lapack):
    """`qr[mode](a)`: `(q, r)`, where q has as many columns as rows (`complete`) or no more than a has (`reduced`).

    With `raw` it is `(h, tau)`: R above the diagonal of h, below it the reflections whose product Q is, with factors
    tau.
    """

    __slots__ = ()

    def type(self, a: ArrayType, *, mode: str) -> tuple[ArrayType, ...]:
        _, m, n = matrices(self.name, a)
        expect(mode in ("raw", "reduced", "complete"), self.name, f"mode={mode!r}")
        if mode == "raw":
            return a, like(a, min(m, n))
        columns = m if mode == "complete" else min(m, n)
        return like(a, m, columns), like(a, columns, n)

    def evaluate(self, a: np.ndarray, *, mode: Any) -> tuple[np.ndarray, ...]:
        first, second = np.linalg.qr(a, mode=mode)
        return (np.swapaxes(first, -1, -2) if mode == "raw" else first), second

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        emitter, (a,) = ctx.emitter, ctx.in_types
        raw = self.type(a, mode="raw")
        h, tau = call(emitter, "geqrf", ctx.inputs, ctx.in_types, raw)
        if ctx.params["mode"] == "raw":
            return h, tau
        q_type, r_type = ctx.out_types
        zeros, zero = [0] * len(a.shape), emitter.constant(0, ArrayType((), a.dtype))
        missing = [p - n for p, n in zip(q_type.shape, a.shape, strict=True)]  # a negative one cuts off
        start = pad_with(emitter, h, zero, a, q_type, zeros, missing, zeros)
        (q,) = call(emitter, "orgqr", [start, tau], [q_type, raw[1]], [q_type])
        return q, upper_rows(emitter, h, a, r_type)


def upper_rows(emitter: Emitter, x: str, type: ArrayType, out: ArrayType) -> str:
    """The first rows of matrices, with zeros below the diagonal."""
    rank = len(type.shape)
    rows = slice_of(emitter, x, type, [0] * rank, out.shape, [1] * rank)
    place = ArrayType(out.shape, _INT64)
    above = emitter.compare(emitter.iota(rank - 2, place), emitter.iota(rank - 1, place), "LE", place)
    return emitter.select(above, rows, emitter.constant(0, out), out)


slogdet, solve, inverse = _SlogDet("slogdet"), _Solve("solve"), _Inverse("inverse")
cholesky, qr = _Cholesky("cholesky"), _Qr("qr")
OPS: tuple[Op, ...] = (slogdet, solve, inverse, cholesky, qr)
