"""Branches and loops of functions of atoms, for operations that no op does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from anabranch.runtime.ir.program import Atom, Literal, Program, Var
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import Builder, building, current

State: TypeAlias = tuple[Atom, ...]


def cond(pred: Atom, on_true: Callable[[State], State], on_false: Callable[[State], State], operands: State) -> State:
    """One of two functions of some values."""
    if isinstance(pred, Literal):
        return (on_true if pred.value else on_false)(operands)
    captured, programs = _programs((on_true, on_false), operands)
    names = dict(zip(("on_true", "on_false"), programs, strict=True))
    return current().bind(OPS["cond"], pred, *captured, *operands, **names)


def while_(test: Callable[[State], Atom], step: Callable[[State], Sequence[Atom]], init: State) -> State:
    """`step` of the state for as long as the test holds of it."""
    captured, programs = _programs((lambda state: (test(state),), step), init)
    names = dict(zip(("test", "body"), programs, strict=True))
    return current().bind(OPS["while"], *captured, *init, **names, consts=len(captured))


def _programs(
    functions: Sequence[Callable[[State], Sequence[Atom]]], operands: State
) -> tuple[list[Var], list[Program]]:
    """Functions of some values as Programs, which all take what one of them captures before those."""
    outer = current()
    parts = [Builder(outer.trace, outer) for _ in functions]
    formals = [tuple(part.formal(a.type) for a in operands) for part in parts]
    outputs: list[tuple[Atom, ...]] = []
    for part, function, given in zip(parts, functions, formals, strict=True):
        with building(part):
            outputs.append(tuple([part.resolve(a) for a in function(given)]))
    captured = list(dict.fromkeys(v for part in parts for v in part.captures))
    for part in parts:
        for var in captured:
            part.resolve(var)
    return captured, [
        part.program((*[part.captures[v] for v in captured], *given), made, "part")
        for part, given, made in zip(parts, formals, outputs, strict=True)
    ]
