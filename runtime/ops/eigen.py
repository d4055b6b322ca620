"""Eigenvalues and singular values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.lapack import (
    COMPLEX128,
    FLOAT64,
    Lapack,
    attempt,
    call,
    info_type,
    like,
    matrices,
    real,
)
from anabranch.runtime.ops.op import expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


class _Spectral(Lapack):
    """An op that returns vectors, too, where the param `vectors` says so."""

    __slots__ = ()

    def found(self, a: np.ndarray, **params: object) -> Sequence[Any]:
        """NumPy's answer for a stack of matrices."""
        raise NotImplementedError

    def evaluate(self, a: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        outs = self.type(ArrayType(a.shape, a.dtype), **params)
        return attempt(lambda m: self.found(m, **params), outs, a)


class _Svd(_Spectral):
    """`svd[full, vectors](a)`: `(u, s, vh, info)`, or `(s, info)`; `full` matrices u and vh are square."""

    __slots__ = ()

    def type(self, a: ArrayType, *, full: bool, vectors: bool) -> tuple[ArrayType, ...]:
        _, m, n = matrices(self.name, a)
        k = min(m, n)
        s = real(a, k)
        if not vectors:
            return s, info_type(a)
        return like(a, m, m if full else k), s, like(a, n if full else k, n), info_type(a)

    def found(self, a: np.ndarray, **params: Any) -> Sequence[Any]:
        if not params["vectors"]:
            return [np.linalg.svd(a, compute_uv=False)]
        return np.linalg.svd(a, full_matrices=params["full"])

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        (a,), vectors = ctx.in_types, ctx.params["vectors"]
        # LAPACK's routine has all outputs, also those that it leaves alone; the first is a work buffer.
        outs = self.type(a, full=ctx.params["full"], vectors=True)
        mode = "N" if not vectors else "A" if ctx.params["full"] else "S"
        u, s, vh = outs[:3]
        _, *results = call(ctx.emitter, "gesdd", ctx.inputs, ctx.in_types, [a, s, u, vh, outs[3]], mode=mode)
        return [results[1], results[0], results[2], results[3]] if vectors else [results[0], results[3]]


class _Eigh(_Spectral):
    """`eigh[lower, vectors](a)`: `(w, v, info)`, or `(w, info)`, of the Hermitian matrices whose one triangle a has."""

    __slots__ = ()

    def type(self, a: ArrayType, *, lower: bool, vectors: bool) -> tuple[ArrayType, ...]:
        expect(isinstance(lower, bool), self.name, f"lower={lower!r} is no bool")
        _, n, _ = matrices(self.name, a, square=True)
        return (real(a, n), *([a] if vectors else []), info_type(a))

    def found(self, a: np.ndarray, **params: object) -> Sequence[Any]:
        triangle: Any = "L" if params["lower"] else "U"
        return np.linalg.eigh(a, triangle) if params["vectors"] else [np.linalg.eigvalsh(a, triangle)]

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        (a,), vectors = ctx.in_types, ctx.params["vectors"]
        mode, triangle = "V" if vectors else "N", "L" if ctx.params["lower"] else "U"
        outs = [a, ctx.out_types[0], ctx.out_types[-1]]
        v, w, info = call(ctx.emitter, "syevd", ctx.inputs, ctx.in_types, outs, mode=mode, uplo=triangle)
        return [w, v, info] if vectors else [w, info]


class _Eig(_Spectral):
    """`eig[vectors](a)`: `(w, v, info)`, or `(w, info)`, of square matrices; w and v are complex."""

    __slots__ = ()

    def type(self, a: ArrayType, *, vectors: bool) -> tuple[ArrayType, ...]:
        _, n, _ = matrices(self.name, a, square=True)
        w, v = (ArrayType((*a.shape[:-2], *shape), COMPLEX128) for shape in ((n,), (n, n)))
        return (w, *([v] if vectors else []), info_type(a))

    def found(self, a: np.ndarray, **params: object) -> Sequence[Any]:
        return np.linalg.eig(a) if params["vectors"] else [np.linalg.eigvals(a)]

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (a,), vectors = ctx.in_types, ctx.params["vectors"]
        w_type, v_type = ctx.out_types[0], ArrayType(a.shape, COMPLEX128)
        part = ArrayType(w_type.shape, FLOAT64)
        parts = [part, part] if a.dtype == FLOAT64 else [w_type]
        outs = [*parts, v_type, v_type, ctx.out_types[-1]]
        flags = {"compute_left": "N", "compute_right": "V" if vectors else "N"}
        *w, _, v, info = call(emitter, "geev", ctx.inputs, ctx.in_types, outs, **flags)
        values = emitter.op("complex", w, parts, w_type) if len(w) == 2 else w[0]
        return [values, v, info] if vectors else [values, info]


svd, eigh, eig = _Svd("svd"), _Eigh("eigh"), _Eig("eig")
OPS: tuple[Op, ...] = (svd, eigh, eig)
