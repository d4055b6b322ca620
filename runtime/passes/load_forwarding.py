"""Load forwarding: elements of an array that was written, or chosen, just before are read where they come from.

`y = a if c else b; y[i] = v; y[i] + y[j]` makes an array for y, with all its elements, unless nothing reads it: y[i] is
v, and y[j] is a[j] or b[j].
"""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, SourceLocation, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import equal, logical_and, maximum, minimum
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.shape import broadcast_in_dim
from anabranch.runtime.passes.def_use import DefUse
from anabranch.runtime.passes.overlap_analysis import Makers, makers_of, reads_target

# Of so many arrays one is chosen beside each other, element by element.
MOST_CHOSEN = 16
# Through how many writes a choice is looked for, and how much smaller than the array a part of it is at least.
_MOST_WRITES, _SMALLER = 4, 4
# So many elements may be computed twice.
_MOST_ELEMENTS = 16
_ZERO = Literal(np.zeros((), np.int64))
# An array, and through how many writes before it a choice is looked for.
_Node: TypeAlias = tuple[Atom, int]


@in_sub_programs
def forward_loads(program: Program) -> Program:
    """The Program in which parts of written and chosen arrays are read from what was written and chosen from."""
    defs, makers = DefUse(program), makers_of(program)

    def forwarded(equation: Equation, block: Block) -> Sequence[Atom] | None:
        if len(equation.outputs) != 1 or (part := defs.part(equation.outputs[0])) is None:
            return None
        array, starts = part
        load = _Load(defs, block, starts, equation.outputs[0].type.shape, equation.source)
        is_chosen = _is_chosen(array, defs, _MOST_WRITES)
        read_back = not is_chosen and _is_read_back(array, equation.outputs[0], defs, makers)
        found = None if read_back else load.written(array)
        if found is None and is_chosen and 0 < equation.outputs[0].type.size * _SMALLER <= array.type.size:
            found = load.chosen(array)
        return None if found is None else [found]

    return rewrite(program, forwarded)


