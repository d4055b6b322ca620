"""Accumulations along an axis of an array, in NumPy's order: one total in a register, or many in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.affine import Affine, Span, flat
from anabranch.runtime.native.element_loops import ElementLoops, check_size
from anabranch.runtime.native.llvm_types import NotNativeError, constant, value_type
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.cumulative import STARTS, Cumulative, is_scanned
from anabranch.runtime.ops.op import scalar
from anabranch.runtime.ops.reducers import MAXIMUM, MINIMUM
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS


def is_accumulation(equation: Equation) -> bool:
    """Return whether an equation accumulates an array that is too large for registers."""
    return isinstance(equation.op, Cumulative) and equation.outputs[0].type.size > MOST_ELEMENTS


def _combined(emitter: ValueEmitter, op: Cumulative, total: str, x: str, dtype: np.dtype) -> str:
    """A total after one element more; an extreme of floats in as few steps from one total to the next as there can be.

    Of zeros of two signs the last one stays, as in NumPy on x86-64.
    """
    if dtype.char not in "fd" or op.reducer not in (MAXIMUM, MINIMUM):
        return op.reducer.emit(emitter, total, x, scalar(dtype))
    code, kind = emitter.code, value_type(dtype)
    is_beyond = code.add("fcmp oge" if op.reducer is MAXIMUM else "fcmp ole", kind, x, total)
    extreme = code.emit(f"select i1 {is_beyond}, {kind} {x}, {kind} {total}")
    is_nan = code.add("fcmp uno", kind, x, x)
    return code.emit(f"select i1 {is_nan}, {kind} {x}, {kind} {extreme}")


def accumulated(emitter: ValueEmitter, equation: Equation, name: str) -> str:
    """The accumulation of an array, in memory of its own."""
    op, type, memory = equation.op, equation.outputs[0].type, emitter.memory
    if not isinstance(op, Cumulative) or not is_scanned(op.reducer, type.dtype):
        raise NotNativeError(f"{op.name} of {type}")
    array, loops, along = emitter.arrays.of(name, type), ElementLoops(emitter.arrays), equation.params["axis"]
    check_size(memory, array, {})
    # What changes no number, not even the sign of a zero.
    first = constant(np.asarray(STARTS[op.reducer](type.dtype), type.dtype))
    made = memory.place_of(memory.allocate(type))

    def step(index: Sequence[Affine], before: str) -> str:
        value = _combined(emitter, op, before, emitter.arrays.element(array, index), type.dtype)
        memory.put(made, type.dtype, emitter.positions.value(flat(index, type.shape)), value)
        return value

    if all(n == 1 for n in type.shape[along + 1 :]):
        with loops.over(type.shape[:along], {}, work=loops.work([array]) * type.shape[along]) as outer:
            total = memory.place_of(memory.add(emitter.code.reserve(f"[{type.dtype.itemsize} x i8]")))
            memory.put(total, type.dtype, "0", first)
            with loops.each(type.shape[along]) as position:
                index = [*outer, position, *[Affine(0)] * (len(type.shape) - along - 1)]
                value = step(index, memory.load(memory.name(total), type.dtype, "0"))
                memory.put(total, type.dtype, "0", value)
        return memory.written(made)
    # The totals stand side by side in what is made.
    with loops.over(type.shape, {along: Span((Affine(0),), (Affine(1),))}) as index:
        step(index, first)
    with loops.over(type.shape, {along: Span((Affine(1),), (Affine(type.shape[along]),))}) as index:
        before = [i.shifted(-1) if axis == along else i for axis, i in enumerate(index)]
        number = emitter.positions.value(flat(before, type.shape))
        step(index, memory.load(memory.name(made), type.dtype, number))
    return memory.written(made)
