"""Loops whose first or last steps are others than those between: they read around the end, or say so."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import Block, in_sub_programs, renamed, rewrite, substitute
from anabranch.runtime.ops.control import For
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.bits import bitwise_and
from anabranch.runtime.ops.elementwise.casts import select
from anabranch.runtime.ops.elementwise.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from anabranch.runtime.ops.structured import Branches, Loop
from anabranch.runtime.ops.table import OPS

# What holds in two steps holds in those between.
_COMPARISONS = (less, less_equal, greater, greater_equal)
_REMAINDER = OPS["remainder"]
# How many steps there are at least, how many are at an end at most, and how many equations a step has at most.
_LEAST, _MOST_AT_END, _MOST_EQUATIONS = 32, 4, 200
_MOST_OFFSET = 2**32


@frozen
class _Ends:
    """The steps at the ends of a loop, and what is known in those between."""

    # How many steps there are at either end.
    first: int
    last: int
    known: Mapping[Atom, Atom]  # what stands for values in the steps between


@in_sub_programs
def with_wrapped_ends(program: Program) -> Program:
    """The Program with loops of their own for the steps that read around an end."""
    return rewrite(program, _parts)


def _parts(equation: Equation, block: Block) -> Sequence[Atom] | None:
    if type(equation.op) is not For or not isinstance(equation.inputs[0], Literal):
        return None
    length = equation.params["length"]
    if length is None or length < _LEAST or int(equation.inputs[0].value) != length:
        return None
    consts, carries = equation.params["consts"], equation.params["carries"]
    if len(equation.inputs) != 1 + consts + carries or len(equation.outputs) != carries:
        return None
    ends = _ends(equation.params["body"], consts, length)
    if ends is None:
        return None
    state: Sequence[Atom] = equation.inputs[1 + consts :]
    for start, steps, known in (
        (0, ends.first, {}),
        (ends.first, length - ends.first - ends.last, ends.known),
        (length - ends.last, ends.last, {}),
    ):
        if not steps:
            continue
        outputs = tuple([Var(v.type) for v in equation.outputs])
        params = {**equation.params, "body": _from(equation.params["body"], consts, start, known), "length": steps}
        inputs = (Literal(np.array(steps, np.int64)), *equation.inputs[1 : 1 + consts], *state)
        block.append(dataclasses.replace(equation, inputs=inputs, params=params, outputs=outputs))
        state = outputs
    return state


def _from(body: Program, place: int, start: int, known: Mapping[Atom, Atom]) -> Program:
    """The body for steps from one on, with values that are known in these."""
    block, inputs = Block(), list(body.inputs)
    inputs[place] = Var(body.inputs[place].type)
    block.names[body.inputs[place]] = block.emit(add, inputs[place], Literal(np.array(start, np.int64)))
    block.names |= {var: block.read(atom) for var, atom in known.items()}
    for equation in body.equations:
        if not all(var in known for var in equation.outputs) or not equation.outputs:
            block.append(substitute(equation, block.names))
    outputs = tuple(map(block.read, body.outputs))
    return renamed(Program(tuple(inputs), tuple(block.equations), outputs, body.name))


def _ends(body: Program, place: int, length: int) -> _Ends | None:
    """The ends of a loop of so many steps, by the number of a step; None where none of them reads around an end."""
    if len(body.equations) > _MOST_EQUATIONS or any(isinstance(e.op, Loop) for e in body.equations):
        return None
    offsets: dict[Atom, int] = {body.inputs[place]: 0}
    makers: dict[Var, Equation] = {e.outputs[0]: e for e in body.equations if e.outputs}
    first = last = 0
    known: dict[Atom, Atom] = {}
    compared: list[tuple[Equation, int, int]] = []
    for equation in body.equations:
        found = _offset(equation, offsets)
        if found is not None:
            offsets[equation.outputs[0]] = found
        elif equation.op in _COMPARISONS and equation.inputs[0] in offsets:
            bound = _number(equation.inputs[1])
            compared += [] if bound is None else [(equation, offsets[equation.inputs[0]], bound)]
        elif (wrapped := _wrapped(equation, makers, offsets)) is not None:
            index, size = wrapped
            before, after = max(0, -offsets[index]), max(0, length + offsets[index] - size)
            if before <= _MOST_AT_END and after <= _MOST_AT_END:
                first, last = max(first, before), max(last, after)
                known[equation.outputs[0]] = index
    if not first and not last:
        return None
    between = np.array([first, length - last - 1])
    for equation, offset, bound in compared:
        truths = equation.op.evaluate(between + offset, np.int64(bound))[0]
        if truths[0] == truths[1]:
            known[equation.outputs[0]] = Literal(np.asarray(truths[0]))
    return _Ends(first, last, known)


def _offset(equation: Equation, offsets: Mapping[Atom, int]) -> int | None:
    """How much more than the number of the step a value is; None where that is not known."""
    if equation.op not in (add, subtract):
        return None
    for index, other in (equation.inputs, equation.inputs[::-1] if equation.op is add else equation.inputs):
        number = _number(other)
        if index in offsets and number is not None and abs(number) < _MOST_OFFSET:
            return offsets[index] + (number if equation.op is add else -number)
    return None


def _wrapped(
    equation: Equation, makers: Mapping[Var, Equation], offsets: Mapping[Atom, int]
) -> tuple[Atom, int] | None:
    """The index, and the size of what it lies in, of a place that is counted around an end."""
    if equation.op in (_REMAINDER, bitwise_and):
        index, number = equation.inputs[0], _number(equation.inputs[1])
        size = 0 if number is None else number + (equation.op is bitwise_and)
        is_size = size > 0 and (equation.op is _REMAINDER or size & (size - 1) == 0)
        return (index, size) if index in offsets and is_size else None
    if equation.op is not select:
        return None
    test, sum = (makers.get(a) if isinstance(a, Var) else None for a in equation.inputs[:2])
    index = equation.inputs[2]
    if index not in offsets or test is None or sum is None or test.op is not less or sum.op is not add:
        return None
    is_end = test.inputs[0] is sum.inputs[0] is index and _number(test.inputs[1]) == 0
    # An index that is not negative is left as it is, however large.
    return (index, np.iinfo(np.int64).max) if is_end else None


def _number(atom: Atom) -> int | None:
    """A constant int64; None for what is none."""
    if not isinstance(atom, Literal) or atom.type.shape or atom.type.dtype != np.int64:
        return None
    return int(atom.value)


_TESTS = (*_COMPARISONS, equal, not_equal)
# How many steps there are at least of which vectors are worth while, and how many at the end may be others.
_LEAST_STEPS, _LAST = 32, 3


def ends_apart(equation: Equation) -> bool:
    """Return whether a counted loop without loops in it has a condition that the last steps decide otherwise."""
    length = equation.params.get("length")
    if type(equation.op) is not For or length is None or length < _LEAST_STEPS:
        return False
    body: Program = equation.params["body"]
    if not any(isinstance(e.op, Branches) for e in body.equations) or _has_loops(body):
        return False
    steps = (length // 2, *range(length - _LAST, length))
    known = {body.inputs[equation.params["consts"]]: list(map(np.int64, steps))}
    # A test that holds in one step alone, which is not the last, is no end.
    return any(truths[0] != truths[-1] and truths[0] == truths[1] for truths in _truths(body, known))


def _truths(body: Program, known: dict[Var, list[Any]]) -> Iterator[list[Any]]:
    """The outcomes of the tests that choose between ways in these steps, as far as they are of the index alone."""
    choosers = {e.inputs[0] for e in body.equations if isinstance(e.op, Branches)}
    for equation in body.equations:
        if equation.op not in (add, subtract, *_TESTS):
            continue
        values = [value for a in equation.inputs if (value := _steps(a, known)) is not None]
        if len(values) < 2:
            continue
        made = [equation.op.evaluate(x, y)[0] for x, y in zip(*values, strict=True)]
        if equation.op in (add, subtract):
            known[equation.outputs[0]] = made
        elif equation.outputs[0] in choosers:
            yield made


def _steps(atom: Atom, known: Mapping[Var, list[Any]]) -> list[Any] | None:
    if isinstance(atom, Literal):
        return [atom.value] * (_LAST + 1) if atom.type.dtype == np.int64 and not atom.type.shape else None
    return known.get(atom)


def _has_loops(program: Program) -> bool:
    return any(isinstance(e.op, Loop) or any(map(_has_loops, e.programs())) for e in program.equations)
