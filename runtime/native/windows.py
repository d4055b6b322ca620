"""Reductions over windows that are known only at run time: loops over the positions of the window alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.lazy_array import Axis, LazyArray, Update
from anabranch.runtime.native.llvm_types import constant
from anabranch.runtime.native.scalar_ops import rule_of
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.op import scalar
from anabranch.runtime.ops.vector_lanes import split
from anabranch.runtime.ops.windowed_reduce import REDUCERS, windowed_reduce


def is_window(equation: Equation) -> bool:
    """Return whether an equation reduces a window by a body that looks nothing up in tables."""
    if equation.op is not windowed_reduce:
        return False
    _, others = split(equation.inputs[2:], equation.params["strips"])
    return all(atom.type.size == 1 for atom in others)


def reduced(
    writer: ValueEmitter,
    equation: Equation,
    names: Sequence[str],
    program: Callable[[Program, Sequence[str]], Sequence[str]],
) -> str:
    """The reduction of a window.

    Parameters
    ----------
    names
        Of the inputs.
    program
        Writes a Program; returns the names of its outputs.
    """
    params, positions, arrays = equation.params, writer.positions, writer.arrays
    length, body, element = params["length"], params["body"], params["body"].out_types[0]
    reducer, initial = REDUCERS[params["combine"]]
    type = ArrayType((length,), element.dtype)
    low, high = (positions.limited(positions.of(name), 0, length) for name in names[:2])
    strips, others = split(list(zip(names[2:], equation.inputs[2:], strict=True)), params["strips"])
    elements: list[LazyArray] = []
    highs = [high]
    for strip, ((name, atom), starts) in zip(params["strips"], strips, strict=True):
        sizes = atom.type.shape
        places = [positions.limited(positions.of(s), 0, n - 1) for (s, _), n in zip(starts, sizes, strict=True)]
        # No position lies outside of an array.
        highs.append(Affine(sizes[strip.axis]) - places[strip.axis])
        axes = [Axis(place, 1, 0 if axis == strip.axis else None) for axis, place in enumerate(places)]
        part = ArrayType((length,), atom.type.dtype)
        elements.append(arrays.part(arrays.of(name, atom.type), part, axes))

    def made(row: Sequence[str]) -> str:
        first, *rest = program(body, [*row, *(name for name, _ in others)])
        return rule_of("multiply")(writer.code, [first, *rest], element.dtype, element.dtype) if rest else first

    at = arrays.iota(ArrayType((length,), np.dtype(np.int64)), 0)
    neutral = constant(np.asarray(initial(element.dtype), element.dtype))
    value = arrays.combined([at, *elements], type, made)
    region = {0: Span((low,), tuple(dict.fromkeys(highs)))}
    masked = arrays.updated(Update(arrays.all_equal(type, neutral), (Axis(Affine(0), 1, 0),), value, region))

    def joined(pair: Sequence[str]) -> list[str]:
        return [reducer.emit(writer, pair[0], pair[1], scalar(element.dtype))]

    return writer.reductions.reduced([masked], [neutral], [0], joined)[0]
