"""Matrices of which loops read and write rows and columns alone: how often, and where a matrix is passed on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from anabranch.base.frozen import frozen, mutable
from anabranch.runtime.ir.program import Atom, Equation, Program
from anabranch.runtime.ops.control import FOR_UNTIL, For
from anabranch.runtime.ops.indexing import dynamic_slice, dynamic_update_slice
from anabranch.runtime.ops.structured import Branches, Loop, StructuredOp, constants

# What one row or column counts, of which a window may be all that is needed; shorter ones are single elements.
_LONG: Final = 16
# The part of its steps that a loop takes which may end early.
_EARLY: Final = 1 / 8
# Single elements count where the matrix is larger than the nearest caches.
_LARGE_BYTES: Final = 2**17


def is_matrix(atom: Atom) -> bool:
    """Return whether a value has rows and columns of more than one element."""
    return len(atom.type.shape) == 2 and min(atom.type.shape) > 1


def is_part(equation: Equation) -> bool:
    """Return whether an equation reads or writes a row, a column or an element of a matrix."""
    return (
        equation.op in (dynamic_slice, dynamic_update_slice) and is_matrix(equation.inputs[0]) and 1 in size(equation)
    )


def size(equation: Equation) -> tuple[int, ...]:
    """The shape of the part that is read or written."""
    part = equation.outputs[0] if equation.op is dynamic_slice else equation.inputs[1]
    return part.type.shape


@frozen
class Use:
    """How many elements of a matrix are read and written along its columns and its rows, and the results that it is."""

    columns: float
    rows: float
    results: frozenset[int]


@mutable
class _Count:
    """A use that is being counted; `fits` as long as nothing else is done with the matrix."""

    columns: float = 0.0
    rows: float = 0.0
    fits: bool = True


class Accesses:
    """The uses of matrices in the sub-Programs of a Program, each of which is looked through once.

    `trips`: says of the trip count of a loop how many steps it stands for.
    """

    def __init__(self, trips: Callable[[Atom], float]) -> None:
        self._trips = trips
        self._found: dict[Program, list[Use | None]] = {}

    def of_operands(self, equation: Equation, varying: Collection[Atom] = ()) -> dict[int, Use]:
        """The uses of those operands of a loop or branch that are such matrices, with its results that they are.

        `varying` are values that differ from step to step of the loop around it.
        """
        op = equation.op
        assert isinstance(op, StructuredOp)
        slots = op.slots(equation)
        differ = [
            s.formal
            for s in slots[constants(slots) if isinstance(op, Loop) else 0 :]
            if s.formal is not None
            and (isinstance(op, Loop) or s.operand is None or equation.inputs[s.operand] in varying)
        ]
        uses = [self._of_inputs(program, differ) for program in equation.programs()]
        given = {s.operand: s.formal for s in slots if s.operand is not None and s.formal is not None}
        results, lost = self._passed_on(equation, uses)
        found = {}
        for operand, formal in given.items():
            parts = [inputs[formal] for inputs in uses]
            fitting = [p for p in parts if p is not None]
            if len(fitting) == len(parts) and operand not in lost and is_matrix(equation.inputs[operand]):
                times = self._times(equation)
                columns, rows = (
                    _product(times, sum(counts)) for counts in zip(*((p.columns, p.rows) for p in fitting), strict=True)
                )
                found[operand] = Use(columns, rows, frozenset(results.get(operand, ())))
        return found

    def _passed_on(
        self, equation: Equation, uses: list[list[Use | None]]
    ) -> tuple[dict[int, set[int]], set[int | None]]:
        """The results that an operand is, by the operand, and operands that are mixed with other values."""
        op = equation.op
        assert isinstance(op, StructuredOp)
        slots, yielding = op.slots(equation), op.results(equation.params)
        operands = {s.formal: s.operand for s in slots}
        owners = [
            {place: operands[formal] for formal, use in enumerate(inputs) if use for place in use.results}
            for program, inputs in zip(equation.programs(), uses, strict=True)
            if any(program is one for one in yielding)
        ]
        results: dict[int, set[int]] = {}
        lost: set[int | None] = set()
        for slot in slots:
            if slot.yielded is None or slot.result is None:
                continue
            found = {owner.get(slot.yielded) for owner in owners}
            if len(found) > 1 or (isinstance(op, Loop) and found != {slot.operand}):
                lost |= found | {slot.operand}
            elif (owner := found.pop()) is not None:
                results.setdefault(owner, set()).add(slot.result)
        return results, lost

    def _times(self, equation: Equation) -> float:
        """How often a sub-Program runs."""
        if isinstance(equation.op, For):
            trips = self._trips(equation.inputs[0])
            return trips * _EARLY if equation.op is FOR_UNTIL else trips
        return 1 / sum(1 for _ in equation.programs()) if isinstance(equation.op, Branches) else 1

    def _of_inputs(self, program: Program, varying: Collection[int]) -> list[Use | None]:
        if program not in self._found:
            self._found[program] = _Search(self, program, varying).run()
        return self._found[program]


def _product(times: float, count: float) -> float:
    return times * count if count else 0.0


class _Search:
    """One sub-Program that is looked through."""

    def __init__(self, accesses: Accesses, program: Program, varying: Collection[int]) -> None:
        self._accesses, self._program = accesses, program
        self._varying: set[Atom] = {program.inputs[i] for i in varying}
        # The input that a matrix is, perhaps with parts replaced.
        self._roots: dict[Atom, int] = {v: i for i, v in enumerate(program.inputs) if is_matrix(v)}
        self._counts = {i: _Count() for i in self._roots.values()}

    def run(self) -> list[Use | None]:
        """The use of each input, None where it is no matrix or something else is done with it."""
        for equation in self._program.equations:
            if not self._roots.keys().isdisjoint(equation.inputs):
                self._count(equation)
            if not self._varying.isdisjoint(equation.inputs):
                self._varying.update(equation.outputs)
        uses: list[Use | None] = [None] * len(self._program.inputs)
        for i, count in self._counts.items():
            if count.fits:
                results = frozenset(k for k, v in enumerate(self._program.outputs) if self._roots.get(v) == i)
                uses[i] = Use(count.columns, count.rows, results)
        return uses

    def _count(self, equation: Equation) -> None:
        if is_part(equation):
            self._part(equation)
            return
        structured = isinstance(equation.op, StructuredOp)
        uses = self._accesses.of_operands(equation, self._varying) if structured else {}
        for operand, value in enumerate(equation.inputs):
            if value not in self._roots:
                continue
            count, use = self._counts[self._roots[value]], uses.get(operand)
            if use is None:
                count.fits = False
                continue
            count.columns += use.columns
            count.rows += use.rows
            self._roots.update((equation.outputs[k], self._roots[value]) for k in use.results)

    def _part(self, equation: Equation) -> None:
        """A part that is read or written: a long one goes along itself, others as from one step to the next."""
        root = self._roots[equation.inputs[0]]
        count, (down, across) = self._counts[root], size(equation)
        if equation.op is dynamic_update_slice:
            self._roots[equation.outputs[0]] = root
        if max(down, across) > _LONG:
            goes_down, goes_across = down > 1, across > 1
        else:
            goes_down, goes_across = (start in self._varying for start in equation.inputs[-2:])
            if equation.inputs[0].type.nbytes < _LARGE_BYTES:
                return
        if goes_down is not goes_across:
            length = min(max(down, across), _LONG)
            count.columns += length * goes_down
            count.rows += length * goes_across
