"""Equations for which there is no machine code, found before the others are written in vain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.ops.table import OPS

# From so many elements on, a call of NumPy's sort takes less time than the sort in machine code, and from so many than
# XLA's of rows that machine code does not sort.
MANY_TO_SORT, _MANY_IN_ROWS = 1536, 64
_SORTS = tuple(OPS[name] for name in ("sort", "argsort", "partition", "argpartition"))


def is_long_sort(equation: Equation) -> bool:
    """Return whether an equation is a sort of so many elements that a call of NumPy's takes less time."""
    if not _sorts(equation, _MANY_IN_ROWS):
        return False
    shape, axis = equation.inputs[0].type.shape, equation.params["axis"]
    return _sorts(equation, MANY_TO_SORT) or not sorts_rows(shape, axis)


def sorts_rows(shape: Sequence[int], axis: int) -> bool:
    """Return whether machine code has a sort along an axis: it sorts rows, which lie one behind the other."""
    return all(n == 1 for n in shape[axis + 1 :])


def _sorts(equation: Equation, least: int) -> bool:
    """Return whether an equation sorts at least so many elements, of a dtype of NumPy's own."""
    if equation.op not in _SORTS:
        return False
    (type,) = [a.type for a in equation.inputs]
    return type.size >= least and type.shape[equation.params["axis"]] > 1 and type.dtype.kind != "V"


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
        if _sorts(equation, MANY_TO_SORT):
            raise NotNativeError(f"a sort of {equation.inputs[0].type}")
        for program in equation.programs():
            refuse_long_sorts(program.equations)
