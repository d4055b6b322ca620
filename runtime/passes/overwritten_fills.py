"""Overwritten fills: what a loop writes in all its places before it is read is not filled first.

`out = np.empty(n)`, and a loop that sets each `out[i]`: the zeros would cost a pass over memory.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ir.rewrite import in_sub_programs, with_equations
from anabranch.runtime.ops.buffers import undef
from anabranch.runtime.ops.control import FOR
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_FILL, _UPDATE = OPS["broadcast_in_dim"], OPS["dynamic_update_slice"]


@in_sub_programs
def drop_overwritten_fills(program: Program) -> Program:
    """The Program, and its sub-Programs, with undefined arrays in place of such fills."""
    fills = {e.outputs[0] for e in program.equations if _is_fill(e)}
    if not fills:
        return program
    uses = _uses(program)
    dropped = {
        value
        for e in program.equations
        for place, value in _carries(e)
        if isinstance(value, Var) and value in fills and uses[value] == 1 and _writes_all(e, place, {})
    }
    return with_equations(program, [_undefined(e) if e.outputs[0] in dropped else e for e in program.equations])


def _is_fill(equation: Equation) -> bool:
    return (
        equation.op is _FILL
        and isinstance(equation.inputs[0], Literal)
        and equation.outputs[0].type.size > MOST_ELEMENTS
    )


def _undefined(equation: Equation) -> Equation:
    (out,) = equation.outputs
    params = {"shape": out.type.shape, "dtype": out.type.dtype}
    return dataclasses.replace(equation, op=undef, inputs=(), params=params)


def _uses(program: Program) -> collections.Counter[Atom]:
    return collections.Counter([*(a for e in program.equations for a in e.inputs), *program.outputs])


def _carries(equation: Equation) -> list[tuple[int, Atom]]:
    """The carries of a loop of a known number of steps, by number, with their initial values."""
    if equation.op is not FOR or not equation.params["length"]:
        return []
    first = 1 + equation.params["consts"]
    return list(enumerate(equation.inputs[first : first + equation.params["carries"]]))


def _writes_all(loop: Equation, carry: int, counters: Mapping[Atom, int]) -> bool:
    """Return whether a loop writes to each place of a carry, which nothing reads meanwhile.

    Parameters
    ----------
    counters
        By the operands that are counters of loops around it, how many steps those have.
    """
    body, consts = loop.params["body"], loop.params["consts"]
    uses, formal, last = _uses(body), body.inputs[consts + 1 + carry], body.outputs[carry]
    if uses[formal] != 1 or uses[last] != 1:
        return False
    operands = loop.inputs[1 : 1 + consts]
    known = {v: counters[a] for v, a in zip(body.inputs, operands, strict=False) if a in counters}
    known[body.inputs[consts]] = loop.params["length"]
    found = next((e for e in body.equations if formal in e.inputs), None)
    if found is None or last not in found.outputs:
        return False
    if found.op is _UPDATE:
        return found.inputs[0] is formal and _is_everywhere(found, known)
    places = [place for place, value in _carries(found) if value is formal]
    return bool(places) and found.outputs[places[0]] is last and _writes_all(found, places[0], known)


def _is_everywhere(update: Equation, counters: Mapping[Atom, int]) -> bool:
    """Return whether the blocks of an update make all of the array while the counters take all their values."""
    array, block, *starts = update.inputs
    seen: set[Atom] = set()
    for size, length, start in zip(array.type.shape, block.type.shape, starts, strict=True):
        if length == size and isinstance(start, Literal):
            continue
        if length != 1 or start in seen or counters.get(start) != size:
            return False
        seen.add(start)
    return True
