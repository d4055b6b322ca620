"""How long a Program runs at most, as far as its loops say how often they run."""

from __future__ import annotations

import math
from collections.abc import Mapping

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.op import Work
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.control import For
from anabranch.runtime.ops.dot_general import Contraction, dot_general
from anabranch.runtime.ops.indexing import dynamic_slice
from anabranch.runtime.ops.library_ufuncs import library_ufunc
from anabranch.runtime.ops.op import PartOp
from anabranch.runtime.ops.structured import Branches, Loop
from anabranch.runtime.ops.windowed_reduce import windowed_reduce
from anabranch.runtime.ops.windowed_update import windowed_update

# What an element counts that takes more than a few instructions, one that is read at a position known only at run time,
# and one of which a library's function is called.
_MUCH, _READ, _LIBRARYS = 2**5, 2**3, 2**10
# From how many steps on a bound says nothing, and how many there may well be then.
_ANY_STEPS, _SOME_STEPS = 2**32, 2**6


def most_work(program: Program, ranges: Mapping[Var, Interval]) -> float:
    """The most operations on single elements that a Program takes; infinite where nothing says how many."""
    return sum([_work(equation, ranges, math.inf) for equation in program.equations])


def likely_work(program: Program, ranges: Mapping[Var, Interval]) -> float:
    """As many operations as a Program may well take: loops that may run any number of times run some."""
    return sum([_work(equation, ranges, _SOME_STEPS) for equation in program.equations])


def _work(equation: Equation, ranges: Mapping[Var, Interval], some: float) -> float:
    """The operations of an equation, where a loop of which nothing says how often it runs does so `some` times."""
    op = equation.op
    programs = [sum([_work(inner, ranges, some) for inner in program.equations]) for program in equation.programs()]
    if isinstance(op, Branches):
        return 1 + max(programs)
    if isinstance(op, Loop):
        trips = most_trips(equation.inputs[0], ranges) if isinstance(op, For) else math.inf
        trips = trips if trips < _ANY_STEPS else some
        return trips and trips * (1 + sum(programs))
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
