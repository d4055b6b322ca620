"""Loops of a Program as calls of machine code."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Program, Var
from anabranch.runtime.native.call_frame import handler
from anabranch.runtime.native.emitter import NativeEmitter
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.llvm_types import NotNativeError
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.values import elements, is_memory
from anabranch.runtime.ops.stablehlo_writer import LoweringContext
from anabranch.runtime.passes.range_analysis import value_ranges
from anabranch.runtime.xla.native_code import NativeFunction


class NativeLoops:
    """The native forms of a Program's loops."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._intervals: Mapping[Var, Interval] | None = None

    def __call__(self, loop: Op, ctx: LoweringContext) -> list[str] | None:
        """Emit a loop as a call of machine code; returns the names of the results, None where it has no native form."""
        if self._intervals is None:
            self._intervals = value_ranges(self._program)
        try:
            call = _Call(loop, ctx, self._intervals)
        except NotNativeError:
            return None
        return call.emit()


class _Call:
    """The function of a loop, and the call of it."""

    def __init__(self, loop: Op, ctx: LoweringContext, intervals: Mapping[Var, Interval]) -> None:
        self._ctx = ctx
        self._code = Instructions()
        self._memory = Memory(self._code, KnownValues(intervals))
        operands = [self._operand(i, type) for i, type in enumerate(ctx.in_types)]
        emitter = NativeEmitter(self._code, self._memory)
        self._results = list(loop.lower(dataclasses.replace(ctx, emitter=emitter, inputs=operands)))
        self._finish(operands)

    def _operand(self, place: int, type: ArrayType) -> str:
        """The name of an operand: an array in memory, of one element a value in a register."""
        if type.size == 0:
            raise NotNativeError("an array without elements")
        name = self._memory.add(f"%a{place}")
        return name if type.size > 1 else self._memory.load(name, type.dtype, "0")

    def _finish(self, operands: Sequence[str]) -> None:
        """Settle which outputs the call has, and write them."""
        memory, code, ctx = self._memory, self._code, self._ctx
        self._written = [i for i, name in enumerate(operands) if is_memory(name) and not memory.is_current(name)]
        self._outputs: list[ArrayType] = [ctx.in_types[i] for i in self._written]
        self._places: list[int | None] = []  # of the results among the outputs; None for an operand
        taken: set[int] = set()
        for name, type in zip(self._results, ctx.out_types, strict=True):
            source = memory.place_of(name) if is_memory(name) else None
            if source in self._written and source not in taken:
                taken.add(source)
                self._places.append(self._written.index(source))
            elif source is not None and source < len(operands) and source not in self._written:
                self._places.append(None)
            else:
                target = memory.add(f"%r{len(self._outputs)}")
                if source is None:
                    memory.store(target, type.dtype, [(str(k), x) for k, x in enumerate(elements(name))])
                else:
                    memory.overwrite(name, memory.place_of(target), type)
                self._places.append(len(self._outputs))
                self._outputs.append(type)
        code.act("ret void")

    def emit(self) -> list[str]:
        """The names of the results of the call."""
        ctx, memory = self._ctx, self._memory
        aliases = {
            place: i for place, i in enumerate(self._written) if list(ctx.inputs).count(ctx.inputs[i]) == 1
        }
        copied = [i for place, i in enumerate(self._written) if place not in aliases]
        function = NativeFunction.of(handler(self._code, ctx.in_types, self._outputs, self._written, copied))
        emitter = ctx.emitter
        if function not in emitter.callbacks:
            emitter.callbacks.append(function)
        one = len(self._outputs) == 1
        shared = ", ".join(
            f"#stablehlo.output_operand_alias<output_tuple_indices = [{'' if one else place}], "
            f"operand_index = {operand}, operand_tuple_indices = []>"
            for place, operand in aliases.items()
        )
        target = f'call_target_name = "{function.name}", api_version = 4 : i32, output_operand_aliases = [{shared}]'
        results = emitter.multi("custom_call", ctx.inputs, ctx.in_types, self._outputs, attributes=target)
        emitter.made_within(results)
        found = []
        for name, place in zip(self._results, self._places, strict=True):
            found.append(ctx.inputs[memory.place_of(name)] if place is None else results[place])
        return found
