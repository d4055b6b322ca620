"""Arguments that do not lie in C order, read where they are; and the arrays that machine code writes to."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Program, Var
from anabranch.runtime.ir.rewrite import Block
from anabranch.runtime.native.llvm_types import is_memory
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.ops.shape import reshape, reverse, slice_, transpose
from anabranch.runtime.ops.structured import Loop

# The least number of bytes of what a loop reads for which a copy in C order takes longer than reads in another one.
_LEAST_IN_LOOPS = 2**18


@frozen
class InputLayout:
    """The way in which an array's elements lie in memory."""

    # Its sizes, and the bytes from one element to the next, by axes.
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    axes: tuple[int, ...]  # the axes of more than one element, those of the largest steps first
    whole: tuple[int, ...]  # the shape of the array in C order of which these axes are parts
    steps: tuple[int, ...]  # the steps of these axes in it
    first: int  # how many bytes it begins before the first element: some axes go backwards
    nbytes: int  # from the lowest to the highest of the elements
    is_order: bool  # whether the elements follow one another without gaps, in another order of axes

    def is_of(self, array: np.ndarray) -> bool:
        """Return whether an aligned array lies like this."""
        return array.shape == self.shape and array.strides == self.strides and bool(array.flags.aligned)

    def copied(self, array: np.ndarray) -> np.ndarray:
        """The values of an array in memory of their own that lies like this."""
        memory = np.empty(self.nbytes, np.uint8)
        made = np.ndarray(array.shape, array.dtype, memory, self.first, self.strides)
        made[...] = array
        return made


def input_layout(type: ArrayType, strides: tuple[int, ...]) -> InputLayout | None:
    """The layout of an array with these strides; None where it is no part of an array in C order."""
    width, shape = type.dtype.itemsize, type.shape
    axes = sorted([axis for axis, n in enumerate(shape) if n > 1], key=lambda axis: -abs(strides[axis]))
    if not axes or not type.size or any(strides[axis] % width or not strides[axis] for axis in axes):
        return None
    steps = [abs(strides[axis]) // width for axis in axes]
    # The units of the whole's axes: each has to be a multiple of the next.
    units = [*steps[:-1], 1]
    for k in range(1, len(units)):
        units[k] = math.gcd(units[k - 1], units[k])
    inner = 1
    for axis, step, unit in reversed(list(zip(axes, steps, units, strict=True))):
        if unit < inner:
            return None  # elements that lie within others, as those of overlapping windows do
        inner = (shape[axis] - 1) * step + inner
    extents = [(shape[axis] - 1) * step for axis, step in zip(axes, steps, strict=True)]
    sizes = [extents[0] // units[0] + 1, *[units[k - 1] // units[k] for k in range(1, len(units))]]
    backwards = sum((1 - shape[axis]) * strides[axis] for axis in axes if strides[axis] < 0)
    return InputLayout(
        shape,
        strides,
        tuple(axes),
        tuple(sizes),
        tuple([step // unit for step, unit in zip(steps, units, strict=True)]),
        backwards,
        (sum(extents) + 1) * width,
        not backwards and sum(extents) + 1 == type.size,
    )


def input_layouts(program: Program, strides: Mapping[int, tuple[int, ...]]) -> dict[int, InputLayout]:
    """The layouts of the inputs that are better read where they are, of those with these strides."""
    found: dict[int, InputLayout] = {}
    has_loops = any(isinstance(equation.op, Loop) for equation in program.equations)
    for place, steps in strides.items():
        type = program.inputs[place].type
        layout = input_layout(type, steps)
        if layout is not None and (not has_loops or (layout.is_order and type.nbytes >= _LEAST_IN_LOOPS)):
            found[place] = layout
    return found


def with_input_layouts(program: Program, layouts: Mapping[int, InputLayout]) -> Program:
    """The Program that takes, in place of these inputs, the arrays in C order that they are parts of."""
    block, inputs = Block(), list(program.inputs)
    for place, layout in layouts.items():
        type = inputs[place].type
        inputs[place] = Var(ArrayType(layout.whole, type.dtype))
        block.names[program.inputs[place]] = _part(block, inputs[place], layout)
    equations = [
        dataclasses.replace(e, inputs=tuple(map(block.read, e.inputs))) if layouts else e for e in program.equations
    ]
    outputs = tuple(map(block.read, program.outputs))
    return dataclasses.replace(program, inputs=tuple(inputs), equations=(*block.equations, *equations), outputs=outputs)


def _part(block: Block, whole: Atom, layout: InputLayout) -> Atom:
    """The input, as a part of the whole."""
    axes, shape = layout.axes, layout.shape
    limits = [(shape[axis] - 1) * step + 1 for axis, step in zip(axes, layout.steps, strict=True)]
    if tuple(limits) != layout.whole or set(layout.steps) != {1}:
        whole = block.emit(slice_, whole, starts=(0,) * len(axes), limits=tuple(limits), strides=layout.steps)
    backwards = tuple([k for k, axis in enumerate(axes) if layout.strides[axis] < 0])
    if backwards:
        whole = block.emit(reverse, whole, axes=backwards)
    order = tuple([axes.index(axis) for axis in sorted(axes)])
    if order != tuple(range(len(axes))):
        whole = block.emit(transpose, whole, axes=order)
    return whole if whole.type.shape == shape else block.emit(reshape, whole, shape=shape)


@frozen
class Output:
    """An array that the function writes to."""

    pointer: str  # the name of its address in the function
    type: ArrayType
    operand: int | None = None  # the operand whose memory it takes over
    copied: bool = False  # whether that memory is needed elsewhere: the output begins as a copy


class Outputs:
    """The outputs of a function."""

    def __init__(
        self,
        memory: Memory,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        results: Sequence[str],
        out_types: Sequence[ArrayType],
    ) -> None:
        """Settle which there are, and write the results to them.

        `operands` and `in_types`: the names of the operands; those in memory are the first arrays there.
        """
        written = [i for i, name in enumerate(operands) if is_memory(name) and not memory.is_current(name)]
        self.arrays = [Output(memory.pointer(i), in_types[i], i) for i in written]
        self.arrays += [Output(memory.pointer(place), type) for place, type in memory.allocated.items()]
        free = {place: number for number, place in enumerate([*written, *memory.allocated])}
        self.places: list[int | None] = []  # of the results among these arrays; None for one that is an operand
        for name, type in zip(results, out_types, strict=True):
            source = memory.place_of(name) if is_memory(name) else None
            # Memory that was enlarged is too large for the array that was there before.
            if source in free and self.arrays[free[source]].type.nbytes == type.nbytes:
                self.places.append(free.pop(source))
            elif source is not None and source < len(operands) and source not in written:
                self.places.append(None)
            else:
                output = Output(f"%r{len(self.arrays)}", type)
                memory.overwrite(name, memory.place_of(memory.add(output.pointer)), type, "it is a result")
                self.places.append(len(self.arrays))
                self.arrays.append(output)


def sizes_of(
    in_types: Sequence[ArrayType], outputs: Sequence[Output], layouts: Mapping[int, InputLayout]
) -> dict[str, int]:
    """The bytes of the arrays that a function is given, by the names of their addresses in it."""
    sizes = {f"%a{i}": layouts[i].nbytes if i in layouts else type.nbytes for i, type in enumerate(in_types)}
    return sizes | {output.pointer: output.type.nbytes for output in outputs}
