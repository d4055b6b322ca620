"""A Program as the text of a StableHLO module."""

from __future__ import annotations

from anabranch.runtime.ir import Program
from anabranch.runtime.ops.emitter import Emitter, tensor


def lower(program: Program) -> str:
    """The StableHLO module whose `main` computes the Program, in MLIR's generic form."""
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
    return "\n".join(lines) + "\n"
