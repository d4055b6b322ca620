"""The cost of a run: estimates of operations and bytes, and memory."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

from anabranch.runtime.api.inspection.part import Part, Row, Table
from anabranch.runtime.api.stages import Compiled, Lowered
from anabranch.runtime.call.native_execution import NativeExecution
from anabranch.runtime.host.callbacks import LoweringError
from anabranch.runtime.lower import module
from anabranch.runtime.xla import mlir_module

_ON_STACK = re.compile(r"= alloca \[(\d+) x i8\]")
_MEMORY = ("temp", "generated_code")  # 0 where XLA doesn't say
_ESTIMATED = ("flops", "bytes accessed")  # -1 where XLA doesn't know


def costs(lowered: Lowered, compiled: Compiled) -> dict[str, float]:
    """The costs by their names."""
    found: dict[str, float] = {}
    program = lowered.program
    found["bytes of arguments"] = float(sum(type.nbytes for type in program.in_types))
    found["bytes of results"] = float(sum(type.nbytes for type in program.out_types))
    # XLA has no estimate of what calls into this process.
    with contextlib.suppress(LoweringError, RuntimeError, ValueError):
        loops = lowered.module.made.loops
        estimate = mlir_module.estimate(module(program).text) if loops else lowered.cost_analysis()
        found |= {f"{name}, estimated": estimate[name] for name in _ESTIMATED if estimate.get(name, -1) >= 0}
    if isinstance(compiled.execution, NativeExecution):
        made = compiled.execution.code.program
        arrays = sum(kind.nbytes for k, kind in enumerate(made.arrays) if k not in made.outputs)
        found["bytes, temp"] = float(arrays + sum(map(int, _ON_STACK.findall(made.llvm))))
    else:
        memory = compiled.memory_analysis()
        found |= {f"bytes, {name.replace('_', ' ')}": float(memory[name]) for name in _MEMORY if memory[name]}
    return found


def costs_part(found: Mapping[str, float]) -> Part:
    """The costs as a table."""
    rows = tuple(Row((name, f"{value:,.0f}")) for name, value in found.items())
    return Part("Cost and memory", (Table(rows),), "estimates are XLA's; they count one step of each loop")
