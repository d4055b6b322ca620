"""How long a Program runs at most, as far as its loops say how often they run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.op import Op, Work
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.control import COND, FOR_UNTIL, SWITCH, WHILE, For
from anabranch.runtime.ops.dot_general import Contraction, dot_general
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.bits import bitwise_and
from anabranch.runtime.ops.elementwise.casts import convert_op
from anabranch.runtime.ops.elementwise.comparison import (
    greater,
    greater_equal,
    less,
    logical_and,
    logical_or,
    not_equal,
)
from anabranch.runtime.ops.indexing import dynamic_slice
from anabranch.runtime.ops.library_ufuncs import library_ufunc
from anabranch.runtime.ops.op import PartOp
from anabranch.runtime.ops.structured import Branches, Loop, carries
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.ops.windowed_reduce import windowed_reduce
from anabranch.runtime.ops.windowed_update import windowed_update


def loop_ends(equation: Equation) -> dict[Atom, int]:
    """The ints of a loop's body, and from which number on there is no other step, whatever else a step leaves."""
    body: Program = equation.params["body"]
    if equation.op is FOR_UNTIL:
        return dict(_compared(body, body.outputs[0], logical_or, greater_equal))
    if equation.op is not WHILE:
        return {}
    test: Program = equation.params["test"]
    yielded = {
        test.inputs[slot.formal]: body.outputs[slot.yielded]
        for _, slot in carries(equation)
        if slot.formal is not None and slot.yielded is not None
    }
    found = {yielded[a]: number for a, number in _compared(test, test.outputs[0], logical_and, less) if a in yielded}
    for said in _parts(test, test.outputs[0], logical_and):
        if said in yielded:  # the step itself says whether there is another one
            found.update(_compared(body, yielded[said], logical_and, less))
    return found


def last_way(equation: Equation, ends: Mapping[Atom, int]) -> int | None:
    """The branch of a condition after which a loop ends; None where there is none, or no other one."""
    programs = list(equation.programs())
    last = [
        place
        for place, program in enumerate(programs)
        if any(
            out in ends and (number := number_of(result)) is not None and number >= ends[out]
            for out, result in zip(equation.outputs, program.outputs, strict=True)
        )
    ]
    return last[0] if len(last) == 1 and len(programs) == 2 else None


def number_of(atom: Atom) -> int | None:
    """A constant int; None for any other value."""
    if not isinstance(atom, Literal) or atom.type.shape or atom.type.dtype.kind not in "iu":
        return None
    return int(atom.value)


def _compared(program: Program, verdict: Atom, joint: Op, relation: Op) -> Iterator[tuple[Atom, int]]:
    """The value that one of the parts of a verdict compares so with a number."""
    makers: dict[Atom, Equation] = {e.outputs[0]: e for e in program.equations if e.op is relation}
    for part in _parts(program, verdict, joint):
        made = makers.get(part)
        if made is not None and (number := number_of(made.inputs[1])) is not None:
            yield made.inputs[0], number


def _parts(program: Program, verdict: Atom, joint: Op) -> list[Atom]:
    """The bools that a verdict is made of by `and`, or by `or`."""
    makers: dict[Atom, Equation] = {e.outputs[0]: e for e in program.equations if e.op is joint}
    found = [verdict]
    for atom in found:
        made = makers.get(atom)
        found += [] if made is None else made.inputs
    return found


# What an element counts that takes more than a few instructions, one that is read at a position known only at run time,
# and one of which a library's function is called.
_MUCH, _READ, _LIBRARYS = 2**5, 2**3, 2**10
# From how many steps on a bound says nothing, and how many there may well be then.
_ANY_STEPS, _SOME_STEPS = 2**32, 2**6


def work_of(equation: Equation, ranges: Mapping[Var, Interval], found: dict[Equation, float]) -> float:
    """The most operations of a loop; infinite where nothing says how many. Those of loops in it are `found`, too."""
    return found[equation] if equation in found else _work(equation, ranges, math.inf, found)


def most_work(program: Program, ranges: Mapping[Var, Interval]) -> float:
    """The most operations on single elements that a Program takes; infinite where nothing says how many."""
    return sum([_work(equation, ranges, math.inf) for equation in program.equations])


def likely_work(program: Program, ranges: Mapping[Var, Interval]) -> float:
    """As many operations as a Program may well take: loops that may run any number of times run some."""
    return sum([_work(equation, ranges, _SOME_STEPS) for equation in program.equations])


def _work(
    equation: Equation, ranges: Mapping[Var, Interval], some: float, found: dict[Equation, float] | None = None
) -> float:
    """The operations of an equation, where a loop of which nothing says how often it runs does so `some` times."""
    op, found = equation.op, {} if found is None else found
    programs = [sum([_work(e, ranges, some, found) for e in program.equations]) for program in equation.programs()]
    if isinstance(op, Branches):
        return 1 + max(programs)
    if isinstance(op, Loop):
        # Most of the loops that may end early do.
        trips = (
            most_trips(equation.inputs[0], ranges) if isinstance(op, For) else min(some, _most_steps(equation, ranges))
        )
        trips = trips if trips < _ANY_STEPS else some
        found[equation] = trips and trips * (1 + sum(programs))
        return found[equation]
    if op is dot_general:
        contraction = Contraction.of(equation)
        return contraction.work * math.prod(contraction.stack)
    if op in (windowed_update, windowed_reduce):
        length: int = equation.params["length"]
        return length * (1 + len(equation.params["body"].equations))
    if op.is_view:
        return 1
    if op.update is not None:
        return equation.inputs[op.update].type.size
    read = () if isinstance(op, PartOp) else equation.inputs
    size = max([x.type.size for x in (*read, *equation.outputs)], default=1)
    if op is library_ufunc:
        return size * _LIBRARYS
    return size * (_READ if op is dynamic_slice else 1 if op.work is Work.LITTLE else _MUCH)


