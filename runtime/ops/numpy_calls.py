"""Ops that NumPy computes on the host, where its code is faster than what XLA's CPU compiler makes."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.runtime.host.callbacks import HostFunction
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.stablehlo_writer import LoweringContext


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
