"""Kinds of ops by what they read, and type rules' way to refuse."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Equation

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


class IllTypedError(TypeError):
    """An equation was made of inputs of other types than its op takes: a fault of the project's own."""


class NoElementsError(IllTypedError):
    """A block was taken of an axis without elements, which only code does that never runs."""


def expect(condition: bool, op: str, message: str | Callable[[], str]) -> None:
    """Type rules' one way to refuse; rules of many equations give a function that writes the message."""
    if not condition:
        raise IllTypedError(f"{op}: {message if isinstance(message, str) else message()}")