def most_trips(trip: Atom, ranges: Mapping[Var, Interval]) -> float:
    """The most steps of a `for` with this trip count; infinite where nothing says how many."""
    if isinstance(trip, Literal):
        return max(int(trip.value), 0)
    known = ranges.get(trip)
    return math.inf if known is None else max(known.high, 0)


def _most_steps(equation: Equation, ranges: Mapping[Var, Interval]) -> float:
    """The most steps of a `while`; infinite where nothing says how many."""
    return min(_most_halvings(equation, ranges), _most_counted(equation, ranges))


def _most_counted(equation: Equation, ranges: Mapping[Var, Interval]) -> float:
    """The most steps of a `while` by a carry that each step adds a number to, and that lies in a known range."""
    body, most = equation.params["body"], math.inf
    makers: dict[Atom, Equation] = {
        out: e for e in body.equations for out in e.outputs if e.op in (add, subtract, COND, SWITCH)
    }
    ends = loop_ends(equation)
    for _, slot in carries(equation):
        if slot.formal is None or slot.yielded is None or (known := ranges.get(body.inputs[slot.formal])) is None:
            continue
        number = _added(body.outputs[slot.yielded], body.inputs[slot.formal], makers, ends)
        if number:
            most = min(most, (known.high - known.low) // abs(number) + 1)
    return most


def _added(after: Atom, x: Atom, makers: Mapping[Atom, Equation], ends: Mapping[Atom, int]) -> int | None:
    """The number that is added to a value in each step, or the least in size of several; None where that is unknown."""
    made = makers.get(after)
    if made is None or made.op in (add, subtract):
        return None if made is None or made.inputs[0] is not x else number_of(made.inputs[1])
    found: list[int | None] = []
    last = last_way(made, ends)
    for place, program in enumerate(made.programs()):
        if place == last:
            continue
        inner: dict[Atom, Equation] = {e.outputs[0]: e for e in program.equations if e.op in (add, subtract)}
        result = next(r for out, r in zip(made.outputs, program.outputs, strict=True) if out is after)
        formals = [f for f, operand in zip(program.inputs, made.inputs[1:], strict=True) if operand is x]
        found += [_added(result, formal, inner, {}) for formal in formals] or [None]
    known = [number for number in found if number]
    is_one_way = len({number > 0 for number in known}) == 1 and len(known) == len(found)
    return min(known, key=abs) if is_one_way else None


def _most_halvings(equation: Equation, ranges: Mapping[Var, Interval]) -> float:
    """The most steps of a `while` that runs for as long as an int has bits left; infinite for others."""
    test, body = equation.params["test"], equation.params["body"]
    asked = dict(_asked_for(test))
    for _, slot in carries(equation):
        if slot.formal is None or slot.yielded is None or test.inputs[slot.formal] not in asked:
            continue
        x, after = body.inputs[slot.formal], body.outputs[slot.yielded]
        known = ranges.get(x)
        is_positive = asked[test.inputs[slot.formal]] or (known is not None and known.low >= 0)
        if any(e.outputs[0] is after and _loses_bits(e, x, body, is_positive) for e in body.equations):
            return float(8 * x.type.dtype.itemsize)
    return math.inf


def _asked_for(test: Program) -> Iterator[tuple[Atom, bool]]:
    """The ints of which the test of a loop says that they are not 0, and whether it says that they are positive."""
    makers = {e.outputs[0]: e for e in test.equations}
    conjuncts: list[Atom] = list(test.outputs)
    for atom in conjuncts:
        made = makers.get(atom) if isinstance(atom, Var) else None
        if made is None:
            continue
        if made.op is logical_and:
            conjuncts += made.inputs
        elif made.op is convert_op or (made.op in (not_equal, greater) and number_of(made.inputs[1]) == 0):
            yield made.inputs[0], made.op is greater


def _loses_bits(made: Equation, x: Var, body: Program, is_positive: bool) -> bool:
    """Return whether an int has fewer bits than before: `x & x - 1`, and `x >> 1`, `x // 2` of what `is_positive`."""
    if made.op is bitwise_and and x in made.inputs:
        others = [a for a in made.inputs if a is not x]
        return any(e.outputs[0] in others and _is_one_less(e, x) for e in body.equations)
    number = (number_of(made.inputs[1]) or 0) if is_positive and len(made.inputs) > 1 and made.inputs[0] is x else 0
    return (made.op is OPS["right_shift"] and number >= 1) or (made.op is OPS["floor_divide"] and number >= 2)


def _is_one_less(made: Equation, x: Var) -> bool:
    return made.op is subtract and made.inputs[0] is x and number_of(made.inputs[1]) == 1
