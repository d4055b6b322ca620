"""Host callbacks of a computation while it runs: printing, logging, warning, counts of progress bars."""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from anabranch.base.context_values import having
from anabranch.runtime.host.progress_bars import check_stop, write_count
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Equation, Program, all_equations
from anabranch.runtime.ops.op import UNBOUNDED, CallOp, expect, scalar
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


# How many effects of the computation that runs now were done before, by a run that did not come to its end.
_done: contextvars.ContextVar[int] = contextvars.ContextVar("done", default=0)


def done_before(count: int) -> AbstractContextManager[int]:
    """Run a computation again without the effects that the first run has done."""
    return having(_done, count)


def is_first_run() -> bool:
    """Return whether no effects of the computation that runs now were done before."""
    return not _done.get()


def called_back(ctx: LoweringContext, op: Op) -> Sequence[str]:
    """Emit a callback of the op's evaluation by this process."""
    run = functools.partial(op.evaluate, **ctx.params)
    return ctx.emitter.callback(run, ctx.inputs, ctx.in_types, ctx.out_types)


class _HostCallback(CallOp):
    """`host_callback[action] sequence, code, *values`: calls `action(*values)` unless `code` is a failure's.

    The int32 that it takes and returns, the number of effects so far, fixes their order: each takes the one that the
    effect before it returned.
    """

    __slots__ = ()
    pure = False
    is_host_call = True

    def type(self, *inputs: ArrayType, action: object) -> tuple[ArrayType, ...]:
        expect(inputs[:2] == (scalar(_INT32), scalar(_INT32)), self.name, "takes a sequence number and an error code")
        return (scalar(_INT32),)

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        sequence, code, *values = arrays
        if not code:
            # XLA's arrays are its own memory, which is gone after the call.
            self._act(int(sequence), params["action"], [np.array(v) for v in values])
            sequence = sequence + 1
        return (np.asarray(sequence, np.int32),)

    @staticmethod
    def _act(number: int, action: Callable[..., None], values: Sequence[np.ndarray]) -> None:
        done = _done.get()
        if number >= done or getattr(action, "is_repeated", False):
            with done_before(0) if done else contextlib.nullcontext():
                action(*values)

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        return called_back(ctx, self)


host_callback = _HostCallback("host_callback")


def is_effect(equation: Equation) -> bool:
    """Return whether an equation itself has an effect, which takes place in the order of all."""
    return equation.op is host_callback or bool(getattr(equation.params.get("call"), "is_ordered", False))


def effects(equations: Sequence[Equation]) -> Iterator[tuple[Equation, bool]]:
    """The effects in order of the text, and whether each stands at this level itself."""
    for equation in equations:
        if is_effect(equation):
            yield equation, True
        for program in equation.programs():
            yield from ((inner, False) for inner, _ in effects(program.equations))


class _ProgressTick(Op):
    """`progress_tick number, code, count, address`: `number, count`, which goes there unless `code` is a failure's.

    The number is that of the effects so far, which orders it among them. The address is data, so that nothing that is
    compiled belongs to a process. Where the word after the count says so, the run stops.
    """

    __slots__ = ()
    pure = False
    work = Work.LITTLE

    def type(self, *inputs: ArrayType) -> tuple[ArrayType, ...]:
        """The types of the number and the count."""
        number, code, count, address = inputs
        expect(number == code == scalar(_INT32), self.name, "takes a number and a code of 32 bits")
        expect(count == address == scalar(_INT64), self.name, "takes a count and an address of 64 bits")
        return (number, count)

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        """Write the count, or stop."""
        number, code, count, address = arrays
        if not code:
            write_count(int(address), int(count))
        check_stop(int(address))
        return (np.asarray(number, np.int32), np.asarray(count, np.int64))

    def bytes_touched(self, equation: Equation) -> int:
        """More than an outlined function may touch, which can write to no address."""
        return UNBOUNDED

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        """Emit a call of machine code, or of this process where there is none."""
        return ctx.emitter.native(self, ctx) or called_back(ctx, self)


progress_tick = _ProgressTick("progress_tick")


def moves_bars(program: Program) -> bool:
    """Return whether a Program has the op anywhere."""
    return any(e.op is progress_tick for e in all_equations(program.equations))


OPS: tuple[Op, ...] = (
    host_callback,
    progress_tick,
)
