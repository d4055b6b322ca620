"""Conditions whose branches are some arithmetic of ints that may fail: both are computed, and one result is chosen.

LLVM does so of what cannot fail, where it takes less than a branch that goes either way as often. What fails in a
branch is asked in any case, and only then whether the branch is the one that runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import value_type
from anabranch.runtime.native.nest import Nest
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.comparison import OPS as COMPARISONS
from anabranch.runtime.ops.table import OPS

_ARITHMETIC = frozenset(
    OPS[name]
    for name in ["add", "subtract", "multiply", "negative", "bitwise_and", "bitwise_or", "bitwise_xor", "select"]
)
_SHIFTS = frozenset([OPS["left_shift"], OPS["right_shift"]])
_OVERFLOWS = [OPS[f"{name}_overflows"] for name in ("add", "subtract", "multiply")]
_TRUTHS = frozenset([*COMPARISONS, *_OVERFLOWS])
# How many operations both branches have at most, and how many of those that make truths.
_MOST, _MOST_TRUTHS = 4, 16


class PlainWriter(Protocol):
    """A writer of the branches' Programs."""

    code: Instructions

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Write a Program; returns the names of its outputs."""


def is_plain(equation: Equation, nest: Nest) -> bool:
    """Return whether a condition is one whose branches may both be computed, of which one may fail."""
    if nest.exits is None or equation.op is not COND or not all(map(_is_number, equation.outputs)):
        return False
    count = truths = failures = 0
    for program in equation.programs():
        for each in program.equations:
            if nest.failures.leaves(each, program):
                failures += 1
            elif not all(map(_is_int, (*each.inputs, *each.outputs))):
                return False
            elif each.op in _TRUTHS:
                truths += 1
            elif each.op in _ARITHMETIC or (each.op in _SHIFTS and isinstance(each.inputs[1], Literal)):
                count += 1
            else:
                return False
    return failures > 0 and count <= _MOST and truths <= _MOST_TRUTHS


def _is_int(atom: Atom) -> bool:
    return not atom.type.shape and atom.type.dtype.kind in "iub"


def _is_number(atom: Atom) -> bool:
    return not atom.type.shape and atom.type.dtype.kind in "iubf"


def chosen(writer: PlainWriter, nest: Nest, equation: Equation, names: Sequence[str]) -> list[str]:
    """Write a condition whose branches are both computed; returns the names of its results."""
    code, (pred, *operands) = writer.code, names
    on_true, on_false = equation.programs()
    with nest.only_where(pred):
        first = writer.program(on_true, operands)
    with nest.only_where(code.add("xor", "i1", pred, "true")):
        second = writer.program(on_false, operands)
    return [
        x if x == y else code.emit(f"select i1 {pred}, {kind} {x}, {kind} {y}")
        for x, y, kind in zip(first, second, [value_type(var.type.dtype) for var in equation.outputs], strict=True)
    ]
