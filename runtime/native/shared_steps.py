"""Loops of a Program of which several threads take steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Equation, Program, Var
from anabranch.runtime.native.affine import Affine, Span
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.durations import likely_work, most_trips
from anabranch.runtime.native.element_loops import ElementLoops
from anabranch.runtime.native.failures import FailureValues
from anabranch.runtime.native.independent_steps import are_independent
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.lazy_arrays import LazyArrays
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.memory_flow import Steps
from anabranch.runtime.native.shares import is_enough
from anabranch.runtime.native.values import is_memory
from anabranch.runtime.ops.control import For


class ProgramWriter(Protocol):
    """A writer of the loop's body."""

    code: Instructions
    memory: Memory
    arrays: LazyArrays
    stores: ArrayStores

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Write a Program; returns the names of its outputs."""


def are_shared(equation: Equation, ranges: Mapping[Var, Interval], failures: FailureValues) -> bool:
    """Return whether threads share the steps of a loop: they are independent, take long enough, and none can fail."""
    if type(equation.op) is not For or any(map(failures.is_code, equation.inputs)):
        return False
    steps = most_trips(equation.inputs[0], ranges)
    return is_enough(steps * likely_work(equation.params["body"], ranges)) and are_independent(equation, steps, ranges)


def shared_steps(writer: ProgramWriter, equation: Equation, names: Sequence[str]) -> list[str]:
    """Write a loop of which threads share the steps; returns the names of its results."""
    body, consts = equation.params["body"], equation.params["consts"]
    memory, shares = writer.memory, writer.code.shares
    work = likely_work(body, memory.ranges.intervals)
    positions, loops = writer.arrays.positions, ElementLoops(writer.arrays)
    trip, fixed, state = names[0], names[1 : 1 + consts], names[1 + consts :]
    steps = Steps(memory, writer.stores, state, [atom.type for atom in equation.inputs[1 + consts :]])
    shared = {memory.number(name) for name in state if is_memory(name)}
    with writer.stores.of_each_thread(shared), shares.over("0", trip, work) as (begin, stop):
        span = Span((positions.of(begin), Affine(0)), (positions.of(stop), positions.of(trip)))
        with loops.counted(begin, stop, span) as index:
            after = steps.close(writer.program(body, [*fixed, positions.value(index), *steps.entry]))
    if any(one != entry for one, entry in zip(after, steps.entry, strict=True) if not is_memory(entry)):
        raise NotNativeError("a number that each of several threads changes")
    return steps.results(steps.entry)