@frozen(eq=False)
class _Load:
    """A part of an array: where it begins on each axis, and its shape."""

    defs: DefUse
    block: Block
    starts: Sequence[Atom]
    shape: tuple[int, ...]
    source: SourceLocation | None

    def written(self, array: Atom) -> Atom | None:
        """The value that was written into this very part last; None where another part was."""
        maker = self.defs.maker(array)
        if maker is None or maker.op is not dynamic_update_slice:
            return None
        _, value, *at = maker.inputs
        if value.type.shape != self.shape or any(map(self._differ, self.starts, at)):
            return None
        return self.block.read(value)

    def _differ(self, one: Atom, other: Atom) -> bool:
        return self.defs.key(one) != self.defs.key(other)

    def chosen(self, array: Atom) -> Atom | None:
        """The part of an array that was chosen, read from the arrays that it was chosen from."""
        behind = self._opened((array, _MOST_WRITES))
        parts: dict[_Node, Atom] = {}
        for node in sorted(behind, key=lambda node: self.defs.made[node[0]]):  # type: ignore[index] # none is a literal
            for other in behind[node]:
                if other not in parts:
                    parts[other] = self.written(other[0]) or self._read(other[0])
            parts[node] = self._part(node[0], [parts[other] for other in behind[node]])
        return parts.get((array, _MOST_WRITES))

    def _opened(self, first: _Node) -> dict[_Node, list[_Node]]:
        """The chosen arrays that the part is computed from, each with those that it was chosen from."""
        behind: dict[_Node, list[_Node]] = {}
        pending, left = collections.deque([first]), MOST_CHOSEN - 1
        while pending and left:
            array, writes = node = pending.popleft()
            maker = self.defs.maker(array)
            if node in behind or maker is None or (node is not first and self.written(array) is not None):
                continue
            options = _options(maker, array, self.defs)
            if options is not None:
                behind[node] = [(option, writes) for option in options[1:]]
                pending += behind[node]
                left -= 1
            elif writes and self._is_passed(maker, writes):
                behind[node] = [(maker.inputs[0], writes - 1)]
                pending.appendleft(behind[node][0])
        return behind

    def _is_passed(self, maker: Equation, writes: int) -> bool:
        """Return whether the array is one in which another element may have been written, a chosen one before that."""
        if maker.op is not dynamic_update_slice or not maker.inputs[1].type.size == 1 == math.prod(self.shape):
            return False
        return self.written(maker.inputs[0]) is not None or _is_chosen(maker.inputs[0], self.defs, writes - 1)

    def _part(self, array: Atom, behind: Sequence[Atom]) -> Atom:
        """The part, from those of the arrays behind."""
        maker = self.defs.maker(array)
        assert maker is not None
        options = _options(maker, array, self.defs)
        if options is not None:
            return self._select(self.block.read(options[0]), *behind)
        target, value, *at = maker.inputs
        same: Atom = Literal(np.asarray(True))
        for start, place, size in zip(self.starts, at, target.type.shape, strict=True):
            if self._differ(start, place):
                here = self.block.emit(equal, self._within(start, size), self._within(place, size), source=self.source)
                same = here if isinstance(same, Literal) else self.block.emit(logical_and, same, here)
        return self._select(same, self.block.read(value), *behind)

    def _within(self, start: Atom, size: int) -> Atom:
        """A position as it is clamped to an axis."""
        last = Literal(np.asarray(size - 1))
        return self.block.emit(minimum, self.block.emit(maximum, self.block.read(start), _ZERO), last)

    def _read(self, array: Atom) -> Atom:
        starts = map(self.block.read, self.starts)
        return self.block.emit(dynamic_slice, self.block.read(array), *starts, source=self.source, sizes=self.shape)

    def _select(self, pred: Atom, one: Atom, other: Atom) -> Atom:
        if self.shape:
            pred = self.block.emit(broadcast_in_dim, pred, shape=self.shape, dims=())
        return self.block.emit(select, pred, one, other, source=self.source)


def _is_chosen(array: Atom, defs: DefUse, writes: int) -> bool:
    """Return whether an array is a chosen one, after so many writes at most."""
    for _ in range(writes + 1):
        maker = defs.maker(array)
        if maker is None or maker.op is not dynamic_update_slice:
            return maker is not None and _options(maker, array, defs) is not None
        array = maker.inputs[0]
    return False


def _is_read_back(array: Atom, part: Var, defs: DefUse, makers: Makers) -> bool:
    """Return whether the reader of a part finds it in memory that is written in any case.

    What is computed from the memory that it is written into XLA would compute again from the memory as it was before
    the write, of which it would make a copy; and many elements twice, for the memory and for their reader.
    """
    write = defs.maker(array)
    if write is None or write.op.update is None:
        return False
    value = defs.maker(write.inputs[write.op.update])
    is_computed = value is not None and value.op.is_elementwise and part.type.size > _MOST_ELEMENTS
    return (is_computed and defs.is_shared(array)) or reads_target(write, makers)


def _options(maker: Equation, array: Atom, defs: DefUse) -> tuple[Atom, Atom, Atom] | None:
    """The predicate and the two arrays of which one is the array; None for other arrays."""
    if maker.op is COND:
        place = maker.outputs.index(array) if isinstance(array, Var) else 0
        given = []
        for branch in maker.programs():
            formal = branch.outputs[place]
            if not isinstance(formal, Var) or formal not in branch.inputs:
                return None
            given.append(maker.inputs[1 + branch.inputs.index(formal)])
        return maker.inputs[0], given[0], given[1]
    if maker.op is select:
        spread = defs.maker(maker.inputs[0])
        if spread is not None and spread.op is broadcast_in_dim and not spread.inputs[0].type.shape:
            return spread.inputs[0], maker.inputs[1], maker.inputs[2]
    return None
