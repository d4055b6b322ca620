"""Programs that take some arrays with their axes in another order: as they follow one another in memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.ops.shape import transpose

# The least number of bytes that take longer to be copied in another order, some hundreds of times, than code for arrays
# of this order takes to be compiled.
_LEAST = 2**18


def takes_large_matrices(program: Program) -> bool:
    """Return whether some inputs may be worth that."""
    return any(len(var.type.shape) > 1 and var.type.nbytes >= _LEAST for var in program.inputs)


def order_in_memory(value: object) -> tuple[int, ...] | None:
    """The order of a large array's axes in which its elements follow one another, where that is not their own."""
    if type(value) is not np.ndarray or value.ndim < 2 or value.nbytes < _LEAST or value.flags.c_contiguous:
        return None
    order = tuple(int(axis) for axis in np.argsort([-stride for stride in value.strides], kind="stable"))
    flags = value.transpose(order).flags
    return order if flags.c_contiguous and flags.aligned else None


def with_transposed_inputs(program: Program, orders: Mapping[int, tuple[int, ...]]) -> Program:
    """The Program that takes these inputs with their axes in these orders."""
    inputs, equations = list(program.inputs), []
    for place, order in orders.items():
        before = inputs[place]
        inputs[place] = Var(ArrayType(tuple(before.type.shape[axis] for axis in order), before.type.dtype))
        back = tuple(order.index(axis) for axis in range(len(order)))
        equations.append(Equation(transpose, (inputs[place],), {"axes": back}, (before,)))
    return dataclasses.replace(program, inputs=tuple(inputs), equations=(*equations, *program.equations))
