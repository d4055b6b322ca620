"""Stacks of matrices, and the LAPACK calls that XLA's CPU client makes: the common part of the ops on LAPACK.

XLA calls SciPy's LAPACK, NumPy has one of its own, and where both use several threads, those of each wait for work by
running in circles, which slows the other. So what is large goes to NumPy's.

Matrices are float64 or complex128, as NumPy hands them to LAPACK whatever the dtype of the array is. What can fail has
as last output an int32 for each matrix, which is not 0 where it has; the other outputs are then whatever LAPACK left.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import op
from anabranch.runtime.ops.op import CallOp, expect
from anabranch.runtime.ops.stablehlo_text import in_c_order
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

INT32, FLOAT64, COMPLEX128 = (np.dtype(t) for t in (np.int32, np.float64, np.complex128))
# From so many elements on, NumPy takes less time, the call of the host included.
_LARGE = 2048
_ON_COMPLEX = {"orgqr": "ungqr", "syevd": "heevd"}


class Lapack(CallOp):
    """An op on stacks of matrices. Where there is nothing to compute with, the outputs are constants."""

    __slots__ = ()
    is_host_call = True

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        if any(t.size == 0 for t in ctx.in_types):
            values = self.evaluate(*(np.zeros(t.shape, t.dtype) for t in ctx.in_types), **ctx.params)
            return [emitter.constant(v, t) for v, t in zip(values, ctx.out_types, strict=True)]
        if op.may_call(ctx, _LARGE):
            return op.called(ctx, self)
        return self.emit(ctx)

    @abc.abstractmethod
    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        """The lowering, of inputs that have elements."""


def matrices(op: str, type: ArrayType, square: bool = False) -> tuple[tuple[int, ...], int, int]:
    """The shape of a stack of matrices, in parts: the stack, rows, columns."""
    expect(type.dtype in (FLOAT64, COMPLEX128), op, f"{type} is neither float64 nor complex128")
    expect(len(type.shape) >= 2, op, f"{type} is no matrix")
    *stack, m, n = type.shape
    expect(m == n or not square, op, f"the matrices of {type} are not square")
    return tuple(stack), m, n


def info_type(type: ArrayType) -> ArrayType:
    """The type of the last output, for a stack of matrices."""
    return ArrayType(type.shape[:-2], INT32)


def real(type: ArrayType, *shape: int) -> ArrayType:
    """One float64 array of this shape for each matrix of a stack."""
    return ArrayType((*type.shape[:-2], *shape), FLOAT64)


def like(type: ArrayType, *shape: int) -> ArrayType:
    """One array of this shape and the stack's own dtype for each matrix of a stack."""
    return ArrayType((*type.shape[:-2], *shape), type.dtype)


def attempt(
    function: Callable[..., Sequence[object]], outs: Sequence[ArrayType], *operands: np.ndarray
) -> tuple[np.ndarray, ...]:
    """NumPy's results for stacks of matrices, and 0 for each; NaN for each output and 1 where it raises."""
    try:
        found = [np.asarray(v, t.dtype) for v, t in zip(function(*operands), outs[:-1], strict=True)]
        return (*found, np.zeros(outs[-1].shape, INT32))
    except np.linalg.LinAlgError:
        if not outs[-1].shape:
            return (*(np.full(t.shape, np.nan, t.dtype) for t in outs[:-1]), np.ones((), INT32))
    rest = [ArrayType(t.shape[1:], t.dtype) for t in outs]
    parts = [attempt(function, rest, *some) for some in zip(*operands, strict=True)]
    return tuple(np.stack(part) for part in zip(*parts, strict=True))


def call(
    emitter: Emitter,
    routine: str,
    operands: Sequence[str],
    in_types: Sequence[ArrayType],
    outs: Sequence[ArrayType],
    **flags: str | bool,
) -> list[str]:
    """Emit a call of a LAPACK routine, named as for real matrices; a flag is LAPACK's letter, or a bool."""
    complex_ = in_types[0].dtype == COMPLEX128
    name = _ON_COMPLEX.get(routine, routine) if complex_ else routine
    target = f"lapack_{'z' if complex_ else 'd'}{name}_ffi"
    rank = len(in_types[0].shape)
    config = ", ".join(f"{k} = {_flag(v)}" for k, v in flags.items())
    attributes = f'call_target_name = "{target}", api_version = 4 : i32, backend_config = {{{config}}}'
    return emitter.custom_call(operands, in_types, outs, attributes, functools.partial(_order, rank))


def _flag(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{ord(value)} : ui8"


def _order(rank: int, type: ArrayType) -> Sequence[int]:
    """Columns of matrices lie together, as in Fortran; all else is in C order."""
    axes = list(in_c_order(type))
    if len(axes) == rank:
        axes[:2] = axes[1::-1]
    return axes
