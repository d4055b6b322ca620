"""Equations for which there is no machine code, found before the others are written in vain."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.ops.table import OPS

# From so many elements on, a call of NumPy's sort takes less time than the sort in machine code.
MANY_TO_SORT = 1536
_SORTS = (OPS["sort"], OPS["argsort"], OPS["partition"])


def refuse_host_calls(equations: Iterable[Equation]) -> None:
    """Refuse calls of this process's functions, in sub-Programs, too.

    Raises
    ------
    NotNativeError
    """
    for equation in equations:
        if equation.op.is_host_call:
            raise NotNativeError("a call of a function of this process")
        for program in equation.programs():
            refuse_host_calls(program.equations)


def refuse_long_sorts(equations: Iterable[Equation]) -> None:
    """Refuse sorts that NumPy makes in less time, in sub-Programs, too.

    Raises
    ------
    NotNativeError
    """
    for equation in equations:
        if equation.op in _SORTS:
            (type,) = [a.type for a in equation.inputs]
            if type.size >= MANY_TO_SORT and type.shape[equation.params["axis"]] > 1:
                raise NotNativeError(f"a sort of {type}")
        for program in equation.programs():
            refuse_long_sorts(program.equations)
