"""Loops of a Program as calls of machine code."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.interval import Interval, exactly
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, SourceLocation, Var
from anabranch.runtime.native.call_frame import Output, handler
from anabranch.runtime.native.emitter import NativeEmitter
from anabranch.runtime.native.failures import FailureValues, NestFailures
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.llvm_types import NotNativeError, constant
from anabranch.runtime.native.memory import Memory
from anabranch.runtime.native.values import is_memory
from anabranch.runtime.ops.stablehlo_writer import LoweringContext
from anabranch.runtime.passes.range_analysis import ranges_without_failure, value_ranges
from anabranch.runtime.xla.native_code import NativeFunction

_NO_FAILURE = exactly(0)


@frozen
class LoopForm:
    """The form that a loop is compiled in.

    Attributes
    ----------
    source : SourceLocation or None
        Where the user wrote it.
    obstacle : str
        What it has that machine code has no form for; empty where it is machine code.
    """

    source: SourceLocation | None
    obstacle: str


class NativeLoops:
    """The native forms of a Program's loops.

    Attributes
    ----------
    forms : list of LoopForm
        Those of the loops that were asked for.
    """

    def __init__(self, program: Program) -> None:
        self.forms: list[LoopForm] = []
        self._program = program
        self._facts: tuple[Mapping[Var, Interval], FailureValues] | None = None

    def __call__(self, loop: Op, ctx: LoweringContext) -> list[str] | None:
        """Emit a loop as a call of machine code; returns the names of the results, None where it has no native form."""
        if self._facts is None:
            self._facts = value_ranges(self._program), FailureValues(self._program)
        try:
            call = _Call(loop, ctx, *self._facts)
        except NotNativeError as error:
            self.forms.append(LoopForm(ctx.source, str(error)))
            return None
        self.forms.append(LoopForm(ctx.source, ""))
        return call.emit()


class _Call:
    """The function of a loop, and the call of it."""

    def __init__(
        self, loop: Op, ctx: LoweringContext, outside: Mapping[Var, Interval], failures: FailureValues
    ) -> None:
        self._ctx = ctx
        self._code = Instructions()
        equation = Equation(loop, tuple(ctx.atoms), ctx.params, tuple(map(Var, ctx.out_types)))
        self._memory = Memory(self._code, KnownValues(outside))
        operands = [self._operand(i, atom) for i, atom in enumerate(ctx.atoms)]
        emitter = NativeEmitter(self._code, self._memory, failures)
        self._results = emitter.equation(equation, operands, ())
        self._finish(operands)

    def _operand(self, place: int, atom: Atom) -> str:
        """The name of an operand: an array in memory, of one element a value in a register."""
        type = atom.type
        if type.size == 0:
            raise NotNativeError("an array without elements")
        name = self._memory.add(f"%a{place}")
        if isinstance(atom, Literal) and type.size == 1:
            return constant(atom.value)
        return name if type.size > 1 else self._memory.load(name, type.dtype, "0")

    def _finish(self, operands: Sequence[str]) -> None:
        """Settle which outputs the call has, and write them."""
        memory, code, ctx = self._memory, self._code, self._ctx
        written = [i for i, name in enumerate(operands) if is_memory(name) and not memory.is_current(name)]
        self._outputs = [Output(memory.pointer(i), ctx.in_types[i], i) for i in written]
        self._outputs += [Output(memory.pointer(place), type) for place, type in memory.allocated.items()]
        free = {place: number for number, place in enumerate([*written, *memory.allocated])}
        self._places: list[int | None] = []  # of the results among the outputs; None for an operand
        for name, type in zip(self._results, ctx.out_types, strict=True):
            source = memory.place_of(name) if is_memory(name) else None
            if source in free:
                self._places.append(free.pop(source))
            elif source is not None and source < len(operands) and source not in written:
                self._places.append(None)
            else:
                output = Output(f"%r{len(self._outputs)}", type)
                memory.overwrite(name, memory.place_of(memory.add(output.pointer)), type)
                self._places.append(len(self._outputs))
                self._outputs.append(output)
        code.act("ret void")

    def emit(self) -> list[str]:
        """The names of the results of the call."""
        ctx, memory = self._ctx, self._memory
        outputs = [
            dataclasses.replace(
                output, copied=output.operand is not None and list(ctx.inputs).count(ctx.inputs[output.operand]) > 1
            )
            for output in self._outputs
        ]
        function = NativeFunction.of(handler(self._code, ctx.in_types, outputs))
        emitter = ctx.emitter
        if function not in emitter.callbacks:
            emitter.callbacks.append(function)
        shared = ", ".join(
            f"#stablehlo.output_operand_alias<output_tuple_indices = [{place if len(outputs) > 1 else ''}], "
            f"operand_index = {output.operand}, operand_tuple_indices = []>"
            for place, output in enumerate(outputs)
            if output.operand is not None and not output.copied
        )
        target = f'call_target_name = "{function.name}", api_version = 4 : i32, output_operand_aliases = [{shared}]'
        results = emitter.multi("custom_call", ctx.inputs, ctx.in_types, [o.type for o in outputs], attributes=target)
        emitter.made_within(results)
        found = []
        for name, place in zip(self._results, self._places, strict=True):
            found.append(ctx.inputs[memory.place_of(name)] if place is None else results[place])
        return found


def _ranges(equation: Equation, outside: Mapping[Var, Interval], failures: NestFailures) -> Mapping[Var, Interval]:
    """The intervals of the ints of a loop, which runs only as long as nothing has failed."""
    inputs = tuple(dict.fromkeys(a for a in equation.inputs if isinstance(a, Var)))
    known = {var: outside[var] for var in inputs if var in outside}
    known |= {var: _NO_FAILURE for var in inputs if failures.values.is_code(var)}
    return ranges_without_failure(Program(inputs, (equation,), equation.outputs), known, failures.leaves)
