"""Loops whose last steps are others than those before: `if j < n - 1: ...` in a loop over all `j` below `n`.

Where LLVM knows how many steps there are, it lets the one that finds the condition false be the end of the loop, and
makes no vectors of the others. It does where it cannot know the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.control import For
from anabranch.runtime.ops.elementwise.arithmetic import add, subtract
from anabranch.runtime.ops.elementwise.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from anabranch.runtime.ops.structured import Branches, Loop

_COMPARISONS = (equal, not_equal, less, less_equal, greater, greater_equal)
# How many steps there are at least of which vectors are worth while, and how many at the end may be others.
_LEAST, _LAST = 32, 3


def ends_apart(equation: Equation) -> bool:
    """Return whether a counted loop without loops in it has a condition that the last steps decide otherwise."""
    length = equation.params.get("length")
    if type(equation.op) is not For or length is None or length < _LEAST:
        return False
    body: Program = equation.params["body"]
    if not any(isinstance(e.op, Branches) for e in body.equations) or _has_loops(body):
        return False
    steps = (length // 2, *range(length - _LAST, length))
    known = {body.inputs[equation.params["consts"]]: list(map(np.int64, steps))}
    # A test that holds in one step alone, which is not the last, is no end.
    return any(truths[0] != truths[-1] and truths[0] == truths[1] for truths in _truths(body, known))


def _truths(body: Program, known: dict[Var, list[Any]]) -> Iterator[list[Any]]:
    """The outcomes of the tests that choose between ways in these steps, as far as they are of the index alone."""
    choosers = {e.inputs[0] for e in body.equations if isinstance(e.op, Branches)}
    for equation in body.equations:
        if equation.op not in (add, subtract, *_COMPARISONS):
            continue
        values = [value for a in equation.inputs if (value := _steps(a, known)) is not None]
        if len(values) < 2:
            continue
        made = [equation.op.evaluate(x, y)[0] for x, y in zip(*values, strict=True)]
        if equation.op in (add, subtract):
            known[equation.outputs[0]] = made
        elif equation.outputs[0] in choosers:
            yield made


def _steps(atom: Atom, known: Mapping[Var, list[Any]]) -> list[Any] | None:
    if isinstance(atom, Literal):
        return [atom.value] * (_LAST + 1) if atom.type.dtype == np.int64 and not atom.type.shape else None
    return known.get(atom)


def _has_loops(program: Program) -> bool:
    return any(isinstance(e.op, Loop) or any(map(_has_loops, e.programs())) for e in program.equations)
