"""Step batches: the values of all steps of a loop as one array, whose first axis is that of the steps."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.op import Work
from anabranch.runtime.ir.program import Atom, Equation, Literal, Var
from anabranch.runtime.ir.rewrite import Block
from anabranch.runtime.ops.dot_general import dot_general
from anabranch.runtime.ops.elementwise.arithmetic import add, multiply, subtract
from anabranch.runtime.ops.indexing import dynamic_slice, gather
from anabranch.runtime.ops.op import INT64
from anabranch.runtime.ops.shape import broadcast_in_dim, iota, reshape, slice_, transpose

# The most elements of an array that holds the values of all steps: memory that a call asks for anew costs time.
_MOST_ELEMENTS = 1 << 20
# A position that grows from step to step: by how much, and where it begins.
Line: TypeAlias = tuple[int, int]


def moved(axis: int, place: int, rank: int) -> tuple[int, ...]:
    """The order of axes in which one stands at another place, and the others as they were."""
    others = [a for a in range(rank) if a != axis]
    return (*others[:place], axis, *others[place:])


class Batches:
    """The values that the steps of a counted loop compute from the index and from what no step changes.

    Parameters
    ----------
    constants
        The body's inputs that no step changes, each with the atom that stands for it before the loop.
    index
        The body's input that counts the steps, from zero.
    length
        The number of steps.
    """

    def __init__(self, constants: Mapping[Var, Atom], index: Var, length: int) -> None:
        self.length = length
        self.lines: dict[Atom, Line] = {index: (1, 0)}
        self._before: dict[Atom, Atom] = dict(constants.items())
        self._block = Block()
        self._worth: set[Atom] = set()
        self._rows: dict[Atom, Atom] = {index: self._block.emit(iota, shape=(length,), dtype=INT64, axis=0)}

    def is_invariant(self, atom: Atom) -> bool:
        """Return whether a value is the same in all steps, and known before the loop."""
        return isinstance(atom, Literal) or atom in self._before

    def is_worth(self, atom: Atom) -> bool:
        """Return whether a value is one that takes much work, which is less for all steps at once."""
        return atom in self._worth

    def before(self, atom: Atom) -> Atom:
        """The atom that stands before the loop for a value that is the same in all steps."""
        return self._before.get(atom, atom)

    def rows(self, atom: Atom) -> Atom:
        """The values of all steps."""
        if atom not in self._rows:
            shape = (self.length, *atom.type.shape)
            dims = tuple(range(1, len(shape)))
            self._rows[atom] = self._block.emit(broadcast_in_dim, self.before(atom), shape=shape, dims=dims)
        return self._rows[atom]

    def needed(self, atoms: Sequence[Atom]) -> list[Equation]:
        """The equations that compute these values, in order."""
        wanted, found = set(atoms), []
        for equation in reversed(self._block.equations):
            if not wanted.isdisjoint(equation.outputs):
                wanted.update(equation.inputs)
                found.append(equation)
        return found[::-1]

    def add(self, equation: Equation) -> None:
        """Take up an equation of the loop's body, if what it computes can be computed before the loop."""
        if not equation.op.pure or len(equation.outputs) != 1 or any(True for _ in equation.programs()):
            return
        (output,), inputs = equation.outputs, equation.inputs
        if all(map(self.is_invariant, inputs)):
            own = Var(output.type)
            self._block.append(dataclasses.replace(equation, inputs=tuple(map(self.before, inputs)), outputs=(own,)))
            self._before[output] = own
        elif all(self.is_invariant(a) or a in self._rows for a in inputs):
            if output.type.size * self.length > _MOST_ELEMENTS or (rows := self._emitted(equation)) is None:
                return
            self._rows[output] = rows
            # A sum of products of two rows takes no more work in a loop.
            is_number = not output.type.shape and not any(map(self.is_invariant, inputs))
            if (equation.op.whole_work is Work.MUCH and not is_number) or not self._worth.isdisjoint(inputs):
                self._worth.add(output)
            line = self._line(equation)
            if line is not None:
                self.lines[output] = line

    def _line(self, equation: Equation) -> Line | None:
        """The constant by which an integer grows from step to step, if there is one."""
        if equation.op not in (add, subtract, multiply) or equation.outputs[0].type != equation.inputs[0].type:
            return None
        known = [self.lines.get(a) or _constant(a) for a in equation.inputs]
        if equation.outputs[0].type.shape or equation.outputs[0].type.dtype != INT64 or None in known:
            return None
        (by, start), (other_by, other_start) = ((0, 0) if line is None else line for line in known)
        if equation.op is add:
            return by + other_by, start + other_start
        if equation.op is subtract:
            return by - other_by, start - other_start
        return (by * other_start + start * other_by, start * other_start) if 0 in (by, other_by) else None

    def _emitted(self, equation: Equation) -> Atom | None:
        """The results of all steps of an equation; None where there is no rule."""
        if equation.op is dynamic_slice:
            return self._blocks(equation)
        if equation.op is dot_general:
            return self._products(equation)
        params = equation.op.with_first_axis(equation.params, self.length)
        if params is None:
            return None
        return self._block.emit(equation.op, *map(self.rows, equation.inputs), source=equation.source, **params)

    def _blocks(self, equation: Equation) -> Atom | None:
        """The blocks that the steps read of one array, if these lie on a line."""
        array, *starts = equation.inputs
        sizes, axes = equation.params["sizes"], [i for i, s in enumerate(starts) if not self.is_invariant(s)]
        if not self.is_invariant(array) or len(axes) != 1 or starts[axes[0]] not in self.lines:
            return None
        axis, (by, first) = axes[0], self.lines[starts[axes[0]]]
        last = first + by * (self.length - 1)
        if by < 1 or first < 0 or last + sizes[axis] > array.type.shape[axis]:
            return None
        if axis and sizes[axis] > 1:  # XLA cannot compile the product of what is gathered and transposed
            return None
        rest = [0 if i == axis else self.before(s) for i, s in enumerate(starts)]
        shape = [*sizes[:axis], array.type.shape[axis], *sizes[axis + 1 :]]
        strip = self.before(array)
        if tuple(shape) != array.type.shape:
            zeros = [Literal(np.zeros((), np.int64)) if isinstance(s, int) else s for s in rest]
            strip = self._block.emit(dynamic_slice, strip, *zeros, sizes=tuple(shape))
        if axis:
            strip = self._block.emit(transpose, strip, axes=moved(axis, 0, len(shape)))
        return self._cut(strip, sizes[axis], axis, (by, first), last + 1)

    def _cut(self, strip: Atom, size: int, axis: int, line: Line, end: int) -> Atom:
        """Blocks of a length along the first axis; of a length of one, that becomes another axis of theirs."""
        (by, first), shape = line, strip.type.shape
        if size == 1:
            rest = len(shape) - 1
            starts, strides = (first, *[0] * rest), (by, *[1] * rest)
            cut = self._block.emit(slice_, strip, starts=starts, limits=(end, *shape[1:]), strides=strides)
            return self._block.emit(reshape, cut, shape=(self.length, *shape[1 : axis + 1], 1, *shape[axis + 1 :]))
        steps, places = (self._block.emit(iota, shape=(self.length, size), dtype=INT64, axis=a) for a in (0, 1))
        for op, number in ((multiply, by), (add, first)):
            same = Literal(np.broadcast_to(np.int64(number), (self.length, size)))
            steps = self._block.emit(op, steps, same)
        index = self._block.emit(add, steps, places)
        index = self._block.emit(reshape, index, shape=(self.length, size, 1))
        return self._block.emit(gather, strip, index)

    def _products(self, equation: Equation) -> Atom | None:
        """The products of all steps; where one side is the same in all, of matrices."""
        x, y = equation.inputs
        (left, right), (x_batch, y_batch) = equation.params["contract"], equation.params["batch"]
        sides = [not self.is_invariant(a) for a in (x, y)]
        if all(sides):
            params = {
                "contract": ([a + 1 for a in left], [a + 1 for a in right]),
                "batch": ([0, *(a + 1 for a in x_batch)], [0, *(a + 1 for a in y_batch)]),
            }
            return self._block.emit(dot_general, self.rows(x), self.rows(y), source=equation.source, **params)
        if x_batch:
            return None
        contract = ([a + sides[0] for a in left], [a + sides[1] for a in right])
        pair = [self.rows(a) if side else self.before(a) for a, side in zip((x, y), sides, strict=True)]
        product = self._block.emit(dot_general, *pair, source=equation.source, contract=contract, batch=((), ()))
        place = 0 if sides[0] else len(x.type.shape) - len(left)
        if not place:
            return product
        return self._block.emit(transpose, product, axes=moved(place, 0, len(product.type.shape)))


def _constant(atom: Atom) -> Line | None:
    """The line of a value that is the same in all steps."""
    if not isinstance(atom, Literal) or atom.type.shape or atom.type.dtype != INT64:
        return None
    return 0, int(atom.value)
