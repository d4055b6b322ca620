"""Members of enumerations that are known only at run time: by their value, by their name, and as numbers and texts."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum

import numpy as np
import pytest

from anabranch import jit
from tests.program_table import Program, Table

case = Table()


class Operation(IntEnum):
    PUSH = 0
    ADD = 1
    MULTIPLY = 3


class Level(Enum):
    INFO = "info"
    WARNING = "warning"
    NUMBER = 3


class Day(StrEnum):
    MON = "mon"
    TUE = "tue"


CODES = np.array([0, 1, 3, 0])
LINES = np.array(["info started", "warning hot", "info done"])


@case((CODES,), (CODES[:0],), (np.array([1.0, 3.0]),))
def by_value(codes):
    stack = [2]
    for code in codes:
        match Operation(code):
            case Operation.PUSH:
                stack.append(5)
            case Operation.ADD:
                stack.append(sum(stack))
            case Operation.MULTIPLY:
                stack.append(stack[-1] * 3)
    return stack


@case((np.array([0, 1, 7, -1]),))
def by_value_that_may_be_none(codes):
    found = []
    for code in codes:
        try:
            found.append(Operation(int(code)).name)
        except ValueError as error:
            found.append(str(error))
    return found


@case((CODES, 1), (CODES, 0))
def members_by_value_of_members(codes, k):
    operation = Operation(codes[k])
    return Operation(operation), Operation(operation) is operation, Operation(codes[k] == codes[0])


@case((LINES,))
def by_text(lines):
    count = {}
    for line in lines:
        level = Level(line.split()[0])
        count[level] = count.get(level, 0) + 1
    return count, [Level(line.split()[0]).name for line in lines]


@case((np.array(["INFO 1", "NUMBER 2"]),), (np.array(["INFO 1", "NOTHING 2"]),))
def by_name(lines):
    return [Level[line.split()[0]].value for line in lines]


@case((1,), (-1,))
def by_name_that_a_condition_chose(k):
    day = Day.MON if k > 0 else Day.TUE
    return Day(day), Day[day.name], Day[day.name] is day


@case((np.array([3, 3]),))
def local_enumeration(codes):
    class Kind(Enum):
        FIRST = 1
        THIRD = 3

    return [Kind(code) is Kind.THIRD for code in codes]


@case((CODES[:2],), (CODES[1:2],))
def in_tables(codes):
    names, operations, levels = [], [], {0: Level.INFO, 1: Level.NUMBER}
    for code in codes:
        names.append(levels[code].name)
        operations.append((Operation.PUSH, Operation.ADD)[code])
    days = [(Day.MON, Day.TUE)[code] for code in codes]
    return names, operations, sorted(operations), sum(operations), np.array(operations), days, ",".join(days)


def _last(codes):
    state = Operation.PUSH
    for code in codes:
        if state is Operation.PUSH and code == 1:
            state = Operation.ADD
        elif state == Operation.ADD and code == 0:
            state = Operation.PUSH
    return state


@case((CODES[:2],), (CODES[:1],))
def as_numbers(codes):
    state = _last(codes)
    table = np.array([[1, 2], [3, 4]])
    table[state, 1] += 10
    return (
        [5, 6][state], table, table[state], range(state), [0] * state, max(state, Operation.PUSH), np.full(2, state),
        np.maximum(state, table), list(range(state + 1)),
    )  # fmt: skip


@pytest.mark.parametrize("program", case.programs)
def test_enumerations(program: Program) -> None:
    program.check()


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (by_value, np.array([0, 2])),
        (by_value, np.array([1.0, 0.5])),
        (by_text, np.array(["info x", "error y"])),
        (local_enumeration, np.array([3, 4])),
    ],
)
def test_values_of_no_member(function, values) -> None:
    with pytest.raises(ValueError, match="is not a valid") as eager:
        function(values)
    with pytest.raises(ValueError, match="is not a valid") as jitted:
        jit(function)(values)
    assert str(jitted.value) == str(eager.value)
