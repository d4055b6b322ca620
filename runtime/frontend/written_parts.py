"""The parts of an array of its caller's that a function has written to, where tracing finds how many there are."""

from __future__ import annotations

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom, Equation, Literal, Var
from anabranch.runtime.ops.indexing import dynamic_update_slice, strided_update
from anabranch.runtime.tracing.builder import Builder

# With more of them, all of the array is one output.
_MOST_PARTS = 8


@frozen
class WrittenPart:
    """A part of an array and its new contents.

    Attributes
    ----------
    index : tuple, optional
        Start, stop and step of each axis, where they are known while tracing.
    starts : tuple of Atom
        Where it starts, if they are not.
    """

    contents: Atom
    index: tuple[tuple[int, int, int], ...] | None
    starts: tuple[Atom, ...] = ()


def written_parts(root: Builder, before: Var, after: Atom) -> list[WrittenPart] | None:
    """The parts in which an array was written, in this order; None where that is all of it."""
    found: list[WrittenPart] = []
    while after is not before:
        equation = root.maker(after) if isinstance(after, Var) else None
        part = None if equation is None else _part(equation)
        if part is None or equation is None or len(found) == _MOST_PARTS:
            return None
        found.insert(0, part)
        after = equation.inputs[0]
    return found if sum(part.contents.type.size for part in found) < before.type.size else None


def _part(equation: Equation) -> WrittenPart | None:
    """The part that an equation writes into its first input; None if it does something else."""
    if equation.op is strided_update:
        params = equation.params
        index = tuple(zip(params["starts"], params["limits"], params["strides"], strict=True))
        return WrittenPart(equation.inputs[1], index)
    if equation.op is not dynamic_update_slice:
        return None
    x, contents, *starts = equation.inputs
    known = [start.value for start in starts if isinstance(start, Literal)]
    if len(known) < len(starts):
        return WrittenPart(contents, None, tuple(starts))
    sizes = zip(known, x.type.shape, contents.type.shape, strict=True)
    first = [(int(np.clip(start, 0, n - size)), size) for start, n, size in sizes]
    return WrittenPart(contents, tuple((start, start + size, 1) for start, size in first))
