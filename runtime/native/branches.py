"""Conditions as LLVM's branches: the results are found where the ways meet.

Where both branches are some arithmetic of ints that may fail, both are computed, and one result is chosen. LLVM does so
of what cannot fail, where it takes less than a branch that goes either way as often. What fails in a branch is asked in
any case, and only then whether the branch is the one that runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import flat, is_memory, packed, value_type, value_types
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.memory_flow import Alternatives
from anabranch.runtime.native.nest import Nest
from anabranch.runtime.ops.control import COND
from anabranch.runtime.ops.elementwise.comparison import OPS as COMPARISONS
from anabranch.runtime.ops.structured import Branches
from anabranch.runtime.ops.table import OPS


class ProgramWriter(Protocol):
    """A writer of the branches' Programs."""

    code: Instructions
    memory: Memory
    stores: ArrayStores
    kept: frozenset[int]  # the arrays in memory that are needed around the condition

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Write a Program; returns the names of its outputs."""


def branch_results(
    writer: ProgramWriter, equation: Equation, names: Sequence[str], last: int | None = None
) -> list[str]:
    """Write a condition; returns the names of its results, which are those of the branch that runs.

    `last` is the one after which a loop ends, which is not made a choice between its results and those of the other.
    """
    op = equation.op
    assert isinstance(op, Branches)
    code, memory, programs = writer.code, writer.memory, op.results(equation.params)
    is_bool = equation.inputs[0].type.dtype.kind == "b"
    known = memory.ranges.of(names[0])
    if known is not None and known.low == known.high:
        chosen = 1 - known.low if is_bool else min(max(known.low, 0), len(programs) - 1)
        return writer.program(programs[chosen], names[1:])
    labels = [code.label("branch") for _ in programs]
    end = code.label("join")
    if is_bool and last == 1:
        code.branch(code.add("xor", "i1", names[0], "true"), labels[1], labels[0], unlikely=True)
    elif is_bool:
        code.branch(names[0], *labels, unlikely=last == 0)
    else:
        # The index is clamped: what is below 0 runs the first one, what is above the last.
        low = code.add("icmp slt", "i32", names[0], "0")
        index = code.emit(f"select i1 {low}, i32 0, i32 {names[0]}")
        cases = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels[:-1]))
        code.act(f"switch i32 {index}, label %{labels[-1]} [{cases}]")
    ways = Alternatives(memory)
    for place, (label, program) in enumerate(zip(labels, programs, strict=True)):
        code.begin(label)
        if last not in (None, place):
            # What has an effect is not computed ahead, so that the way out of the loop stays one.
            code.declarations["llvm.sideeffect"] = "declare void @llvm.sideeffect()"
            code.act("call void @llvm.sideeffect()")
        with ways.one() as way:
            results = writer.program(program, names[1:])
            way.results = writer.stores.settled(results, program.out_types, writer.kept)
            way.last, way.block = code.hold(), code.block
        code.jump(end)
    columns = [ways.result(k, type, writer.kept) for k, type in enumerate(programs[0].out_types)]
    code.begin(end)
    ways.meet()
    return [
        memory.name(memory.number(column[0]))
        if is_memory(column[0])
        else _phi(code, type, [(name, way.block) for name, way in zip(column, ways.taken, strict=True)])
        for column, type in zip(columns, programs[0].out_types, strict=True)
    ]


def _phi(code: Instructions, type: ArrayType, incoming: Sequence[tuple[str, str]]) -> str:
    kinds = value_types(type)
    columns = zip(*(flat(name) for name, _ in incoming), strict=True)
    made = []
    for kind, column in zip(kinds, columns, strict=True):
        if len(set(column)) == 1 and not column[0].startswith("%"):
            made.append(column[0])
            continue
        pairs = ", ".join(f"[ {x}, %{block} ]" for x, (_, block) in zip(column, incoming, strict=True))
        made.append(code.emit(f"phi {kind} {pairs}"))
    return packed(made, type.dtype)


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
