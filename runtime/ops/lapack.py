"""Stacks of matrices, and the LAPACK calls that XLA's CPU client makes: the common part of the ops on LAPACK.

XLA calls SciPy's LAPACK, NumPy has one of its own, and where both use several threads, those of each wait for work by
running in circles, which slows the other. So what is large enough for several threads goes to NumPy's.

Matrices are float64 or complex128, as NumPy hands them to LAPACK whatever the dtype of the array is. What can fail has
as last output an int32 for each matrix, which is not 0 where it has; the other outputs are then whatever LAPACK left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import numpy_calls
from anabranch.runtime.ops.op import CallOp, expect
from anabranch.runtime.ops.stablehlo_writer import Emitter, LoweringContext

INT32, FLOAT64, COMPLEX128 = (np.dtype(t) for t in (np.int32, np.float64, np.complex128))
# The elements of a matrix from which on several threads may work on it.
_LARGE = 64 * 64
_ON_COMPLEX = {"orgqr": "ungqr", "syevd": "heevd"}


class Lapack(CallOp):
    """An op on stacks of matrices. Where there is nothing to compute with, the outputs are constants.

    Attributes
    ----------
    routine : str
        LAPACK's, of an op that is nothing but a call of it.
    is_numpys : bool
        NumPy has a function for it.
    """

    __slots__ = ()
    routine: ClassVar[str]
    is_numpys: ClassVar[bool] = True

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter = ctx.emitter
        if any(t.size == 0 for t in ctx.in_types):
            values = self.evaluate(*(np.zeros(t.shape, t.dtype) for t in ctx.in_types), **ctx.params)
            return [emitter.constant(v, t) for v, t in zip(values, ctx.out_types, strict=True)]
        if self.is_numpys and numpy_calls.may_call(ctx, _LARGE):
            return numpy_calls.called(ctx, self)
        return self.emit(ctx)

    def emit(self, ctx: LoweringContext) -> Sequence[str]:
        """The lowering, of inputs that have elements."""
        return call(ctx.emitter, self.routine, ctx.inputs, ctx.in_types, ctx.out_types)


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


def each(
    function: Callable[..., Sequence[object]], outs: Sequence[ArrayType], x: np.ndarray, *rest: np.ndarray
) -> tuple[np.ndarray, ...]:
    """`function` of each matrix of the stack x, with its counterparts in `rest`, as arrays of the types `outs`."""
    if x.ndim == 2:
        values = zip(outs, function(x, *rest), strict=True)
        return tuple(np.asarray(v, t.dtype) if np.shape(v) == t.shape else np.full(t.shape, v, t.dtype) for t, v in values)
    results = tuple(np.empty(t.shape, t.dtype) for t in outs)
    for index in np.ndindex(x.shape[:-2]):
        for result, value in zip(results, function(x[index], *(r[index] for r in rest)), strict=True):
            result[index] = value
    return results


def attempt(outs: Sequence[ArrayType], function: Callable[[], Sequence[object]]) -> Sequence[Any]:
    """Return NumPy's results and 0, or NaN for each output and 1 where NumPy raises."""
    try:
        return (*function(), 0)
    except np.linalg.LinAlgError:
        return (*(np.nan for _ in outs[:-1]), 1)


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
    attributes = (
        f'call_target_name = "{target}", api_version = 4 : i32, backend_config = {{{config}}}, '
        f"operand_layouts = {_layouts(in_types, rank)}, result_layouts = {_layouts(outs, rank)}"
    )
    return emitter.multi("custom_call", operands, in_types, outs, attributes=attributes)


def _flag(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{ord(value)} : ui8"


def _layouts(types: Sequence[ArrayType], rank: int) -> str:
    """Columns of matrices lie together, as in Fortran; all else is in C order. Axes are listed the fastest first."""
    layouts = []
    for type in types:
        axes = list(reversed(range(len(type.shape))))
        if len(axes) == rank:
            axes[:2] = axes[1::-1]
        layouts.append(f"dense<{axes if axes else ''}> : tensor<{len(axes)}xindex>")
    return f"[{', '.join(layouts)}]"
