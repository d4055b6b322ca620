"""Checks: places of the user's code that fail at run time under a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ops.op import BOOL, expect, scalar
from anabranch.runtime.ops.stablehlo_writer import LoweringContext

# The type of an error code.
CODE = scalar(np.dtype(np.int32))


class _Check(Op):
    """`check(code, pred, number, *details, *kept)`: the error code after a place that fails where `pred` holds.

    The code is 0 as long as nothing has failed. Where it is and `pred` holds, the outputs are `number`, and the details
    that the failure tells of itself; else they are the code, and what the kept values are already.
    """

    __slots__ = ()
    work = Work.LITTLE
    _end: ClassVar[int | None] = None

    def type(self, *inputs: ArrayType) -> tuple[ArrayType, ...]:
        code, pred, number, *rest = inputs[: self._end]
        expect((code, number) == (CODE, CODE), self.name, "the error code and the number are int32 scalars")
        expect(pred == scalar(BOOL), self.name, "the predicate must be a bool scalar")
        count = len(rest) // 2
        expect(rest[:count] == rest[count:], self.name, "the details are not of the types of the kept values")
        return (code, *rest[count:])

    def evaluate(self, *arrays: np.ndarray, **params: Any) -> tuple[np.ndarray, ...]:
        code, pred, number, *rest = arrays[: self._end]
        count = len(rest) // 2
        if pred and not code:
            return (number, *rest[:count])
        return (code, *rest[count:])

    def lower(self, ctx: LoweringContext) -> Sequence[str]:
        emitter, code = ctx.emitter, ctx.in_types[0]
        fine = emitter.compare(ctx.inputs[0], emitter.constant(0, code), "EQ", code)
        fails = emitter.binary("and", ctx.inputs[1], fine, scalar(BOOL))
        rest = ctx.inputs[3 : self._end]
        count = len(rest) // 2
        found = []
        pairs = zip([ctx.inputs[2], *rest[:count]], [ctx.inputs[0], *rest[count:]], ctx.out_types, strict=True)
        for new, old, type in pairs:
            pred = emitter.broadcast(fails, scalar(BOOL), type.shape, ()) if type.shape else fails
            found.append(emitter.select(pred, new, old, type))
        return found


class _CheckOfValue(_Check):
    """`check_of_value(code, pred, number, value)`: a check that counts where the value is used.

    A trace may have such checks; they are settled when it ends.
    """

    __slots__ = ()
    _end = -1


check = _Check("check")
check_of_value = _CheckOfValue("check_of_value")
CHECKS = frozenset((check, check_of_value))
OPS: tuple[Op, ...] = (check, check_of_value)
