"""Column storage: a matrix of which the steps of loops read and write columns is transposed once, before the loops.

`for j in range(n): for k in range(n): r[k, j] = q[:, k] @ a[:, j]` reads each element from another line of memory,
with as much from around it, and no vector instruction loads more than one. Within the loops the matrices are the
transposed ones, whose rows lie side by side, and those that have changed are transposed back after them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, rewrite, substitute
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.shape import reshape, transpose
from anabranch.runtime.ops.structured import Loop, StructuredOp
from anabranch.runtime.passes.matrix_accesses import Accesses, Use, is_part, size
from anabranch.runtime.passes.range_analysis import value_ranges

# How much more often each element has to be read along a column than along a row, for each transposition.
_OFTEN: Final = 4
# More steps are not taken for likely.
_ANY_STEPS: Final = 2.0**32


def store_columns(program: Program) -> Program:
    """The Program with matrices transposed before the loops that read columns of them, also inside sub-Programs."""
    if not _has_columns(program) or _stored(program, Accesses(_most_trips)) is program:
        return program
    ranges = value_ranges(program)

    def likely(trip: Atom) -> float:
        known = ranges.get(trip) if isinstance(trip, Var) else None
        if known is not None:
            return max((known.low + known.high) / 2, 0) if known.high < _ANY_STEPS else 1
        return _most_trips(trip) if isinstance(trip, Literal) else 1

    return _stored(program, Accesses(likely))


def _most_trips(trip: Atom) -> float:
    return max(int(trip.value), 0) if isinstance(trip, Literal) else math.inf


def _has_columns(program: Program, within: bool = False) -> bool:
    """Return whether a part of a matrix is read or written in some loop."""
    if within and any(map(is_part, program.equations)):
        return True
    return any(_has_columns(p, within or isinstance(e.op, Loop)) for e in program.equations for p in e.programs())


def _stored(program: Program, accesses: Accesses) -> Program:
    """The Program with those matrices transposed of which that is worth it, before the outermost loops first."""

    def of_loop(equation: Equation, block: Block) -> Sequence[Atom] | None:
        worth = _worth(equation, accesses) if isinstance(equation.op, Loop) else {}
        loop = equation
        if worth:
            given = {i: block.emit(transpose, equation.inputs[i], axes=(1, 0)) for i in worth}
            loop = _of_transposed(equation, given, accesses)
        loop = loop.with_programs(lambda p: _stored(p, accesses))
        if loop is equation:
            return None
        block.append(loop)
        changed = frozenset[int]().union(*(use.results for use in worth.values()))
        return [block.emit(transpose, v, axes=(1, 0)) if i in changed else v for i, v in enumerate(loop.outputs)]

    return rewrite(program, of_loop)


def _worth(loop: Equation, accesses: Accesses) -> dict[int, Use]:
    """The operands of a loop that are matrices of which enough columns are read and written."""
    found = {}
    for operand, use in accesses.of_operands(loop).items():
        transpositions = 2 if use.results else 1
        if use.columns - use.rows >= _OFTEN * transpositions * loop.inputs[operand].type.size:
            found[operand] = use
    return found


def _of_transposed(equation: Equation, given: Mapping[int, Atom], accesses: Accesses) -> Equation:
    """The loop or branch of operands that are given transposed."""
    op = equation.op
    assert isinstance(op, StructuredOp)
    uses, slots = accesses.of_operands(equation), op.slots(equation)
    formals = {s.formal for s in slots if s.operand in given}
    programs = [_transposed(program, formals, accesses) for program in equation.programs()]
    results = frozenset[int]().union(*(uses[operand].results for operand in given))
    return dataclasses.replace(
        equation,
        inputs=tuple([given.get(i, a) for i, a in enumerate(equation.inputs)]),
        params=op.rebuilt(equation.params, programs, slots),
        outputs=tuple([_other_way(v) if i in results else v for i, v in enumerate(equation.outputs)]),
    )


def _other_way(matrix: Var) -> Var:
    return Var(ArrayType(matrix.type.shape[::-1], matrix.type.dtype))


def _transposed(program: Program, formals: Collection[int | None], accesses: Accesses) -> Program:
    """A sub-Program some inputs of which are transposed."""
    inputs = tuple([_other_way(v) if i in formals else v for i, v in enumerate(program.inputs)])
    block = _Transposed(accesses, dict(zip(program.inputs, inputs, strict=True)))
    for equation in program.equations:
        block.add(substitute(equation, block.names))
    outputs = tuple([block.matrices.get(v, block.read(v)) for v in program.outputs])
    return dataclasses.replace(program, inputs=inputs, equations=tuple(block.equations), outputs=outputs)


class _Transposed(Block):
    """A sub-Program under construction in which matrices are the transposed ones."""

    def __init__(self, accesses: Accesses, inputs: Mapping[Atom, Var]) -> None:
        super().__init__()
        self._accesses = accesses
        self.matrices: dict[Atom, Var] = {old: new for old, new in inputs.items() if old is not new}
        self._read: dict[Atom, Var] = {}  # the part of a transposed matrix that a part is

    def add(self, equation: Equation) -> None:
        """Add an equation of the older Program."""
        inputs, source = equation.inputs, equation.source
        if equation.op is reshape and inputs[0] in self._read:
            part = self._read[inputs[0]]
            self.names[equation.outputs[0]] = self.emit(reshape, part, source=source, shape=equation.params["shape"])
        elif self.matrices.keys().isdisjoint(inputs):
            self.append(equation)
        elif is_part(equation):
            self._add_part(equation)
        else:
            given = {i: self.matrices[a] for i, a in enumerate(inputs) if a in self.matrices}
            instead = _of_transposed(equation, given, self._accesses)
            self.append(instead)
            changed = zip(equation.outputs, instead.outputs, strict=True)
            self.matrices.update((old, new) for old, new in changed if old is not new)

    def _add_part(self, equation: Equation) -> None:
        matrix, *others = equation.inputs
        *update, i, j = others
        shape, source = size(equation), equation.source
        if update:
            row = self.emit(reshape, *update, source=source, shape=shape[::-1]) if shape != (1, 1) else update[0]
            after = self.emit(dynamic_update_slice, self.matrices[matrix], row, j, i, source=source)
            self.matrices[equation.outputs[0]] = after
            return
        part = self.emit(dynamic_slice, self.matrices[matrix], j, i, source=source, sizes=shape[::-1])
        instead = self.emit(reshape, part, source=source, shape=shape)
        self._read[instead] = part
        self.names[equation.outputs[0]] = instead
