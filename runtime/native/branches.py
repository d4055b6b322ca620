"""Conditions as LLVM's branches: the results are found where the ways meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation, Program
from anabranch.runtime.native.array_stores import ArrayStores
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.memory_flow import Alternatives
from anabranch.runtime.native.values import flat, is_memory, packed, value_types
from anabranch.runtime.ops.structured import Branches


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
