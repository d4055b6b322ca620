"""Draws from PCG64 in machine code: NumPy's own functions, on the words of the state and on bits that are made here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.host.generator_state import pcg64_factor
from anabranch.runtime.host.numpy_c_functions import PREFIX, SAMPLERS, UNIFORM, Bound, Sampler, address_of
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.element_loops import ElementLoops
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import constant, packed
from anabranch.runtime.native.scalar_ops import convert
from anabranch.runtime.native.value_emitter import ValueEmitter
from anabranch.runtime.ops.elementwise.term import FLOAT64
from anabranch.runtime.ops.random_draws import DrawCall, Operand
from anabranch.runtime.passes.sealed_loops import MOST_ELEMENTS

_WORDS = 6
_KIND = ("Generator", "PCG64")
# Fills memory with ints of a range; `numpy.random.Generator.integers` calls it for int64.
_INTS = "random_bounded_uint64_fill"
_FUNCTIONS = ("next64", "next32", "double", "next64")  # those of a `bitgen_t`, in order
# A state is its low and high half, the increment's, whether half of a word is left, and that half.
_PCG64 = """
define internal i64 @pcg64_next64(ptr %state) {{
  %high.p = getelementptr i64, ptr %state, i64 1
  %value = load i128, ptr %state, align 8
  %increment.p = getelementptr i64, ptr %state, i64 2
  %increment = load i128, ptr %increment.p, align 8
  %product = mul i128 %value, {factor}
  %next = add i128 %product, %increment
  store i128 %next, ptr %state, align 8
  %low = trunc i128 %next to i64
  %shifted = lshr i128 %next, 64
  %high = trunc i128 %shifted to i64
  %mixed = xor i64 %low, %high
  %turn = lshr i64 %high, 58
  %back = sub i64 0, %turn
  %turned = call i64 @llvm.fshl.i64(i64 %mixed, i64 %mixed, i64 %back)
  ret i64 %turned
}}
define internal i32 @pcg64_next32(ptr %state) {{
  %has.p = getelementptr i64, ptr %state, i64 4
  %half.p = getelementptr i64, ptr %state, i64 5
  %has = load i64, ptr %has.p
  %is = icmp ne i64 %has, 0
  br i1 %is, label %left, label %new
left:
  store i64 0, ptr %has.p
  %kept = load i64, ptr %half.p
  %old = trunc i64 %kept to i32
  ret i32 %old
new:
  %bits = call i64 @pcg64_next64(ptr %state)
  %upper = lshr i64 %bits, 32
  store i64 1, ptr %has.p
  store i64 %upper, ptr %half.p
  %lower = trunc i64 %bits to i32
  ret i32 %lower
}}
define internal double @pcg64_double(ptr %state) {{
  %bits = call i64 @pcg64_next64(ptr %state)
  %some = lshr i64 %bits, 11
  %whole = sitofp i64 %some to double
  %scaled = fmul double %whole, 0x3CA0000000000000
  ret double %scaled
}}
"""


def drawn(emitter: ValueEmitter, equation: Equation, words: Sequence[str], operands: Sequence[str]) -> list[str]:
    """Write a draw of one number or of an array; returns the words after it, the ticket and the result.

    Parameters
    ----------
    words
        The elements of the state.
    operands
        The names of the inputs after it.
    """
    code, out = emitter.code, equation.params["out"]
    off, *given = operands
    state = code.reserve(f"[{_WORDS} x i64]")
    addresses = [code.emit(f"getelementptr i64, ptr {state}, i64 {k}") for k in range(_WORDS)]
    # One by one: a vector of words that have just been stored one by one is read only when they are in memory.
    for address, word in zip(addresses, words, strict=True):
        code.act(f"store volatile i64 {word}, ptr {address}")
    draw = _Draw(emitter, equation, given, _bit_generator(code, state))
    made = draw.number(off) if not out.shape else draw.array(off, out)
    after = [code.emit(f"load volatile i64, ptr {address}") for address in addresses]
    return [*after, "0", made]


def has_sampler(equation: Equation) -> bool:
    """Return whether NumPy's functions in C make a draw: of one number or of an array, from PCG64."""
    kind, call, out = (equation.params[name] for name in ("kind", "call", "out"))
    if not equation.params["is_checked"] or call.args or out is None or (kind.name, kind.algorithm) != _KIND:
        return False
    given = {name: value for name, value in call.kwargs if value is not None and name != "size"}
    if any(isinstance(v, Operand) and equation.inputs[2 + v.index].type.shape for v in given.values()):
        return False
    if call.method == "integers" and out.shape:
        are_ints = all(type(given.get(name, 0)) is int for name in ("low", "high"))
        return given.keys() <= {"low", "high", "endpoint"} and are_ints and address_of(_INTS) is not None
    found = _sampler(call.method, out)
    if found is None or not given.keys() <= {name for name, _, _ in found.parameters}:
        return False
    return address_of(found.symbol) is not None


def _sampler(method: str, out: ArrayType) -> Sampler | None:
    return UNIFORM if method == "uniform" and out.shape else SAMPLERS.get(method)


