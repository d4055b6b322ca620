"""Kinds of ops by what they read, and checks of inputs and params that the type rules of several families share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# The memory traffic of what must not become part of an outlined function.
UNBOUNDED = 2**62


class UpdateOp(Op):
    """An op that replaces a part of its first input, in place where nothing else reads that one."""

    __slots__ = ()

    def bytes_touched(self, equation: Equation) -> int:
        """Those of the part."""
        return 2 * sum(a.type.nbytes for a in equation.inputs[1:])


class PartOp(Op):
    """An op that reads only as many elements of its first input as its result has."""

    __slots__ = ()

    def bytes_touched(self, equation: Equation) -> int:
        """Those of the result, read and written."""
        return 2 * sum(a.type.nbytes for a in equation.outputs)


class CallOp(Op):
    """An op that is a call of a function of this process or a library, which no outlined function can make."""

    __slots__ = ()
    whole_work = Work.MUCH

    def bytes_touched(self, equation: Equation) -> int:
        """More than an outlined function may touch."""
        return UNBOUNDED

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit a call of the evaluation, by NumPy or a library."""
        return called(ctx, self)


class IllTypedError(TypeError):
    """An equation was made of inputs of other types than its op takes: a fault of the project's own."""


class NoElementsError(IllTypedError):
    """A block was taken of an axis without elements, which only code does that never runs."""


def expect(condition: bool, op: str, message: str | Callable[[], str]) -> None:
    """Type rules' one way to refuse; rules of many equations give a function that writes the message."""
    if not condition:
        raise IllTypedError(f"{op}: {message if isinstance(message, str) else message()}")


BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)


def scalar(dtype: np.dtype) -> ArrayType:
    """The type of a 0-d value."""
    return ArrayType((), dtype)


def without(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the axes that are left."""
    return tuple(n for axis, n in enumerate(shape) if axis not in axes)


def in_range(op: str, axes: Sequence[int], ndim: int) -> None:
    """Axes are distinct, not negative, and the array has them."""
    if any(not 0 <= a < ndim for a in axes):
        expect(False, op, f"axes {list(axes)} of an array of {ndim} dimensions")
    if len(set(axes)) != len(axes):
        expect(False, op, f"axes {list(axes)} repeat")


def one_per_axis(op: str, ndim: int, **lists: Sequence[int]) -> None:
    """Each of the lists has a number for each axis."""
    for name, values in lists.items():
        if len(values) != ndim:
            expect(False, op, f"{len(values)} {name} for {ndim} dimensions")


def index_scalars(op: str, starts: Sequence[ArrayType], ndim: int) -> None:
    """One int64 scalar for each axis."""
    expect(len(starts) == ndim, op, f"{len(starts)} starts for {ndim} dimensions")
    expect(all(s == scalar(INT64) for s in starts), op, "starts are int64 scalars")


def may_call(ctx: LoweringContext, least: float) -> bool:
    """Return whether NumPy may compute an equation: on the host, of NumPy's own dtypes and so many elements."""
    types = ctx.in_types
    return ctx.emitter.can_call_host and types[0].size >= least and all(t.dtype.kind != "V" for t in types)


def may_call_at_once(ctx: LoweringContext, least: float) -> bool:
    """The same for what is not worth that a caller who need not wait for the program's end does."""
    return not ctx.emitter.is_asynchronous and may_call(ctx, least)


def called(ctx: LoweringContext, op: Op) -> Sequence[str]:
    """Emit a call of the op's evaluation by NumPy."""
    return called_by_name(ctx, type(op).__module__, op.name)


def called_by_name(ctx: LoweringContext, module: str, name: str) -> Sequence[str]:
    """Emit a call of the method `write` of an object of a module."""
    function = HostFunction(module, name, tuple(ctx.params.items()), len(ctx.inputs))
    return ctx.emitter.callback(function, ctx.inputs, ctx.in_types, ctx.out_types)
