"""StableHLO's ops as text, in MLIR's generic form, one SSA value a line."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from anabranch.runtime.host.buffer_types import DTYPES
from anabranch.runtime.ir.array_type import ArrayType

Types = Sequence[ArrayType]
# Emits what is computed of values by their names: one of them, or several.
Rule = Callable[[list[str]], str]
Body = Callable[[list[str]], Sequence[str]]

# Ops that XLA may replace by bitcasts of their operand, where that has as many elements.
_BITCASTS = frozenset(["reshape", "transpose", "bitcast_convert", "broadcast_in_dim"])


class _Repeated(NamedTuple):
    """The value that an array repeats, by name or, of a constant, by value; its type, and its axes in the array."""

    source: str | np.generic
    type: ArrayType
    dims: Sequence[int]


def in_c_order(type: ArrayType) -> Sequence[int]:
    """The axes of an array whose last one is the fastest."""
    return range(len(type.shape))[::-1]


class StablehloText:
    """The text of one function body under construction.

    Every method that emits returns the SSA name (`%12`) of what it made.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0
        self._constants: list[dict[object, str]] = [{}]
        self._repeated: dict[str, _Repeated] = {}
        self._bitcasts: dict[str, str] = {}  # what may be another value's memory, by that one's name
        self._made_of: dict[str, str] = {}  # what has the numbers of another value, by that one's name

    def fresh(self) -> str:
        """A new SSA name."""
        self._count += 1
        return f"%{self._count}"

    def op(
        self,
        name: str,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        out: ArrayType,
        attributes: str = "",
    ) -> str:
        """Emit `stablehlo.NAME` (or a name that has a dot, as it is) with one result."""
        result = self.fresh()
        attributes = f" {{{attributes}}}" if attributes else ""
        ins = ", ".join(map(tensor, in_types))
        dialect = name if "." in name else f"stablehlo.{name}"
        self.lines.append(f'{result} = "{dialect}"({", ".join(operands)}){attributes} : ({ins}) -> {tensor(out)}')
        if name in _BITCASTS and in_types[0].size == out.size:
            self._bitcasts[result] = self.memory_of(operands[0])
        return result

    def memory_of(self, name: str) -> str:
        """The value in whose memory XLA may keep this one, as it has the same elements in the same order."""
        return self._bitcasts.get(name, name)

    def fence(self, operand: str, type: ArrayType) -> str:
        """Emit an `optimization_barrier`, one in a block for each value; there are as many as of all other ops."""
        scope, key = self._constants[-1], ("fence", operand)
        if key not in scope:
            scope[key], text = self.fresh(), tensor(type)
            self._made_of[scope[key]] = operand
            self._bitcasts[scope[key]] = self.memory_of(operand)
            self.lines.append(f'{scope[key]} = "stablehlo.optimization_barrier"({operand}) : ({text}) -> {text}')
        return scope[key]

    def fence_source(self, operand: str, type: ArrayType) -> str:
        """As `fence`; of a broadcast the barrier goes before it: of one after it, XLA makes an array before a loop."""
        if operand not in self._repeated or not type.shape:
            return self.fence(operand, type)
        scope, key = self._constants[-1], ("fenced source", operand)
        if key not in scope:
            source, source_type, dims = self._repeated[operand]
            name = source if isinstance(source, str) else self.constant(source, source_type)
            scope[key] = self.broadcast(self.fence(name, source_type), source_type, type.shape, dims)
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

    def custom_call(
        self,
        operands: Sequence[str],
        in_types: Sequence[ArrayType],
        outs: Sequence[ArrayType],
        attributes: str,
        order: Callable[[ArrayType], Sequence[int]] = in_c_order,
    ) -> list[str]:
        """Emit a call of a function that is no part of the program.

        `order` lists the axes of an array, the fastest first. Without it, XLA has the elements of the call's arrays
        lie as suits what stands around the call: as columns, where LAPACK reads them next.
        """
        for which, types in (("operand", in_types), ("result", outs)):
            layouts = (f"dense<{list(axes) if (axes := order(t)) else ''}> : tensor<{len(axes)}xindex>" for t in types)
            attributes += f", {which}_layouts = [{', '.join(layouts)}]"
        return self.multi("custom_call", operands, in_types, outs, attributes=attributes)

    @staticmethod
    def _results(name: str, count: int) -> list[str]:
        """The names of an op's results: `%12` alone, `%12#0`, `%12#1`, … of several."""
        return [name] if count == 1 else [f"{name}#{i}" for i in range(count)]

    def region(self, types: Types, body: Body) -> list[str]:
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

    def loop(self, state: Sequence[str], types: Types, test: Rule, step: Body) -> list[str]:
        """Emit a `while`: steps for as long as the test, a bool scalar, holds of the state; returns the last state."""
        scalar = ArrayType((), np.dtype(bool))
        regions = [
            self.region(types, lambda names: self.typed([test(names)], [scalar])),
            self.region(types, lambda names: self.typed(step(names), types)),
        ]
        return self.multi("while", state, types, types, regions)

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

    # ---- constants ---------------------------------------------------------------------------------------------------

    def constant(self, value: object, type: ArrayType) -> str:
        """A constant of `type`; a scalar `value` is splat. Equal constants are emitted once in a block."""
        array = np.asarray(value, dtype=type.dtype)
        if array.size and not any(n > 1 and stride for n, stride in zip(array.shape, array.strides, strict=True)):
            first = array[(0,) * array.ndim]
            key = (type, first.tobytes())
            scope = self._constants[-1]
            if key not in scope:
                scope[key] = self._dense(_splat(np.asarray(first)), type)
                self._repeated[scope[key]] = _Repeated(first, ArrayType((), type.dtype), ())
            return scope[key]
        if array.shape != type.shape:
            raise TypeError(f"a constant of shape {array.shape} for {type}")
        if array.size == 0:
            return self._dense("", type)
        if array.dtype.kind == "b":
            return self._dense(_nested(array), type)
        content, scope = np.ascontiguousarray(array).tobytes(), self._constants[-1]
        if (type, content) not in scope:
            scope[type, content] = self._dense(f'"0x{content.hex().upper()}"', type)
        return scope[type, content]

    def blank(self, type: ArrayType) -> str:
        """An array of any contents, for one of which all elements are to be written."""
        return self.constant(0, type)

    def undefined(self, type: ArrayType) -> str:
        """An array of any contents, of which nothing is read."""
        return self.constant(0, type)

    def _dense(self, text: str, type: ArrayType) -> str:
        name = self.fresh()
        self.lines.append(
            f'{name} = "stablehlo.constant"() {{value = dense<{text}> : {tensor(type)}}} : () -> {tensor(type)}'
        )
        return name

    # ---- the common ops ----------------------------------------------------------------------------------------------

    def binary(self, name: str, x: str, y: str, type: ArrayType) -> str:
        return self.op(name, [x, y], [type, type], type)

    def multiply_add(self, names: Sequence[str], type: ArrayType) -> str:
        """X * y + z, which LLVM fuses on the machines where NumPy does."""
        return self.binary("add", self.binary("multiply", names[0], names[1], type), names[2], type)

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
        if source.dtype == dtype:
            return x
        result = self.op("convert", [x], [source], ArrayType(source.shape, dtype))
        self._made_of[result] = x
        return result

    def broadcast(self, x: str, source: ArrayType, shape: Sequence[int], dims: Sequence[int]) -> str:
        """`stablehlo.broadcast_in_dim`: axis i of x becomes axis dims[i]."""
        out = ArrayType(tuple(shape), source.dtype)
        result = self.op("broadcast_in_dim", [x], [source], out, f"broadcast_dimensions = {ints(dims)}")
        self._repeated[result] = _Repeated(x, source, dims)
        return result

    def reshape(self, x: str, source: ArrayType, shape: Sequence[int]) -> str:
        if tuple(shape) == source.shape:
            return x
        result = self.op("reshape", [x], [source], ArrayType(tuple(shape), source.dtype))
        self._made_of[result] = x
        return result

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
        self, xs: Sequence[str], types: Types, inits: Sequence[str], axes: Sequence[int], body: Body
    ) -> list[str]:
        """`stablehlo.reduce` over `axes`; `body` gets the accumulators, then the elements, as scalars."""
        scalars = [ArrayType((), t.dtype) for t in types]
        keep = [i for i in range(len(types[0].shape)) if i not in axes]
        outs = [ArrayType(tuple(t.shape[i] for i in keep), t.dtype) for t in types]
        region = self.region([*scalars, *scalars], lambda names: self.typed(body(names), scalars))
        return self.multi(
            "reduce", [*xs, *inits], [*types, *scalars], outs, [region], f"dimensions = {ints(sorted(axes))}"
        )

    def ascending(self, x: str, type: ArrayType, axis: int) -> str:
        """`stablehlo.sort` of integers along an axis, with XLA's stable algorithm because that is the faster one."""
        element = ArrayType((), type.dtype)

        def less(names: list[str]) -> Sequence[str]:
            return self.typed([self.compare(names[0], names[1], "LT", element)], [ArrayType((), np.dtype(bool))])

        region = self.region([element, element], less)
        return self.multi("sort", [x], [type], [type], [region], f"dimension = {axis} : i64, is_stable = true")[0]


