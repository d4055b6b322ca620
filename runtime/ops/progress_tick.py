"""The count of a progress bar, written to memory on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.host.progress_bars import check_stop, write_count
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.ops.host_callback import called_back
from anabranch.runtime.ops.op import UNBOUNDED, expect, scalar
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


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
    return any(e.op is progress_tick or any(map(moves_bars, e.programs())) for e in program.equations)


OPS: tuple[Op, ...] = (progress_tick,)
