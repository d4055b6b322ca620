"""Loops and products of a Program as calls of machine code."""

from __future__ import annotations

import dataclasses
import math

from anabranch.base.frozen import frozen
from anabranch.runtime.host.machine_code import HAS_THREADS, NativeOptions
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Equation, Literal, Program, SourceLocation, Var
from anabranch.runtime.native.call_frame import handler
from anabranch.runtime.native.caller_arrays import Outputs
from anabranch.runtime.native.emitter import NativeEmitter
from anabranch.runtime.native.failures import FailureValues
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.known_values import KnownValues
from anabranch.runtime.native.llvm_types import NotNativeError, constant
from anabranch.runtime.native.memory import MOST_WHOLE, Memory
from anabranch.runtime.native.obstacles import refuse_host_calls, refuse_long_sorts
from anabranch.runtime.ops.stablehlo_writer import LoweringContext
from anabranch.runtime.ops.structured import Loop
from anabranch.runtime.passes.found_intervals import Intervals
from anabranch.runtime.passes.range_analysis import value_ranges
from anabranch.runtime.xla.native_code import NativeFunction

# The most elements of an array that a program computes as a whole while its caller does something else: the caller
# waits for machine code.
_MOST_WHOLE_ASIDE = 2**14


@frozen
class LoopForm:
    """The form that a loop is compiled in."""

    source: SourceLocation | None  # where the user wrote it
    obstacle: str  # what it has that machine code has no form for; empty where it is machine code


class NativeLoops:
    """The native forms of a Program's loops and products."""

    def __init__(self, program: Program, options: NativeOptions, *, is_asynchronous: bool = False) -> None:
        self._options = options
        most = math.inf if HAS_THREADS else MOST_WHOLE
        self._most_whole = _MOST_WHOLE_ASIDE if is_asynchronous else most
        self.forms: list[LoopForm] = []  # those of the loops that were asked for
        self._program = program
        self._facts: tuple[Intervals, FailureValues] | None = None

    def __call__(self, op: Op, ctx: LoweringContext) -> list[str] | None:
        """Emit an equation as a call of machine code; returns the names of the results, None where it has none."""
        if self._facts is None:
            self._facts = value_ranges(self._program), FailureValues(self._program)
        try:
            call = _Call(op, ctx, *self._facts, self, self._most_whole)
        except NotNativeError as error:
            self._note(op, LoopForm(ctx.source, str(error)))
            return None
        self._note(op, LoopForm(ctx.source, ""))
        return call.emit()

    def _note(self, op: Op, form: LoopForm) -> None:
        if isinstance(op, Loop):
            self.forms.append(form)

    def begun(self) -> tuple[Instructions, type[NativeEmitter]]:
        """Empty instructions for the next loop, and the class that emits them."""
        return Instructions(self._options.fastmath, self._options.threads), NativeEmitter

    def finished(self, llvm: str, code: Instructions) -> NativeFunction:
        """The function of a loop that has been written, from its module."""
        return NativeFunction.of(llvm)


class _Call:
    """The function of an equation, and the call of it."""

    def __init__(
        self,
        op: Op,
        ctx: LoweringContext,
        outside: Intervals,
        failures: FailureValues,
        loops: NativeLoops,
        most_whole: float,
    ) -> None:
        self._ctx, self._loops = ctx, loops
        self._code, kind = loops.begun()
        equation = Equation(op, tuple(ctx.atoms), ctx.params, tuple(map(Var, ctx.out_types)), ctx.source)
        # XLA calls the function from threads of its own, without Python's lock.
        refuse_host_calls((equation,))
        refuse_long_sorts((equation,))
        self._memory = Memory(self._code, KnownValues(outside), most_whole)
        operands = [self._memory.operand(type) for type in ctx.in_types]
        names = [
            constant(atom.value) if isinstance(atom, Literal) and atom.type.size == 1 else name
            for atom, name in zip(ctx.atoms, operands, strict=True)
        ]
        if not isinstance(op, Loop) and op.update is None:
            # The library has a product of a matrix with its own transpose.
            names = [names[ctx.inputs.index(one)] for one in ctx.inputs]
        emitter = kind(self._code, self._memory, failures)
        made = emitter.equation(equation, names, ())
        self._results = emitter.stores.settled(made, ctx.out_types, ())
        self._outputs = Outputs(self._memory, operands, ctx.in_types, self._results, ctx.out_types)
        self._code.act("ret void")

    def emit(self) -> list[str]:
        """The names of the results of the call."""
        ctx, memory = self._ctx, self._memory
        memories = [ctx.emitter.memory_of(name) for name in ctx.inputs]
        outputs = [
            dataclasses.replace(
                output, copied=output.operand is not None and memories.count(memories[output.operand]) > 1
            )
            for output in self._outputs.arrays
        ]
        function = self._loops.finished(handler(self._code, ctx.in_types, outputs), self._code)
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
        # XLA takes equal calls for one. A later call that writes to the results of both in place would then be given
        # one array twice, as XLA copies no part of a tuple for that.
        target += f', backend_config = {{call = "{emitter.fresh()}"}}'
        results = emitter.custom_call(ctx.inputs, ctx.in_types, [o.type for o in outputs], target)
        emitter.made_within(results)
        found = []
        for name, place in zip(self._results, self._outputs.places, strict=True):
            found.append(ctx.inputs[memory.place_of(name)] if place is None else results[place])
        return found
