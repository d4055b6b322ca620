"""Loops over atoms, for operations that no op does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Program, Var
from anabranch.runtime.ops.table import OPS
from anabranch.runtime.tracing.builder import Builder, building, current

Step = Callable[[Atom, Sequence[Atom], Sequence[Atom]], tuple[Sequence[Atom], Sequence[Atom]]]


def counted(
    trip: Atom, length: int | None, step: Step, init: Sequence[Atom], rows: Sequence[Atom] = ()
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
