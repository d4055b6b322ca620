"""Discrete Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.op import CallOp, expect
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

_KINDS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)}
_COMPLEX: dict[str, np.dtype] = {"f": np.dtype(np.complex64), "d": np.dtype(np.complex128)}
_REAL: dict[str, np.dtype] = {"F": np.dtype(np.float32), "D": np.dtype(np.float64)}


class _Fft(CallOp):
    """`fft[kind, n](x)`: NumPy's function of that name along the last axis, n points; inverses divide by n.

    The axis has what the kind takes: n elements, or `n // 2 + 1` for `irfft`, which takes those it leaves out to be
    the conjugates of these.
    """

    __slots__ = ()

    def type(self, x: ArrayType, *, kind: str, n: int) -> tuple[ArrayType, ...]:
        expect(kind in _KINDS, self.name, f"kind={kind!r} is none of {', '.join(_KINDS)}")
        dtypes = _COMPLEX if kind == "rfft" else _REAL
        expect(x.dtype.char in dtypes, self.name, f"{kind} of {x.dtype}")
        expect(n > 0 and len(x.shape) > 0, self.name, f"{n} points of {x}")
        half = n // 2 + 1
        taken, given = {"rfft": (n, half), "irfft": (half, n)}.get(kind, (n, n))
        expect(x.shape[-1] == taken, self.name, f"{n} points of {x}")
        return (ArrayType((*x.shape[:-1], given), dtypes[x.dtype.char] if kind[:-3] in ("r", "ir") else x.dtype),)

    def evaluate(self, x: np.ndarray, *, kind: str, n: int) -> tuple[np.ndarray, ...]:
        return (_KINDS[kind](x, n),)

    def with_first_axis(self, params: Mapping[str, Any], length: int) -> Mapping[str, Any]:
        return params

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        (out,), kind = ctx.out_types, ctx.params["kind"].upper()
        if out.size == 0:
            return [emitter.constant(np.zeros(out.shape), out)]
        attributes = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = array<i64: {ctx.params['n']}>"
        return [emitter.op("fft", ctx.inputs, ctx.in_types, out, attributes)]


fft = _Fft("fft")
OPS: tuple[Op, ...] = (fft,)
