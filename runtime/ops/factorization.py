"""Systems of linear equations, and the factorings that solve them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.indexing import take
from anabranch.runtime.ops.lapack import INT32, Lapack, attempt, call, each, info_type, like, matrices
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

_INT64 = np.dtype(np.int64)


class _Lu(Lapack):
    """`lu(a)`: `(lu, pivots, info)` of square matrices, as LAPACK's getrf: row i was swapped with row `pivots[i]`.

    Pivots count from 1. A positive `info` is the number of the first pivot that is zero.
    """

    __slots__ = ()
    routine = "getrf"
    is_numpys = False

    def type(self, a: ArrayType) -> tuple[ArrayType, ...]:
        stack, n, _ = matrices(self.name, a, square=True)
        return a, ArrayType((*stack, n), INT32), info_type(a)

    def evaluate(self, a: np.ndarray) -> tuple[np.ndarray, ...]:
        return each(_eliminate, self.type(ArrayType(a.shape, a.dtype)), a)


def _eliminate(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Gaussian elimination with partial pivoting."""
    lu, pivots, info = a.copy(), np.zeros(len(a), INT32), 0
    for i in range(len(a)):
        column = lu[i:, i]
        # LAPACK measures complex numbers by the sum of their parts' sizes.
        at = i + int(np.argmax(abs(column.real) + abs(column.imag)))
        pivots[i] = at + 1
        lu[[i, at]] = lu[[at, i]]
        if lu[i, i] == 0:
            info = info or i + 1
            continue
        lu[i + 1 :, i] /= lu[i, i]
        lu[i + 1 :, i + 1 :] -= np.outer(lu[i + 1 :, i], lu[i, i + 1 :])
    return lu, pivots, info


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
        return each(lambda m, v: attempt(outs, lambda: [np.linalg.solve(m, v)]), outs, a, b)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (a, _), (a_type, b_type) = ctx.inputs, ctx.in_types
        if a_type.size == 0 or b_type.size > 0:
            return super().lower(ctx)
        # No right-hand sides: all that is asked is whether a is singular.
        return emitter.constant(np.zeros(b_type.shape), b_type), _factored(emitter, a, a_type)[2]

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (a, b), (a_type, b_type) = ctx.inputs, ctx.in_types
        factors, pivots, info = _factored(emitter, a, a_type)
        x = _swapped(emitter, b, b_type, pivots)
        for triangle, diagonal in (("L", "U"), ("U", "N")):
            flags = {"side": "L", "uplo": triangle, "trans_x": "N", "diag": diagonal}
            (x,) = call(emitter, "trsm", [factors, x], [a_type, b_type], [b_type], **flags)
        return x, info


def _factored(emitter: Emitter, a: str, type: ArrayType) -> list[str]:
    """Emit `lu`; returns the names of its results."""
    return call(emitter, "getrf", [a], [type], lu.type(type))


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
        return each(lambda m: attempt(outs, lambda: [np.linalg.cholesky(m, upper=upper)]), outs, a)

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
    """`qr(a)`: `(h, tau)`, R above the diagonal of h, below it the reflections whose product Q is, with factors tau."""

    __slots__ = ()
    routine = "geqrf"

    def type(self, a: ArrayType) -> tuple[ArrayType, ...]:
        _, m, n = matrices(self.name, a)
        return a, like(a, min(m, n))

    def evaluate(self, a: np.ndarray) -> tuple[np.ndarray, ...]:
        h, tau = np.linalg.qr(a, mode="raw")
        return np.swapaxes(h, -1, -2), tau


class _Reflections(Lapack):
    """`reflections(h, tau)`: the first columns of the product of the reflections of `qr`, as many as h has."""

    __slots__ = ()
    routine = "orgqr"
    is_numpys = False

    def type(self, h: ArrayType, tau: ArrayType) -> tuple[ArrayType, ...]:
        stack, m, n = matrices(self.name, h)
        expect(tau.dtype == h.dtype and tau.shape[:-1] == stack, self.name, f"factors {tau} for {h}")
        expect(tau.shape[-1] <= n <= m, self.name, f"{tau.shape[-1]} reflections in {h}")
        return (h,)

    def evaluate(self, h: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, ...]:
        (m, n), k = h.shape[-2:], tau.shape[-1]
        q = np.broadcast_to(np.eye(m, n, dtype=h.dtype), h.shape).copy()
        for i in reversed(range(k)):
            v = np.tril(h, -1)[..., i : i + 1].copy()
            v[..., i, :] = 1
            q -= tau[..., i, None, None] * (v @ (np.conj(np.swapaxes(v, -1, -2)) @ q))
        return (q,)


lu, solve, cholesky = _Lu("lu"), _Solve("solve"), _Cholesky("cholesky")
qr, reflections = _Qr("qr"), _Reflections("reflections")
OPS: tuple[Op, ...] = (lu, solve, cholesky, qr, reflections)
