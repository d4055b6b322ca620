"""Equations for which there is no machine code, found before the others are written in vain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

# From so many elements on, a call of NumPy's takes less time than machine code.
MANY_TO_SORT = 1536
# NumPy's sorts in C, which machine code calls, are best for all but long rows of integers, which NumPy counts, or sorts
# by digits; a call of NumPy for many elements takes hardly more time anyway.
_MANY_TO_SORT_ALONE, _LONG_ROWS = 2**22, {OPS["sort"]: 2048, OPS["argsort"]: 512}
# From so many elements on, a call of NumPy's takes less time than XLA's sort of rows that machine code does not sort.
_MANY_IN_ROWS = 64
_PARTITIONS = tuple(OPS[name] for name in ("partition", "partition_at", "argpartition"))
_SORTS = (*(OPS[name] for name in ("sort", "argsort")), *_PARTITIONS)


def sorts_alone(equation: Equation) -> bool:
    """Return whether an equation is a sort that NumPy's functions in C make best."""
    if not _sorts(equation, MOST_ELEMENTS + 1):
        return False
    type, stable = equation.inputs[0].type, equation.params.get("stable", False)
    kinds = "iufc" if equation.op is OPS["sort"] else "iuf"
    if type.dtype.kind not in kinds or type.dtype == np.float16:
        return False
    # Of the values, a stable sort shows the order of zeros.
    if type.dtype.kind in "fc" and stable and equation.op is OPS["sort"]:
        return False
    if type.size < MANY_TO_SORT:
        return True
    longest = _MANY_TO_SORT_ALONE if type.dtype.kind in "fc" else _LONG_ROWS.get(equation.op, 0)
    is_short = type.shape[equation.params["axis"]] < longest and equation.op not in _PARTITIONS
    return is_short and type.size < _MANY_TO_SORT_ALONE


def is_long_sort(equation: Equation) -> bool:
    """Return whether an equation is a sort of so many elements that a call of NumPy's takes less time."""
    if not _sorts(equation, _MANY_IN_ROWS) or sorts_alone(equation):
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
    type = equation.inputs[0].type
    return type.size >= least and type.shape[equation.params["axis"]] > 1 and type.dtype.kind != "V"


def refuse_host_calls(equations: Iterable[Equation]) -> None:
    """Refuse calls of this process's functions, in sub-Programs, too.

    Raises `NotNativeError`.
    """
    for equation in equations:
        if equation.op.is_host_call:
            raise NotNativeError("a call of a function of this process")
        for program in equation.programs():
            refuse_host_calls(program.equations)


def refuse_long_sorts(equations: Iterable[Equation]) -> None:
    """Refuse sorts that NumPy makes in less time, in sub-Programs, too.

    Raises `NotNativeError`.
    """
    for equation in equations:
        if _sorts(equation, MANY_TO_SORT) and not sorts_alone(equation):
            raise NotNativeError(f"a sort of {equation.inputs[0].type}")
        for program in equation.programs():
            refuse_long_sorts(program.equations)