_ELEMENT = {dtype.name: name for name, dtype in DTYPES.items()}


@functools.lru_cache(maxsize=256)
def _element(dtype: np.dtype) -> str:
    """MLIR's name of a dtype."""
    return _ELEMENT[dtype.name]


@functools.lru_cache(maxsize=4096)
def tensor(type: ArrayType) -> str:
    """`tensor<3x4xf64>`."""
    return f"tensor<{''.join(f'{n}x' for n in type.shape)}{_element(type.dtype)}>"


def ints(values: Sequence[int]) -> str:
    """`array<i64: 1, 2>`."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def _splat(value: np.ndarray) -> str:
    """A scalar as MLIR writes it; floats as bits, so that NaN payloads, infinities and -0.0 survive."""
    kind = value.dtype.kind
    if kind == "b":
        return "true" if value else "false"
    if kind in "iu":
        return str(int(value))
    if kind == "c":
        part = np.float32 if value.dtype.itemsize == 8 else np.float64
        return f"({_splat(np.asarray(value.real, part))}, {_splat(np.asarray(value.imag, part))})"
    return "0x" + value.tobytes()[::-1].hex().upper()


def _nested(array: np.ndarray) -> str:
    """The text of an array's elements, in brackets for each axis."""
    if array.ndim == 0:
        return _splat(array)
    return "[" + ", ".join(map(_nested, array)) + "]"
