"""Parts of arguments' arrays that a Program writes to, as new contents of all of them.

XLA writes each part to memory of its own, from where it is copied into the array. Machine code that has the array
itself writes to the part there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.call.plan import ArrayWrite, Plan
from anabranch.runtime.ir.program import Atom, Equation, Literal, OutputGroups, Program, Var
from anabranch.runtime.ops.indexing import dynamic_update_slice, strided_update


def with_whole_writes(plan: Plan, program: Program) -> tuple[Plan, Program]:
    """The Plan and its Program with all of each array that is written to as an output; the same where they are so."""
    if len(plan.whole_writes()) == len(plan.writes):
        return plan, program
    groups = dict(program.groups.named(program.outputs))
    inputs = {leaf: k for k, leaf in enumerate(plan.held(max(plan.mutated) + 1))}
    outputs, equations, contents = iter(groups["writes"]), list(program.equations), dict[int, Atom]()
    for write in plan.writes:
        if write.leaf not in inputs:
            return plan, program
        after, *starts = (next(outputs) for _ in range(1 + write.starts))
        if write.part is not None or starts:
            before = contents.get(write.leaf, program.inputs[inputs[write.leaf]])
            equations.append(_update(write, before, after, starts))
            (after,) = equations[-1].outputs
        contents[write.leaf] = after
    groups["writes"] = list(contents.values())
    found, joined = OutputGroups.joined(**groups)
    whole = dataclasses.replace(program, equations=tuple(equations), outputs=tuple(joined), groups=found)
    return dataclasses.replace(plan, program=whole, writes=tuple(map(ArrayWrite, contents))), whole


def _update(write: ArrayWrite, before: Atom, part: Atom, starts: Sequence[Atom]) -> Equation:
    """The equation that writes a part."""
    bounds = write.part or ()
    if any(step != 1 for _, _, step in bounds):
        first, limits, strides = zip(*bounds, strict=True)
        params = {"starts": first, "limits": limits, "strides": strides}
        return Equation(strided_update, (before, part), params, (Var(before.type),))
    known = starts or [Literal(np.array(first, np.int64)) for first, *_ in bounds]
    return Equation(dynamic_update_slice, (before, part, *known), {}, (Var(before.type),))
