"""Ways out of loops: the branches of a condition in a step after which there are no more steps, as after `break`.

The code of a step says how it is left, by a number that the loop goes on below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.ops.control import FOR_UNTIL, WHILE
from anabranch.runtime.ops.elementwise.comparison import greater_equal, less, logical_and, logical_or
from anabranch.runtime.ops.structured import carries


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
