"""Writes Programs as StableHLO text: their equations, and the functions that are called."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host.callbacks import HostCallback, attributes
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, SourceLocation, Var
from anabranch.runtime.ops.stablehlo_text import Body, StablehloText, Types, tensor

# NaNs whose payload no arithmetic makes.
_ODD_NAN = {np.dtype(np.float32): 0x7FC5A5A5, np.dtype(np.float64): 0x7FF85A5A5A5A5A5A}
# From how many elements on a program asks for its replica's number.
_MANY = 1024
_NAME = re.compile(r"%\d+")
# An equation as a call of machine code: the names of its results; None where it has no such form.
NativeForm: TypeAlias = "Callable[[Op, LoweringContext], list[str] | None]"


class Emitter(StablehloText):
    """The text of one function body under construction, and of the functions that it calls.

    `program` is the walk over a Program's equations; control-flow ops use it, inside `region`, for their sub-Programs.
    """

    def __init__(
        self, calls_host: bool = True, is_asynchronous: bool = False, native_form: NativeForm | None = None
    ) -> None:
        super().__init__()
        self.is_asynchronous = is_asynchronous
        self.functions: list[list[str]] = []
        self.callbacks: list[HostCallback] = []
        self._outlined = False
        self._calls_host = calls_host
        self._native_form = native_form
        self._nested: dict[str, bool] = {}  # of the results of control flow: whether a function returned it
        self._named: dict[str, str] = {}
        self._under_way: list[_EmissionProgress] = []

    def op(self, name: str, operands: Sequence[str], in_types: Types, out: ArrayType, attributes: str = "") -> str:
        """Emit an op with one result; to a sum with zero XLA is left no choice: -0.0 + 0.0 is 0.0, not the -0.0."""
        if name in ("add", "subtract") and out.dtype.kind in "fc":
            for term, other in (operands, operands[::-1])[: 1 if name == "subtract" else 2]:
                changes = [np.signbit(part) == (name == "subtract") for part in self._zeros(other)]
                if any(changes):
                    return self._plus_zeros(term, out, changes)
        return super().op(name, operands, in_types, out, attributes)

    def _zeros(self, name: str) -> list[Any]:
        """The parts of the zero that a value is known to be throughout; none of any other value."""
        while name in self._repeated or name in self._made_of:
            source = self._made_of[name] if name in self._made_of else self._repeated[name].source
            if not isinstance(source, str):
                return [] if source != 0 else [source.real, source.imag] if source.dtype.kind == "c" else [source]
            name = source
        return []

    def _plus_zeros(self, x: str, type: ArrayType, changes: Sequence[bool]) -> str:
        """A value whose parts are 0.0 where they are -0.0, as far as that changes them."""
        if type.dtype.kind == "c":
            part = ArrayType(type.shape, type.dtype.type(0).real.dtype)
            parts = [self.op(name, [x], [type], part) for name in ("real", "imag")]
            parts = [self._plus_zeros(p, part, [True]) if c else p for p, c in zip(parts, changes, strict=True)]
            return self.op("complex", parts, [part, part], type)
        is_zero = self.compare(x, self.constant(0, type), "EQ", type)
        return self.select(is_zero, self.op("abs", [x], [type], type), x, type)

    @property
    def is_outlined(self) -> bool:
        """Return whether the emitter is within an outlined function."""
        return self._outlined

    @property
    def can_call_host(self) -> bool:
        """Return whether what is emitted may call host functions; an outlined function cannot."""
        return self._calls_host and not self._outlined

    def rounded(self, x: str, type: ArrayType) -> str:
        """Emit something on the bits of floats that changes none of them, and is opaque to LLVM.

        A test that never holds takes two instructions; of many elements, one exclusive-or with the highest bit of the
        replica's number is worth asking for that, which an outlined function cannot.
        """
        bits = ArrayType(type.shape, np.dtype(f"i{type.dtype.itemsize}"))
        there = self.op("bitcast_convert", [x], [type], bits)
        if type.size < _MANY or self._outlined:
            odd = self.compare(there, self.constant(_ODD_NAN[type.dtype], bits), "EQ", bits)
            return self.select(odd, self.constant(np.nan, type), x, type)
        zero = self._opaque_zero(bits.dtype)
        zeros = self.broadcast(zero, ArrayType((), bits.dtype), type.shape, ())
        return self.op("bitcast_convert", [self.binary("xor", there, zeros, bits)], [bits], type)

    def _opaque_zero(self, dtype: np.dtype) -> str:
        """The name of a zero that no compiler knows to be one; there is one in a block."""
        scope, key, number = self._constants[-1], ("zero", dtype), ArrayType((), np.dtype(np.uint32))
        if key not in scope:
            replica = self.op("replica_id", [], [], number)
            bit = self.binary("shift_right_logical", replica, self.constant(31, number), number)
            scope[key] = self.convert(bit, number, dtype)
        return scope[key]

    def outlined(self, operands: Sequence[str], in_types: Types, outs: Types, body: Body) -> list[str]:
        """Emit `body` as an outlined function, which XLA's CPU compiler turns into native code as a whole.

        Outside of one, each op of a loop's body is a kernel of its own, launched at each step. Inside of one this is
        plain emission: functions nest no further. Other platforms inline the call.
        """
        return list(body(list(operands))) if self._outlined else self.called(operands, in_types, outs, body)

    def called(self, operands: Sequence[str], in_types: Types, outs: Types, body: Body) -> list[str]:
        """Emit `body` as a function and the call of it, also within an outlined function."""
        # One tuple instead of many parameters: XLA's CPU compiler aborts on a parameter that is left without a use, and
        # a parameter that its passes find constant becomes one.
        pack = f"tuple<{', '.join(map(tensor, in_types))}>"
        before, self._outlined = self._outlined, True
        try:
            with self._captured() as lines:
                whole, arguments = self.fresh(), [self.fresh() for _ in in_types]
                for i, (argument, type) in enumerate(zip(arguments, in_types, strict=True)):
                    attributes = f"{{index = {i} : i32}} : ({pack}) -> {tensor(type)}"
                    self.lines.append(f'{argument} = "stablehlo.get_tuple_element"({whole}) {attributes}')
                results = list(body(arguments))
        finally:
            self._outlined = before
        out_text = ", ".join(map(tensor, outs))
        tail = f"return {', '.join(results)} : {out_text}" if results else "return"
        name = self._function(f"({whole}: {pack}) -> ({out_text})", [*lines, tail])
        attributes = 'mhlo.frontend_attributes = {inlineable = "false", xla_cpu_small_call = "true"}'
        packed = self.fresh()
        ins = ", ".join(map(tensor, in_types))
        self.lines.append(f'{packed} = "stablehlo.tuple"({", ".join(operands)}) : ({ins}) -> {pack}')
        result = self.fresh()
        bind = f"{result}:{len(outs)} = " if outs else ""
        call = f'"func.call"({packed}) {{callee = @{name}, {attributes}}} : ({pack}) -> ({out_text})'
        self.lines.append(bind + call)
        return self.made_within(self._results(result, len(outs)), by_function=True)

    def _function(self, signature: str, lines: Sequence[str]) -> str:
        """The name of a private function with this body; there is one of all that differ only in their names."""
        numbers: dict[str, str] = {}
        text = _NAME.sub(lambda found: numbers.setdefault(found[0], f"%{len(numbers)}"), "\n".join([signature, *lines]))
        name = self._named.get(text)
        if name is None:
            name = self._named[text] = f"native_{len(self.functions)}"
            head, *body = text.split("\n")
            self.functions.append([f"func.func private @{name}{head} {{", *("  " + line for line in body), "}"])
        return name

    def is_made_within(self, name: str) -> bool:
        """Return whether a name is a result of control flow, or of an outlined function."""
        return name in self._nested

    def is_made_by_function(self, name: str) -> bool:
        """Return whether a name is a result of an outlined function."""
        return self._nested.get(name, False)

    def is_argument(self, name: str) -> bool:
        """Return whether a name is an argument of the module, and what is emitted is in no branch or loop."""
        return name.startswith("%arg") and len(self._constants) == 1

    def is_needed_after(self, name: str) -> bool:
        """Return whether a name is used after the equation that is being emitted, or after one around it."""
        return any(progress.needs(name) for progress in self._under_way)

    def is_fused(self, atom: Atom) -> bool:
        """Return whether XLA computes a value element by element where it is used."""
        return self._under_way[-1].is_elementwise(atom)

    def made_within(self, names: list[str], by_function: bool = False) -> list[str]:
        """Note that names are results of control flow, or of an outlined function."""
        self._nested.update(dict.fromkeys(names, by_function))
        return names

    def callback(
        self, function: HostCallback, operands: Sequence[str], in_types: Sequence[ArrayType], outs: Sequence[ArrayType]
    ) -> list[str]:
        """Emit a call of a function, on arrays; one with effects takes place exactly where it stands."""
        if function not in self.callbacks:
            self.callbacks.append(function)
        call = attributes(function, self.callbacks.index(function))
        return self.custom_call(operands, in_types, outs, call)

    def native(self, op: Op, ctx: LoweringContext) -> list[str] | None:
        """Emit an equation as machine code; returns the names of the results, None where it has no such form here."""
        return None if self._native_form is None or self._outlined else self._native_form(op, ctx)

    def located(self, start: int, equation: Equation) -> None:
        """Take note that an equation's lines, those from `start` on, are complete."""

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Emit a Program's equations in place; returns the names of its outputs."""
        env: dict[Var, str] = dict(zip(program.inputs, arguments, strict=True))

        def read(atom: Atom) -> str:
            return self.constant(atom.value, atom.type) if isinstance(atom, Literal) else env[atom]

        progress = _EmissionProgress(program, env)
        self._under_way.append(progress)
        for place, equation in enumerate(program.equations):
            progress.place = place
            start = len(self.lines)
            names = [read(a) for a in equation.inputs]
            in_types, out_types = ([a.type for a in some] for some in (equation.inputs, equation.outputs))
            ctx = LoweringContext(self, names, equation.inputs, in_types, out_types, equation.params, equation.source)
            results = equation.op.lower(ctx)
            env.update(zip(equation.outputs, results, strict=True))
            self.located(start, equation)
        progress.place = len(program.equations)
        results = [read(a) for a in program.outputs]
        self._under_way.pop()
        return results


