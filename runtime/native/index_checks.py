"""Indices that may count from the end, where those that lie in no axis fail: one comparison tells both from all others.

An index is checked, and moved by the axis's length if it is negative. Few are: a branch that is hardly ever taken
costs less than the moving, which the read of each element would wait for. Of an index that is the same in all steps of
a loop LLVM finds both before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.elementwise.arithmetic import add
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import greater_equal, less, logical_and, logical_or


class IndexCheck(NamedTuple):
    """The check of an index.

    Attributes
    ----------
    of : Var
        The index.
    length : int
        Of the axis.
    moved : Var
        The index as it counts from the beginning.
    """

    of: Var
    length: int
    moved: Var


class IndexChecks:
    """The checks of indices in one Program."""

    def __init__(self, program: Program) -> None:
        self._makers = {v: e for e in program.equations if e.op in _PARTS for v in e.outputs}
        self._moved = dict(filter(None, map(self._moves, self._makers.values())))

    def of(self, predicate: Atom, holds: Callable[[Atom], bool]) -> IndexCheck | None:
        """The check that fails by a predicate; None where that asks for something else.

        Parameters
        ----------
        predicate
        holds
            Returns whether a bool is known to hold.
        """
        parts = [part for part in self._operands(predicate, logical_and) if not holds(part)]
        if len(parts) != 1:
            return None
        keys = {self._refuses(test) for test in self._operands(parts[0], logical_or)}
        key = keys.pop() if len(keys) == 1 else None
        moved = None if key is None else self._moved.get(key)
        return None if key is None or moved is None else IndexCheck(*key, moved)

    def _operands(self, atom: Atom, op: object) -> Iterator[Atom]:
        equation = self._maker(atom)
        if equation is None or equation.op is not op:
            yield atom
            return
        for operand in equation.inputs:
            yield from self._operands(operand, op)

    def _maker(self, atom: Atom) -> Equation | None:
        return self._makers.get(atom) if isinstance(atom, Var) else None

    def _refuses(self, test: Atom) -> tuple[Var, int] | None:
        """The index and the length, of a test that holds of none that lies in the axis: `x >= n`, or `x < -n`."""
        equation = self._maker(test)
        if equation is None or equation.op not in (greater_equal, less):
            return None
        index, bound = equation.inputs[0], _number(equation.inputs[1])
        if not isinstance(index, Var) or bound is None:
            return None
        length = bound if equation.op is greater_equal else -bound
        return (index, length) if length > 0 else None

    def _moves(self, equation: Equation) -> tuple[tuple[Var, int], Var] | None:
        """The index and the length, and what is counted from the beginning: `x + n if x < 0 else x`."""
        if equation.op is not select:
            return None
        (test, sum), index = map(self._maker, equation.inputs[:2]), equation.inputs[2]
        if test is None or sum is None or test.op is not less or sum.op is not add or not isinstance(index, Var):
            return None
        length = _number(sum.inputs[1])
        if test.inputs[0] is not index or _number(test.inputs[1]) != 0 or sum.inputs[0] is not index or not length:
            return None
        return ((index, length), equation.outputs[0]) if length > 0 else None


_PARTS = (add, select, greater_equal, less, logical_and, logical_or)


def _number(atom: Atom) -> int | None:
    """A constant int; None for what is none."""
    if not isinstance(atom, Literal) or atom.type.shape or atom.type.dtype.kind != "i":
        return None
    return int(atom.value)
