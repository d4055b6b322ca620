"""Writes StableHLO as text, in MLIR's generic form, one SSA value a line."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.host.callbacks import HostCallback, HostFunction
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Equation, Literal, Program, Var
from anabranch.runtime.ops.emission_progress import EmissionProgress
from anabranch.runtime.ops.mlir_text import ints, nested, splat, tensor

_NAME = re.compile(r"%\d+")


class Emitter:
    """The text of one function body under construction.

    Every method that emits returns the SSA name (`%12`) of what it made. `program` is the walk over a Program's
    equations; control-flow ops use it, inside `region`, for their sub-Programs.
    """

    def __init__(self, calls_host: bool = True) -> None:
        self.lines: list[str] = []
        self.functions: list[list[str]] = []
        self.callbacks: list[HostCallback] = []
        self._count = 0
        self._constants: list[dict[object, str]] = [{}]
        self._outlined = False
        self._calls_host = calls_host
        self._nested: dict[str, bool] = {}  # of the results of control flow: whether a function returned it
        self._named: dict[str, str] = {}
        self._under_way: list[EmissionProgress] = []

    @property
    def is_outlined(self) -> bool:
        """Return whether the emitter is within an outlined function."""
        return self._outlined

    @property
    def can_call_host(self) -> bool:
        """Return whether what is emitted may call host functions; an outlined function cannot."""
        return self._calls_host and not self._outlined

    def fresh(self) -> str:
        """A new SSA name."""
        self._count += 1
        return f"%{self._count}"

    def op(
        self, name: str, operands: Sequence[str], in_types: Sequence[ArrayType], out: ArrayType, attributes: str = ""
    ) -> str:
        """Emit `stablehlo.NAME` (or a name that has a dot, as it is) with one result."""
        result = self.fresh()
        attributes = f" {{{attributes}}}" if attributes else ""
        ins = ", ".join(map(tensor, in_types))
        dialect = name if "." in name else f"stablehlo.{name}"
        self.lines.append(f'{result} = "{dialect}"({", ".join(operands)}){attributes} : ({ins}) -> {tensor(out)}')
        return result

    def fence(self, operand: str, type: ArrayType) -> str:
        """Emit an `optimization_barrier`, one in a block for each value; there are as many as of all other ops."""
        scope, key = self._constants[-1], ("fence", operand)
        if key not in scope:
            scope[key], text = self.fresh(), tensor(type)
            self.lines.append(f'{scope[key]} = "stablehlo.optimization_barrier"({operand}) : ({text}) -> {text}')
        return scope[key]

    def multi(
        self,
        name: str,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        outs: Sequence[ArrayType],
        regions: Sequence[Sequence[str]] = (),
        attributes: str = "",
    ) -> list[str]:
        """Emit an op with regions (lists of lines) and any number of results."""
        result = self.fresh()
        ins, out_text = ", ".join(map(tensor, in_types)), ", ".join(map(tensor, outs))
        dialect = name if "." in name else f"stablehlo.{name}"
        bind = f"{result}:{len(outs)} = " if outs else ""
        attributes = f" {{{attributes}}}" if attributes else ""
        head, tail = f'{bind}"{dialect}"({", ".join(operands)})', f"{attributes} : ({ins}) -> ({out_text})"
        for i, region in enumerate(regions):
            self.lines += ["}, {" if i else f"{head} ({{", *("  " + line for line in region)]
        self.lines.append(f"}}){tail}" if regions else head + tail)
        return self._results(result, len(outs))

    @staticmethod
    def _results(name: str, count: int) -> list[str]:
        """The names of an op's results: `%12` alone, `%12#0`, `%12#1`, … of several."""
        return [name] if count == 1 else [f"{name}#{i}" for i in range(count)]

    def region(self, types: Sequence[ArrayType], body: Callable[[list[str]], Sequence[str]]) -> list[str]:
        """The lines of a region whose block takes `types`; `body` takes its arguments and returns its results."""
        with self._captured() as lines:
            arguments = [self.fresh() for _ in types]
            if types:
                binders = ", ".join(f"{a}: {tensor(t)}" for a, t in zip(arguments, types, strict=True))
                self.lines.append(f"^bb0({binders}):")
            results = list(body(arguments))
            # The block's own return needs the results' types: `typed` results come as "name : type".
            names = ", ".join(r.split(" : ")[0] for r in results)
            kinds = ", ".join(r.split(" : ")[1] for r in results)
            self.lines.append(f'"stablehlo.return"({names}) : ({kinds}) -> ()')
        return lines

    def outlined(
        self,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        outs: Sequence[ArrayType],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """Emit `body` as an outlined function, which XLA's CPU compiler turns into native code as a whole.

        Outside of one, each op of a loop's body is a kernel of its own, launched at each step. Inside of one this is
        plain emission: functions nest no further. Other platforms inline the call.
        """
        return list(body(list(operands))) if self._outlined else self.called(operands, in_types, outs, body)

    def called(
        self,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        outs: Sequence[ArrayType],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
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

    def loop(
        self,
        state: Sequence[str],
        types: Sequence[ArrayType],
        test: Callable[[list[str]], str],
        step: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """Emit a `while`: steps for as long as the test, a bool scalar, holds of the state; returns the last state."""
        scalar = ArrayType((), np.dtype(bool))
        regions = [
            self.region(types, lambda names: self.typed([test(names)], [scalar])),
            self.region(types, lambda names: self.typed(step(names), types)),
        ]
        return self.multi("while", state, types, types, regions)

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

    def made_within(self, names: list[str], by_function: bool = False) -> list[str]:
        """Note that names are results of control flow, or of an outlined function."""
        self._nested.update(dict.fromkeys(names, by_function))
        return names

    def callback(
        self, function: HostCallback, operands: Sequence[str], in_types: Sequence[ArrayType], outs: Sequence[ArrayType]
    ) -> list[str]:
        """Emit a call of a function of this process, on arrays; one with effects takes place exactly where it stands.

        Calls of equal functions are calls of one.
        """
        if function not in self.callbacks:
            self.callbacks.append(function)
        index = f"backend_config = {{index = {self.callbacks.index(function)} : ui64}}"
        target = 'call_target_name = "xla_ffi_python_cpu_callback", api_version = 4 : i32'
        target += f", has_side_effect = {str(not isinstance(function, HostFunction)).lower()}, {index}"
        return self.multi("custom_call", operands, in_types, outs, attributes=target)

    def located(self, start: int, equation: Equation) -> None:
        """Take note that an equation's lines, those from `start` on, are complete."""

    @contextlib.contextmanager
    def _captured(self) -> Iterator[list[str]]:
        outer, self.lines = self.lines, []
        self._constants.append({})
        try:
            yield self.lines
        finally:
            self.lines = outer
            self._constants.pop()

    @staticmethod
    def typed(names: Sequence[str], types: Sequence[ArrayType]) -> list[str]:
        """Return the text of the results of a `region` body: names with their types."""
        return [f"{n} : {tensor(t)}" for n, t in zip(names, types, strict=True)]

    # ---- constants -------------------------------------------------------------------------------------------------

    def constant(self, value: object, type: ArrayType) -> str:
        """A constant of `type`; a scalar `value` is splat. Equal constants are emitted once in a block."""
        array = np.asarray(value, dtype=type.dtype)
        if array.size and not any(n > 1 and stride for n, stride in zip(array.shape, array.strides, strict=True)):
            first = array[(0,) * array.ndim]
            key = (type, first.tobytes())
            scope = self._constants[-1]
            if key not in scope:
                scope[key] = self._dense(splat(np.asarray(first)), type)
            return scope[key]
        if array.shape != type.shape:
            raise TypeError(f"a constant of shape {array.shape} for {type}")
        if array.size == 0:
            return self._dense("", type)
        if array.dtype.kind == "b":
            return self._dense(nested(array), type)
        content, scope = np.ascontiguousarray(array).tobytes(), self._constants[-1]
        if (type, content) not in scope:
            scope[type, content] = self._dense(f'"0x{content.hex().upper()}"', type)
        return scope[type, content]

    def _dense(self, text: str, type: ArrayType) -> str:
        name = self.fresh()
        self.lines.append(
            f'{name} = "stablehlo.constant"() {{value = dense<{text}> : {tensor(type)}}} : () -> {tensor(type)}'
        )
        return name

    # ---- the common ops --------------------------------------------------------------------------------------------

    def binary(self, name: str, x: str, y: str, type: ArrayType) -> str:
        return self.op(name, [x, y], [type, type], type)

    def compare(self, x: str, y: str, direction: str, type: ArrayType, total: bool = False) -> str:
        """`direction` is EQ, NE, LT, LE, GT or GE; `total` orders -0 < +0 and NaN last."""
        kind = type.dtype.kind
        compare_type = {"i": "SIGNED", "u": "UNSIGNED", "b": "UNSIGNED"}.get(kind, "TOTALORDER" if total else "FLOAT")
        attributes = (
            f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
            f"compare_type = #stablehlo<comparison_type {compare_type}>"
        )
        return self.op("compare", [x, y], [type, type], ArrayType(type.shape, np.dtype(bool)), attributes)

    def select(self, pred: str, on_true: str, on_false: str, type: ArrayType) -> str:
        pred_type = ArrayType(type.shape, np.dtype(bool))
        return self.op("select", [pred, on_true, on_false], [pred_type, type, type], type)

    def convert(self, x: str, source: ArrayType, dtype: np.dtype) -> str:
        """XLA's own conversion; NumPy's rules for bool, complex and out-of-range floats belong to the `convert` op."""
        return x if source.dtype == dtype else self.op("convert", [x], [source], ArrayType(source.shape, dtype))

    def broadcast(self, x: str, source: ArrayType, shape: Sequence[int], dims: Sequence[int]) -> str:
        """`stablehlo.broadcast_in_dim`: axis i of x becomes axis dims[i]."""
        out = ArrayType(tuple(shape), source.dtype)
        return self.op("broadcast_in_dim", [x], [source], out, f"broadcast_dimensions = {ints(dims)}")

    def reshape(self, x: str, source: ArrayType, shape: Sequence[int]) -> str:
        if tuple(shape) == source.shape:
            return x
        return self.op("reshape", [x], [source], ArrayType(tuple(shape), source.dtype))

    def transpose(self, x: str, source: ArrayType, axes: Sequence[int]) -> str:
        out = ArrayType(tuple(source.shape[a] for a in axes), source.dtype)
        return self.op("transpose", [x], [source], out, f"permutation = {ints(axes)}")

    def iota(self, axis: int, type: ArrayType) -> str:
        return self.op("iota", [], [], type, f"iota_dimension = {axis} : i64")

    def block(self, x: str, type: ArrayType, starts: Sequence[str], position: ArrayType, block: ArrayType) -> str:
        """`stablehlo.dynamic_slice`: the block of x that begins at these positions."""
        types = [type, *[position] * len(starts)]
        return self.op("dynamic_slice", [x, *starts], types, block, f"slice_sizes = {ints(block.shape)}")

    def with_block(
        self, x: str, type: ArrayType, starts: Sequence[str], position: ArrayType, value: str, block: ArrayType
    ) -> str:
        """`stablehlo.dynamic_update_slice`: x with another block at these positions."""
        types = [type, block, *[position] * len(starts)]
        return self.op("dynamic_update_slice", [x, value, *starts], types, type)

    def reduce(
        self,
        xs: Sequence[str],
        types: Sequence[ArrayType],
        inits: Sequence[str],
        axes: Sequence[int],
        body: Callable[[list[str]], Sequence[str]],
    ) -> list[str]:
        """`stablehlo.reduce` over `axes`; `body` gets the accumulators, then the elements, as scalars."""
        scalars = [ArrayType((), t.dtype) for t in types]
        keep = [i for i in range(len(types[0].shape)) if i not in axes]
        outs = [ArrayType(tuple(t.shape[i] for i in keep), t.dtype) for t in types]
        region = self.region([*scalars, *scalars], lambda names: self.typed(body(names), scalars))
        return self.multi(
            "reduce", [*xs, *inits], [*types, *scalars], outs, [region], f"dimensions = {ints(sorted(axes))}"
        )

    # ---- Programs --------------------------------------------------------------------------------------------------

    def program(self, program: Program, arguments: Sequence[str]) -> list[str]:
        """Emit a Program's equations in place; returns the names of its outputs."""
        env: dict[Var, str] = dict(zip(program.inputs, arguments, strict=True))

        def read(atom: Atom) -> str:
            return self.constant(atom.value, atom.type) if isinstance(atom, Literal) else env[atom]

        progress = EmissionProgress(program, env)
        self._under_way.append(progress)
        for place, equation in enumerate(program.equations):
            progress.place = place
            start = len(self.lines)
            names = [read(a) for a in equation.inputs]
            in_types = [a.type for a in equation.inputs]
            out_types = [v.type for v in equation.outputs]
            ctx = LoweringContext(self, names, equation.inputs, in_types, out_types, equation.params)
            results = equation.op.lower(ctx)
            env.update(zip(equation.outputs, results, strict=True))
            self.located(start, equation)
        progress.place = len(program.equations)
        results = [read(a) for a in program.outputs]
        self._under_way.pop()
        return results


@frozen(eq=False)
class LoweringContext:
    """One equation as its op lowers it.

    Attributes
    ----------
    emitter : Emitter
        Writes the StableHLO.
    inputs : sequence of str
        The SSA names of the inputs.
    atoms : sequence of Atom
        The inputs, of which some may be constants.
    in_types, out_types : sequence of ArrayType
    params : mapping
        The equation's.
    """

    emitter: Emitter
    inputs: Sequence[str]
    atoms: Sequence[Atom]
    in_types: Sequence[ArrayType]
    out_types: Sequence[ArrayType]
    params: Mapping[str, Any]

    def outlined(self, lower: Callable[[LoweringContext], Sequence[str]]) -> Sequence[str]:
        """Emit an outlined function that computes the equation, as `lower` does inside of it; returns the results."""

        def body(names: list[str]) -> Sequence[str]:
            return lower(dataclasses.replace(self, inputs=names))

        return self.emitter.outlined(self.inputs, self.in_types, self.out_types, body)
