"""A loop each step of which may make twice as many things of what there is: refused early, not traced without end."""

from __future__ import annotations

import pytest

from anabranch import StructureMismatchError, jit
from tests.equivalence import check_calls


def machine(program, n):
    stack, pc, steps = [0], 0, 0
    while pc < len(program):
        op, arg = program[pc]
        pc += 1
        steps += 1
        if op == "push":
            stack[-1] = arg
        elif op == "add":
            stack.append(stack[-1] + stack[-1])
        elif op == "jump" and steps < n:
            pc = arg
    return stack


def test_numbers_have_an_end():
    check_calls(machine, ([("push", 1), ("push", 2), ("add", None), ("jump", 0)], 6), ([("push", 1)], 3))


def test_texts_of_texts_are_refused():
    program = [("push", 1), ("push", "a"), ("push", 2), ("add", None), ("jump", 0)]
    compiled = jit(machine)
    compiled([("push", 1), ("push", 2), ("add", None), ("jump", 0)], 6)
    with pytest.raises(StructureMismatchError):
        compiled(program, 6)


def parts(program, n):
    pc, steps, made = 0, 0, []
    while pc < len(program):
        op, *args = program[pc]
        pc += 1
        steps += 1
        if op == "push":
            made.append(args[0])
        elif op == "add2":
            made[-1] += args[0] + args[1]
        elif op == "jump" and steps < n and made[-1] < 3:
            pc = 0
    return made, steps


def test_rows_of_several_lengths_are_unpacked():
    program = [("push", -1.0), ("add2", 1.0, 2.0), ("jump",)]
    check_calls(parts, (program, 5), ([], 1), (program[:1], 3))