class _Draw:
    """A draw that is being written.

    Parameters
    ----------
    given
        The names of the operands of the call.
    bits
        The address of the `bitgen_t`.
    """

    def __init__(self, emitter: ValueEmitter, equation: Equation, given: Sequence[str], bits: str) -> None:
        self._emitter, self._code = emitter, emitter.code
        self._equation, self._given, self._bits = equation, given, bits
        self._call: DrawCall = equation.params["call"]

    def number(self, off: str) -> str:
        """One number; 0 where the draw is off."""
        sampler = _sampler(self._call.method, self._equation.params["out"])
        assert sampler is not None
        arguments = self._arguments(sampler)
        if off == "false":
            return self._sample(sampler, arguments)
        code, out = self._code, "i64" if sampler.is_int else "double"
        before, draw, done = code.block, code.label("draw"), code.label("drawn")
        code.branch(off, done, draw, unlikely=True)
        code.begin(draw)
        number = self._sample(sampler, arguments)
        code.jump(done)
        code.begin(done)
        zero = "0" if sampler.is_int else "0.0"
        return code.emit(f"phi {out} [ {zero}, %{before} ], [ {number}, %{draw} ]")

    def array(self, off: str, out: ArrayType) -> str:
        """An array of them, in memory of its own; of zeros where the draw is off."""
        code, memory = self._code, self._emitter.memory
        memory.expect_whole(out.size)
        place = memory.place_of(memory.allocate(out))
        skip, draw, done = code.label("skip"), code.label("draw"), code.label("drawn")
        if off != "false":
            code.branch(off, skip, draw, unlikely=True)
            code.begin(skip)
            code.clear(memory.pointer(place), out.nbytes)
            code.jump(done)
            code.begin(draw)
        if self._call.method == "integers":
            self._ints(memory.pointer(place), out.size)
        else:
            sampler = _sampler(self._call.method, out)
            assert sampler is not None
            arguments = self._arguments(sampler)
            with ElementLoops(self._emitter.arrays).each(out.size) as index:
                number = self._sample(sampler, arguments)
                memory.put(place, out.dtype, self._emitter.positions.value(index), number)
        if off != "false":
            code.jump(done)
            code.begin(done)
        name = memory.written(place)
        return name if out.size > MOST_ELEMENTS else packed(memory.whole(name, out))

    def _sample(self, sampler: Sampler, arguments: Sequence[str]) -> str:
        out, symbol = ("i64" if sampler.is_int else "double"), PREFIX + sampler.symbol
        types = ", ".join([argument.split()[0] for argument in arguments])
        return self._code.emit(f"call {out} @{symbol}({', '.join(arguments)})", symbol, out, types)

    def _arguments(self, sampler: Sampler) -> list[str]:
        """The arguments that are passed, with their types."""
        code = self._code
        found = [self._argument(*parameter) for parameter in sampler.parameters]
        if sampler is UNIFORM:
            # It takes the lower end and the distance.
            found[1] = code.add("fsub", "double", found[1], found[0])
        kinds = ["i64" if bound is Bound.COUNT else "double" for *_, bound in sampler.parameters]
        passed = [f"ptr {self._bits}", *map(" ".join, zip(kinds, found, strict=True))]
        if sampler.scratch:
            scratch = code.reserve(f"[{sampler.scratch} x i8]")
            code.clear(scratch, sampler.scratch)
            passed.append(f"ptr {scratch}")
        return passed

    def _argument(self, name: str, default: float | None, bound: Bound) -> str:
        """The number that is passed for a parameter."""
        value: Any = dict(self._call.kwargs).get(name, default)
        value = default if value is None else value
        wanted = np.dtype(np.int64) if bound is Bound.COUNT else FLOAT64
        if not isinstance(value, Operand):
            return constant(np.array(value, wanted))
        dtype = self._equation.inputs[2 + value.index].type.dtype
        return convert(self._code, self._given[value.index], dtype, wanted)

    def _ints(self, pointer: str, count: int) -> None:
        """Write the call that fills memory with bounded ints."""
        known = {name: value for name, value in self._call.kwargs if value is not None}
        low, high = (known.get("low", 0), known["high"]) if "high" in known else (0, known["low"])
        distance = high - low - (not known.get("endpoint", False))
        symbol = PREFIX + _INTS
        self._code.declarations[symbol] = f"declare void @{symbol}(ptr, i64, i64, i64, i1 zeroext, ptr)"
        numbers = f"i64 {low}, i64 {distance}, i64 {count}, i1 zeroext false"
        self._code.act(f"call void @{symbol}(ptr {self._bits}, {numbers}, ptr {pointer})")


def _bit_generator(code: Instructions, state: str) -> str:
    """The address of a `bitgen_t` of a state."""
    text = _PCG64.format(factor=pcg64_factor())
    if text not in code.globals:
        code.globals.append(text)
    code.declarations["llvm.fshl.i64"] = "declare i64 @llvm.fshl.i64(i64, i64, i64)"
    made = code.reserve(f"[{1 + len(_FUNCTIONS)} x ptr]")
    for place, value in enumerate([state, *(f"@pcg64_{name}" for name in _FUNCTIONS)]):
        address = code.emit(f"getelementptr ptr, ptr {made}, i64 {place}")
        code.act(f"store ptr {value}, ptr {address}")
    return made
