"""The elementwise backward slice of a reduction or a write, as a Program on scalars: one position of the strip."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, substitute
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.bits import bitwise_and
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import equal, greater_equal, less, logical_and, maximum, minimum
from anabranch.runtime.ops.indexing import dynamic_slice, gather, lookup
from anabranch.runtime.ops.op import INT64, scalar
from anabranch.runtime.ops.shape import iota, reshape
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.ops.vector_lanes import Strip, window
from anabranch.runtime.passes.def_use import DefUse
from anabranch.runtime.passes.window_analysis import Bounds, Windows

_MOST_EQUATIONS = 48
# As C's; its operands are no less than 0.
_REMAINDER = OPS["fmod"]
ZERO, _TRUE = Literal(np.zeros((), np.int64)), Literal(np.ones((), np.bool_))


def is_elementwise(maker: Equation) -> bool:
    """Return whether an equation computes each element from the elements at the same position."""
    return maker.op.is_elementwise and len(maker.outputs) == 1


class BackwardSlice:
    """The operands and the body of one windowed reduction or update.

    Parameters
    ----------
    defs
        The Program in which the reduction stands.
    windows
        Of the same reduction.
    at
        The number of the reduction's equation.
    length
        The number of positions.
    known
        Bounds of the window: positions lie within these.
    """

    def __init__(self, defs: DefUse, windows: Windows, at: int, length: int, known: Collection[Hashable]) -> None:
        self.defs, self.windows, self.at, self.length, self.known = defs, windows, at, length, known
        self.position = Var(scalar(INT64))
        self.strips: list[tuple[Strip, tuple[Atom, ...]]] = []
        self.elements: list[Var] = []
        self.shared: dict[Atom, Var] = {}
        self.body = Block()
        # Scalar equations before the windowed op itself.
        self.before = Block()
        self._lanes: dict[Atom, Atom] = {}
        self._computed_so_far = 0

    def program(self, *outputs: Atom) -> Program:
        """The body of the windowed op."""
        return Program((self.position, *self.elements, *self.shared.values()), tuple(self.body.equations), outputs)

    def operands(self) -> tuple[Atom, ...]:
        """Return the operands: an array and starts for each strip, then those that are the same at all positions."""
        return (*(a for _, atoms in self.strips for a in atoms), *self.shared)

    def shapes(self) -> tuple[Strip, ...]:
        """The strips, without their operands."""
        return tuple(strip for strip, _ in self.strips)

    def limits(self, bounds: Bounds) -> tuple[Atom, Atom]:
        """The greatest of the lower bounds, and the least of the upper ones."""
        low, high = ([b for (is_low, _), b in bounds.items() if is_low is side] for side in (True, False))
        return self._limit(low, maximum) or ZERO, self._limit(high, minimum) or Literal(np.asarray(self.length))

    def _limit(self, bounds: Sequence[Atom], extreme: Op) -> Atom | None:
        found: Atom | None = None
        for bound in bounds:
            found = bound if found is None else self.before.emit(extreme, found, bound)
        return found

    def lane(self, atom: Atom) -> Atom:
        """One element of a vector, in the body."""
        if atom not in self._lanes:
            self._lanes[atom] = self._lane(atom)
        return self._lanes[atom]

    def _lane(self, atom: Atom) -> Atom:
        same = self.defs.uniform(atom)
        if same is not None:
            return self._everywhere(same)
        maker = self.defs.maker(atom)
        if maker is None:
            return self.read(atom, [ZERO], 0)
        if maker.op is iota and atom.type.dtype == INT64:
            return self.position
        if maker.op is window:
            return self._in_steps(self._inside(self.windows.where(atom)), *maker.inputs)
        return self._read(atom, maker) or self._looked_up(atom, maker) or self._computed(atom, maker)

    def _everywhere(self, atom: Atom) -> Atom:
        return atom if isinstance(atom, Literal) else self._shared(atom)

    def _in_steps(self, inside: Atom, low: Atom, high: Atom, *step: Atom) -> Atom:
        """The position lies in a window, and where that has a step, a multiple of it from its beginning."""
        if not step:
            return inside
        away = self.body.emit(subtract, self.position, self._everywhere(low))
        left = self.body.emit(_REMAINDER, away, self._everywhere(step[0]))
        return self.body.emit(logical_and, inside, self.body.emit(equal, left, ZERO))

    def _inside(self, bounds: Bounds) -> Atom:
        """The position lies within these bounds."""
        inside: Atom = _TRUE
        for (is_low, number), bound in bounds.items():
            if (is_low, number) not in self.known:
                compare = greater_equal if is_low else less
                here = self.body.emit(compare, self.position, self._everywhere(bound))
                inside = here if inside is _TRUE else self.body.emit(logical_and, inside, here)
        return inside

    def element(self, vector: Atom, index: Atom, equation: Equation) -> list[Equation]:
        """The equations that compute one element of a vector, in place of the one that reads it."""
        value = self.lane(vector)
        place = self._within(index, self.length - 1)
        names: dict[Atom, Atom] = {self.position: place, **{inner: outer for outer, inner in self.shared.items()}}
        for (where, (array, *starts)), element in zip(self.strips, self.elements, strict=True):
            starts[where.axis] = self.before.emit(add, starts[where.axis], place)
            one = self.before.emit(dynamic_slice, array, *starts, sizes=(1,) * where.rank)
            names[element] = self.before.emit(reshape, one, shape=())
        made = [substitute(e, names) for e in self.body.equations]
        whole = Equation(reshape, (names.get(value, value),), {"shape": (1,)}, equation.outputs)
        return [*self.before.equations, *made, whole]

    def _shared(self, atom: Atom) -> Var:
        return self.shared.setdefault(atom, Var(atom.type))

    def read(self, array: Atom, starts: Sequence[Atom], axis: int) -> Var:
        """Read the element of a strip of an array."""
        self.strips.append((Strip(axis, len(starts)), (array, *starts)))
        element = Var(scalar(array.type.dtype))
        self.elements.append(element)
        return element

    # ---- parts of larger arrays --------------------------------------------------------------------------------------

    def _read(self, atom: Atom, maker: Equation) -> Atom | None:
        """Read a vector that is a block of an array from the array itself; None for other vectors."""
        part, shape = maker, atom.type.shape
        if maker.op is reshape:
            shape = maker.inputs[0].type.shape
            if sum(n != 1 for n in shape) != 1:
                return None
            inner = self.defs.maker(maker.inputs[0])
            if inner is None:
                axis = shape.index(self.length)
                return self.read(maker.inputs[0], [ZERO] * len(shape), axis)
            part = inner
        found = self.defs.part(part.outputs[0])
        if found is None or not self.defs.stays(found[0], self.defs.made[part.outputs[0]], self.at):
            return None
        array, starts = found[0], list(found[1])
        axis = shape.index(self.length)
        starts[axis] = self._within(starts[axis], array.type.shape[axis] - self.length)
        return self.read(array, starts, axis)

    def _within(self, start: Atom, last: int) -> Atom:
        """Return a start as `dynamic_slice` clamps it for the block to lie within the array."""
        if last == 0:
            return ZERO
        limit = Literal(np.asarray(last, np.int64))
        return self.before.emit(minimum, self.before.emit(maximum, start, ZERO), limit)

    def _looked_up(self, atom: Atom, maker: Equation) -> Atom | None:
        """Look up an element at a computed index; None for other vectors."""
        if maker.op is not gather:
            return None
        table, places = maker.inputs
        if len(table.type.shape) != 1 or table.type.size == 0 or places.type.shape != (self.length, 1):
            return None
        if not self.defs.stays(table, self.defs.made[maker.outputs[0]], self.at):
            return None
        reshaped = self.defs.maker(places)
        if reshaped is None or reshaped.op is not reshape or reshaped.inputs[0].type.shape != (self.length,):
            return None
        return self.body.emit(lookup, self._shared(table), self.lane(reshaped.inputs[0]))

    # ---- elementwise work --------------------------------------------------------------------------------------------

    def _computed(self, atom: Atom, maker: Equation) -> Atom:
        # What others need, too, is computed once more, unless it takes long.
        there_anyway = self.defs.is_shared(atom) and maker.op.work is Work.MUCH
        if not is_elementwise(maker) or there_anyway or self._computed_so_far > _MOST_EQUATIONS:
            return self.read(atom, [ZERO], 0)
        # Counted on the way down: what a long chain of operations begins with is read, and not walked to.
        self._computed_so_far += 1
        inputs = [self.lane(a) for a in maker.inputs]
        if maker.op is select and inputs[0] is _TRUE:
            return inputs[1]
        if maker.op in (logical_and, bitwise_and) and _TRUE in inputs:
            return inputs[1] if inputs[0] is _TRUE else inputs[0]
        out = Var(ArrayType((), atom.type.dtype))
        self.body.append(Equation(maker.op, tuple(inputs), maker.params, (out,), maker.source))
        return out
