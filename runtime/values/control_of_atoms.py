"""Branches and loops of functions of atoms, for operations that no op does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
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


_Step = Callable[[Atom, Sequence[Atom], Sequence[Atom]], tuple[Sequence[Atom], Sequence[Atom]]]


def counted(
    trip: Atom, length: int | None, step: _Step, init: Sequence[Atom], rows: Sequence[Atom] = ()
) -> tuple[Atom, ...]:
    """A counted loop: `step(index, carries, one row of each)` returns the next carries, and one row of each output.

    Parameters
    ----------
    trip
        How many steps there are, an int64.
    length
        The same where it is static: only then may there be rows.
    init
        The carries before the first step.
    rows
        What is gone over along the first axis.

    Returns
    -------
    tuple
        The carries after the last step, then the outputs, stacked.
    """
    outer = current()
    body = Builder(outer.trace, outer)
    index = body.formal(ArrayType((), np.dtype(np.int64)))
    carries = [body.formal(a.type) for a in init]
    slices = [body.formal(ArrayType(r.type.shape[1:], r.type.dtype)) for r in rows]
    with building(body):
        after, stacked = step(index, carries, slices)
        outputs = tuple(body.resolve(a) for a in (*after, *stacked))
    captured = list(body.captures)
    formals = (*(body.captures[v] for v in captured), index, *carries, *slices)
    program = Program(formals, tuple(body.equations), outputs, "body")
    operands = [trip, *captured, *init, *rows]
    return outer.bind(OPS["for"], *operands, body=program, consts=len(captured), carries=len(init), length=length)


def repeated(
    test: Callable[[Sequence[Atom]], Atom], step: Callable[[Sequence[Atom]], Sequence[Atom]], init: Sequence[Atom]
) -> tuple[Atom, ...]:
    """The carries once `test(carries)` is false; until then they become `step(carries)`.

    Neither of the two may fail, or look at what is written elsewhere.
    """
    outer = current()
    builders = []
    results: list[tuple[Atom, ...]] = []
    for function in (lambda carries: (test(carries),), step):
        builder = Builder(outer.trace, outer)
        carries = [builder.formal(a.type) for a in init]
        with building(builder):
            results.append(tuple(builder.resolve(a) for a in function(carries)))
        assert not builder.storage_inputs, "a loop over atoms reads memory"
        builders.append(builder)
    captured = list(dict.fromkeys(v for b in builders for v in b.captures))
    programs = []
    for builder, outputs, name in zip(builders, results, ("test", "body"), strict=True):
        formals = (*(builder.captures.get(v) or Var(v.type) for v in captured), *builder.formals)
        programs.append(Program(formals, tuple(builder.equations), outputs, name))
    operands = [*map(outer.resolve, captured), *init]
    return outer.bind(OPS["while"], *operands, test=programs[0], body=programs[1], consts=len(captured))