@frozen(eq=False)
class LoweringContext:
    """One equation as its op lowers it."""

    emitter: Emitter  # writes the StableHLO
    inputs: Sequence[str]  # the SSA names of the inputs
    atoms: Sequence[Atom]  # the inputs, of which some may be constants
    in_types: Sequence[ArrayType]
    out_types: Sequence[ArrayType]
    params: Mapping[str, Any]  # the equation's
    source: SourceLocation | None = None  # the user's code that it came from

    def outlined(self, lower: Callable[[LoweringContext], Sequence[str]]) -> Sequence[str]:
        """Emit an outlined function that computes the equation, as `lower` does inside of it; returns the results."""

        def body(names: list[str]) -> Sequence[str]:
            return lower(dataclasses.replace(self, inputs=names))

        return self.emitter.outlined(self.inputs, self.in_types, self.out_types, body)


class _EmissionProgress:
    """How far the emission of a Program has come, and which of its values are read later on."""

    def __init__(self, program: Program, env: dict[Var, str]) -> None:
        self.place = 0
        self._env = env
        self._equations = program.equations
        self._last: dict[Atom, int] = {a: i for i, e in enumerate(program.equations) for a in e.inputs}
        self._last |= dict.fromkeys(program.outputs, len(program.equations))
        self._elementwise = {v for e in program.equations if e.op.is_elementwise for v in e.outputs}

    @property
    def equation(self) -> Equation:
        """The one that is being emitted."""
        return self._equations[self.place]

    def is_elementwise(self, atom: Atom) -> bool:
        """Return whether an equation of the Program itself computes a value element by element."""
        return atom in self._elementwise

    def needs(self, name: str) -> bool:
        """Return whether an equation after the present one, or an output, reads the name."""
        return any(self._last.get(var, -1) > self.place for var, known in self._env.items() if known == name)
