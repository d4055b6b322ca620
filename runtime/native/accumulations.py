"""Accumulations along an axis of an array: loops with the total in a register, in NumPy's order."""

from __future__ import annotations

import contextlib

import numpy as np

from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import flat
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.llvm_types import NotNativeError, constant
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.checks import scalar
from anabranch.runtime.ops.cumulative import SCANNED, STARTS, Cumulative
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS


def is_accumulation(equation: Equation) -> bool:
    """Return whether an equation accumulates an array that is too large for registers."""
    return isinstance(equation.op, Cumulative) and equation.outputs[0].type.size > MOST_ELEMENTS


def accumulated(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The accumulation of an array, in memory of its own."""
    op, type, memory = equation.op, equation.outputs[0].type, emitter.memory
    if not isinstance(op, Cumulative) or type.dtype.char not in SCANNED:
        raise NotNativeError(f"{op.name} of {type}")
    array, loops, along = emitter.arrays.of(name, type), ElementLoops(emitter.arrays), equation.params["axis"]
    check_size(memory, array, {})
    # What changes no number, not even the sign of a zero.
    first = constant(np.asarray(STARTS[op.reducer](type.dtype), type.dtype))
    made = memory.place_of(memory.allocate(type))
    total = memory.place_of(memory.add(emitter.code.reserve(f"[{type.dtype.itemsize} x i8]")))
    with contextlib.ExitStack() as stack:
        others = {a: stack.enter_context(loops.each(n)) for a, n in enumerate(type.shape) if a != along}
        memory.put(total, type.dtype, "0", first)
        position = stack.enter_context(loops.each(type.shape[along]))
        index = [others.get(axis, position) for axis in range(len(type.shape))]
        element = emitter.arrays.element(array, index)
        before = memory.load(memory.name(total), type.dtype, "0")
        value = op.reducer.emit(emitter, before, element, scalar(type.dtype))
        memory.put(total, type.dtype, "0", value)
        memory.put(made, type.dtype, emitter.positions.value(flat(index, type.shape)), value)
    return memory.written(made)
