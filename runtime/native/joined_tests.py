"""Tests joined by `and` and `or` in the steps of inner loops: all parts are computed, where that takes little.

A part that reads elements is a branch, since Python may not look at it. In a loop over elements LLVM makes no vectors
of such branches, and the processor cannot foresee them. What is read is at positions that the step reads from anyway,
so that no more has to be known of these; and an op is total, so that what is not asked for changes nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, rewrite, substitute
from anabranch.runtime.ops.control import COND, FOR, FOR_UNTIL
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import OPS as COMPARISONS
from anabranch.runtime.ops.structured import has_loops
from anabranch.runtime.ops.table import OPS

_READ = OPS["dynamic_slice"]
_CHEAP = frozenset(
    OPS[name]
    for name in [
        "add", "subtract", "multiply", "negative", "absolute", "bitwise_and", "bitwise_or",
        "bitwise_xor", "invert", "select", "convert", "reshape",
    ]
).union(COMPARISONS)  # fmt: skip
# How many operations the parts have at most, and how many elements they read.
_MOST, _MOST_READ = 32, 6
# How long the axes are that elements are read from, by the positions in them.
_Positions: TypeAlias = dict[Atom, set[int]]


@in_sub_programs
def with_joined_tests(program: Program) -> Program:
    """The Program in which inner loops compute all parts of such tests."""
    return rewrite(program, _loop)


def _loop(equation: Equation, block: Block) -> Sequence[Atom] | None:
    if equation.op not in (FOR, FOR_UNTIL):
        return None
    body: Program = equation.params["body"]
    if has_loops(body.equations) or (equation.op is FOR_UNTIL and not _is_known(body, body.outputs[0])):
        return None
    joined = equation.with_programs(lambda body: _joined(body, {}))
    if joined.params["body"] is body:
        return None
    block.append(joined)
    return joined.outputs


def _is_known(program: Program, atom: Atom) -> bool:
    """Return whether a value is computed from nothing but constants."""
    makers = [e for e in program.equations if atom in e.outputs]
    return isinstance(atom, Literal) or any(all(isinstance(a, Literal) for a in e.inputs) for e in makers)


def _joined(program: Program, positions: _Positions) -> Program:
    """The Program with the tests in it joined; adds the positions that it reads from in any case."""
    block = Block()
    for old in program.equations:
        equation = substitute(old, block.names)
        if equation.op is COND:
            operands = equation.inputs[1:]
            inside = functools.partial(_joined_within, operands=operands, positions=positions)
            equation = equation.with_programs(inside)
            if _is_part(equation, positions):
                start = len(block.equations)
                sides = [block.inline(p, operands) for p in equation.programs()]
                (first,), (second,) = sides
                made = block.emit(select, equation.inputs[0], first, second, source=equation.source)
                block.names[equation.outputs[0]] = made
                for each in block.equations[start:]:
                    _note(each, positions)
                continue
        _note(equation, positions)
        block.append(equation)
    return block.replaces(program)


def _joined_within(program: Program, operands: Sequence[Atom], positions: _Positions) -> Program:
    """The same for a branch."""
    return _joined(program, _within(program, operands, positions))


def _within(program: Program, operands: Sequence[Atom], positions: _Positions) -> _Positions:
    """The positions as a branch has them."""
    pairs = zip(program.inputs, operands, strict=True)
    return {formal: set(positions[operand]) for formal, operand in pairs if operand in positions}


def _places(equation: Equation) -> Iterator[tuple[Atom, int]]:
    """The positions in which an equation reads an element, each with the length of its axis."""
    if equation.op is _READ:
        array, *starts = equation.inputs
        yield from ((at, n) for at, n in zip(starts, array.type.shape, strict=True) if not isinstance(at, Literal))


def _note(equation: Equation, positions: _Positions) -> None:
    for at, length in _places(equation):
        positions.setdefault(at, set()).add(length)


def _is_part(equation: Equation, positions: _Positions) -> bool:
    """Return whether a condition gives a bool, of which one way is known and the other takes little to compute."""
    if len(equation.outputs) != 1 or equation.outputs[0].type.shape or equation.outputs[0].type.dtype.kind != "b":
        return False
    programs = list(equation.programs())
    if all(program.equations for program in programs):
        return False
    count = read = 0
    for program in programs:
        known = _within(program, equation.inputs[1:], positions)
        for each in program.equations:
            if any(out.type.size != 1 for out in each.outputs):
                return False
            if each.op is _READ and all(n in known.get(at, ()) for at, n in _places(each)):
                read += 1
            elif each.op not in _CHEAP:
                return False
            _note(each, known)
            count += 1
    return 0 < read <= _MOST_READ and count <= _MOST
