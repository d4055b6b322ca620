"""A Program as the text of a StableHLO module."""

from __future__ import annotations

from typing import NamedTuple

from anabranch.runtime._host import HostCallback
from anabranch.runtime.ir import Program
from anabranch.runtime.ops.emitter import Emitter, tensor


class Module(NamedTuple):
    """The text of a module, and the functions of this process that it calls."""

    text: str
    callbacks: tuple[HostCallback, ...]


def lower(program: Program) -> str:
    """The StableHLO module whose `main` computes the Program, in MLIR's generic form."""
    return module(program).text


def module(program: Program) -> Module:
    """The module, for Programs that have effects on the host."""
    emitter = Emitter()
    arguments = [f"%arg{i}" for i in range(len(program.inputs))]
    results = emitter.program(program, arguments)
    binders = ", ".join(f"{a}: {tensor(t)}" for a, t in zip(arguments, program.in_types, strict=True))
    outs = ", ".join(map(tensor, program.out_types))
    lines = [f"module @{program.name} {{", f"  func.func public @main({binders}) -> ({outs}) {{"]
    lines += ["    " + line for line in emitter.lines]
    lines += [f"    return {', '.join(results)} : {outs}" if results else "    return", "  }"]
    lines += ["  " + line for function in emitter.functions for line in function]
    lines.append("}")
    return Module("\n".join(lines) + "\n", tuple(emitter.callbacks))
