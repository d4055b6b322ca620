"""Programs in which transposed arrays are computed with, and reduced, in the order in which they lie in memory.

What reads an array in another order than that of its memory reads from many places at a time. Where all operands of an
elementwise operation are the same transpose of others, so is its result of the others' results; a reduction of a
transpose is one of the array itself, over other axes.
"""

from __future__ import annotations

import dataclasses

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Program, Var
from anabranch.runtime.ir.rewrite import Block
from anabranch.runtime.ops.reducers import MULTIPLY
from anabranch.runtime.ops.reduction import Reduction
from anabranch.runtime.ops.shape import broadcast_in_dim, transpose


def with_sunk_transposes(program: Program) -> Program:
    """The Program with transposes after reductions and elementwise operations, outside of loops and branches."""
    ops = {equation.op for equation in program.equations}
    ends = {atom for e in program.equations if e.op is transpose for atom in e.outputs}
    if transpose not in ops or (ends.isdisjoint(program.outputs) and not any(isinstance(op, Reduction) for op in ops)):
        return program
    return _Sinking().sunk(program)


class _Sinking:
    """A Program under way.

    Of arrays that are known to be transposes of others it has these, and the axis of the other one that each is.
    """

    def __init__(self) -> None:
        self._block = Block()
        self._sources: dict[Atom, tuple[Atom, tuple[int, ...]]] = {}
        self._made: dict[Atom, Equation] = {}

    def sunk(self, program: Program) -> Program:
        """The Program, rewritten."""
        for equation in program.equations:
            self._made |= dict.fromkeys(equation.outputs, equation)
            if not (self._transposed(equation) or self._reduced(equation) or self._elementwise(equation)):
                inputs = tuple(map(self._whole, equation.inputs))
                self._block.append(dataclasses.replace(equation, inputs=inputs))
        outputs = tuple(map(self._whole, program.outputs))
        return dataclasses.replace(program, equations=tuple(self._block.equations), outputs=outputs)

    def _whole(self, atom: Atom) -> Atom:
        """The array itself."""
        if atom in self._sources and atom not in self._block.names:
            source, order = self._sources[atom]
            is_same = order == tuple(range(len(order)))
            self._block.names[atom] = source if is_same else self._block.emit(transpose, source, axes=order)
        return self._block.read(atom)

    def _transposed(self, equation: Equation) -> bool:
        if equation.op is not transpose or not isinstance(equation.inputs[0], Var):
            return False
        axes = equation.params["axes"]
        source, order = self._sources.get(equation.inputs[0], (equation.inputs[0], tuple(range(len(axes)))))
        self._sources[equation.outputs[0]] = source, tuple(order[axis] for axis in axes)
        return True

    def _reduced(self, equation: Equation) -> bool:
        if not isinstance(equation.op, Reduction) or equation.inputs[0] not in self._sources:
            return False
        if equation.op.reducer is MULTIPLY or equation.inputs[0].type.dtype.kind == "c":
            return False  # in their own order
        source, order = self._sources[equation.inputs[0]]
        axes = equation.params["axes"]
        gone = tuple(sorted(order[axis] for axis in axes))
        left = [axis for axis in range(len(order)) if axis not in gone]
        made = self._block.emit(equation.op, source, source=equation.source, axes=gone)
        kept = tuple(left.index(axis) for place, axis in enumerate(order) if place not in axes)
        self._sources[equation.outputs[0]] = made, kept
        return True

    def _elementwise(self, equation: Equation) -> bool:
        orders = {self._sources[atom][1] for atom in equation.inputs if atom in self._sources}
        if not equation.op.is_elementwise or len(orders) != 1 or len(equation.outputs) != 1:
            return False
        (order,) = orders
        shape = equation.outputs[0].type.shape
        inputs = [self._in_order(atom, order) if atom.type.shape == shape else None for atom in equation.inputs]
        if None in inputs or len(shape) < 2:
            return False
        type = ArrayType(_moved(shape, order), equation.outputs[0].type.dtype)
        made = Var(type)
        given = tuple([atom for atom in inputs if atom is not None])
        self._block.append(dataclasses.replace(equation, inputs=given, outputs=(made,)))
        self._sources[equation.outputs[0]] = made, order
        return True

    def _in_order(self, atom: Atom, order: tuple[int, ...]) -> Atom | None:
        """The array of which an operand is the transpose, as far as there is one."""
        if atom in self._sources:
            return self._sources[atom][0]
        maker = self._made.get(atom)
        if maker is None or maker.op is not broadcast_in_dim:
            return None
        dims = tuple(order[axis] for axis in maker.params["dims"])
        if list(dims) != sorted(dims):
            return None
        shape = _moved(maker.params["shape"], order)
        return self._block.emit(broadcast_in_dim, self._whole(maker.inputs[0]), shape=shape, dims=dims)


def _moved(shape: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what an array of this shape is the transpose of."""
    return tuple(shape[order.index(axis)] for axis in range(len(order)))
