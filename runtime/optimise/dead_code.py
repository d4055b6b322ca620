"""Drops what nothing needs: equations, results of branches, carries of loops.

Failures, writes and the count of effects are outputs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from anabranch.runtime.ir import Atom, Equation, Program, Var


def drop_dead_code(program: Program) -> Program:
    """The Program without what is dead, also inside sub-Programs."""
    needed = _variables(program.outputs)
    kept: list[Equation] = []
    for equation in reversed(program.equations):
        if needed.isdisjoint(equation.outputs):
            continue
        equation = _NARROWED.get(equation.op.name, _as_it_is)(equation, [out in needed for out in equation.outputs])
        equation = equation.with_programs(drop_dead_code)
        kept.append(equation)
        needed |= _variables(equation.inputs)
    return dataclasses.replace(program, equations=tuple(reversed(kept)))


def _variables(atoms: Iterable[Atom]) -> set[Var]:
    return {a for a in atoms if isinstance(a, Var)}


def _as_it_is(equation: Equation, live: Sequence[bool]) -> Equation:
    return equation


def _branches(equation: Equation, live: Sequence[bool]) -> Equation:
    """A `cond` or `switch` without the results that are not live."""
    if all(live):
        return equation
    narrowed = equation.with_programs(lambda p: dataclasses.replace(p, outputs=_chosen(p.outputs, live)))
    return dataclasses.replace(narrowed, outputs=_chosen(equation.outputs, live))


def _while(equation: Equation, live: Sequence[bool]) -> Equation:
    """A `while` without the carries that are not live."""
    if all(live):
        return equation
    test, body, consts = (equation.params[name] for name in ("test", "body", "consts"))
    looked_at = _needed_inputs(test)
    live = [alive or v in looked_at for alive, v in zip(live, test.inputs[consts:], strict=True)]
    live = _live_carries(body, body.inputs[consts:], live)
    if all(live):
        return equation
    every = [True] * consts + live
    return dataclasses.replace(
        equation,
        inputs=_chosen(equation.inputs, every),
        outputs=_chosen(equation.outputs, live),
        params={
            **equation.params,
            "test": dataclasses.replace(test, inputs=_chosen(test.inputs, every)),
            "body": dataclasses.replace(body, inputs=_chosen(body.inputs, every), outputs=_chosen(body.outputs, live)),
        },
    )


def _for(equation: Equation, live: Sequence[bool]) -> Equation:
    """A `for` without the carries that are not live; what it stacks stays."""
    body, consts, carries = (equation.params[name] for name in ("body", "consts", "carries"))
    stacked = [True] * (len(body.outputs) - carries)
    first = consts + 1
    alive = _live_carries(body, body.inputs[first : first + carries], [*live[:carries], *stacked])[:carries]
    if all(alive):
        return equation
    # The trip count and the constants stand before the carries, and in the body the constants and the index.
    every = [*[True] * first, *alive, *[True] * (len(body.inputs) - first - carries)]
    return dataclasses.replace(
        equation,
        inputs=_chosen(equation.inputs, every),
        outputs=_chosen(equation.outputs, [*alive, *stacked]),
        params={
            **equation.params,
            "carries": sum(alive),
            "body": dataclasses.replace(
                body, inputs=_chosen(body.inputs, every), outputs=_chosen(body.outputs, [*alive, *stacked])
            ),
        },
    )


def _live_carries(body: Program, carries: Sequence[Var], live: Sequence[bool]) -> list[bool]:
    """Which outputs of a loop's body are live, if these are: what they are computed from is, too."""
    live = list(live)
    while not all(live):
        used = _needed_inputs(dataclasses.replace(body, outputs=_chosen(body.outputs, live)))
        wider = [alive or (i < len(carries) and carries[i] in used) for i, alive in enumerate(live)]
        if wider == live:
            break
        live = wider
    return live


def _needed_inputs(program: Program) -> set[Var]:
    """The inputs that some output is computed from."""
    program = drop_dead_code(program)
    used = _variables(program.outputs).union(*(_variables(e.inputs) for e in program.equations))
    return used.intersection(program.inputs)


def _chosen(items: Sequence[Any], which: Sequence[bool]) -> tuple[Any, ...]:
    return tuple([item for item, is_chosen in zip(items, which, strict=True) if is_chosen])


_NARROWED = {"cond": _branches, "switch": _branches, "while": _while, "for": _for}
