"""Draws from PCG64 in machine code: NumPy's own function, on the words of the state and on bits that are made here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anabranch.runtime.host.generator_state import pcg64_factor
from anabranch.runtime.host.numpy_samplers import PREFIX, SAMPLERS, Sampler, address_of
from anabranch.runtime.ir.program import Equation
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import constant
from anabranch.runtime.native.scalar_ops import convert
from anabranch.runtime.ops.elementwise.term import FLOAT64
from anabranch.runtime.ops.random_draws import DrawCall, Operand

_WORDS = 6
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


def drawn(code: Instructions, equation: Equation, words: Sequence[str], operands: Sequence[str]) -> list[str]:
    """Write a draw of one number; returns the words after it, the ticket and the number.

    Parameters
    ----------
    code
    equation
    words
        The elements of the state.
    operands
        The names of the inputs after it.

    """
    call = equation.params["call"]
    sampler = SAMPLERS[call.method]
    off, *given = operands
    arguments = [_argument(code, equation, call, given, name, default) for name, default, _ in sampler.parameters]
    state = code.reserve(f"[{_WORDS} x i64]")
    addresses = [code.emit(f"getelementptr i64, ptr {state}, i64 {k}") for k in range(_WORDS)]
    for address, word in zip(addresses, words, strict=True):
        code.act(f"store i64 {word}, ptr {address}")
    number = _unless(code, off, sampler, _bit_generator(code, state), arguments)
    after = [code.emit(f"load i64, ptr {address}") for address in addresses]
    return [*after, "0", number]


def has_sampler(equation: Equation) -> bool:
    """Return whether one of NumPy's functions makes a draw: of one number, from PCG64."""
    kind, call, out = (equation.params[name] for name in ("kind", "call", "out"))
    found = SAMPLERS.get(call.method)
    if found is None or not equation.params["is_checked"] or call.args or out is None or out.shape:
        return False
    given = {name for name, value in call.kwargs if value is not None}
    is_known = given <= {name for name, _, _ in found.parameters}
    return is_known and (kind.name, kind.algorithm) == ("Generator", "PCG64") and address_of(found.symbol) is not None


def _argument(
    code: Instructions, equation: Equation, call: DrawCall, given: Sequence[str], name: str, default: float | None
) -> str:
    """The float that is passed for a parameter."""
    value: Any = dict(call.kwargs).get(name, default)
    value = default if value is None else value
    if not isinstance(value, Operand):
        return constant(np.array(float(value)))
    return convert(code, given[value.index], equation.inputs[2 + value.index].type.dtype, FLOAT64)


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


def _unless(code: Instructions, off: str, sampler: Sampler, bits: str, arguments: Sequence[str]) -> str:
    """The number that is drawn; 0 where the draw is off."""
    out, symbol = ("i64" if sampler.is_int else "double"), PREFIX + sampler.symbol
    types = ", ".join(["ptr", *["double"] * len(arguments)])
    passed = ", ".join([f"ptr {bits}", *[f"double {x}" for x in arguments]])
    text = f"call {out} @{symbol}({passed})"
    if off == "false":
        return code.emit(text, symbol, out, types)
    before, draw, done = code.block, code.label("draw"), code.label("drawn")
    code.branch(off, done, draw, unlikely=True)
    code.begin(draw)
    number = code.emit(text, symbol, out, types)
    code.jump(done)
    code.begin(done)
    zero = "0" if sampler.is_int else "0.0"
    return code.emit(f"phi {out} [ {zero}, %{before} ], [ {number}, %{draw} ]")
