"""Remainders of floats: exact, by one division where the quotient is not too large for that; else the C library's.

The quotient's whole part is the true one, or one more where it was rounded up to that; what is left then is less than
the divisor and a multiple of the unit in its last place, so that it is computed without an error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anabranch.runtime.native.instructions import UNLIKELY, Instructions
from anabranch.runtime.native.llvm_types import value_type

# From these on not all whole numbers are floats, nor is half of the unit in the last place less than one.
_MOST = {8: 2.0**51, 4: 2.0**22}
_TEXT = """
define internal {t} @remainder_{t}({t} %x, {t} %y) alwaysinline nounwind {{
  %from = call {t} @llvm.fabs.{f}({t} %x)
  %by = call {t} @llvm.fabs.{f}({t} %y)
  %quotient = fdiv {t} %from, %by
  %is_large = fcmp uge {t} %quotient, {most}
  br i1 %is_large, label %ask, label %divide, !prof {unlikely}
divide:
  %whole = call {t} @llvm.trunc.{f}({t} %quotient)
  %minus = fneg {t} %whole
  %rest = call {t} @llvm.fma.{f}({t} %minus, {t} %by, {t} %from)
  %more = fadd {t} %rest, %by
  %is_beyond = fcmp olt {t} %rest, {zero}
  %right = select i1 %is_beyond, {t} %more, {t} %rest
  %is_less = fcmp olt {t} %from, %by
  %left = select i1 %is_less, {t} %from, {t} %right
  %signed = call {t} @llvm.copysign.{f}({t} %left, {t} %x)
  ret {t} %signed
ask:
  %asked = call {t} @{library}({t} %x, {t} %y)
  ret {t} %asked
}}"""


def remainder(code: Instructions, operands: Sequence[str], dtype: np.dtype, out: np.dtype) -> str:
    """The remainder of a float with the sign of what is divided, as `fmod` has it."""
    kind, form = value_type(dtype), f"f{8 * dtype.itemsize}"
    if dtype.itemsize not in _MOST or _is_power_of_two(operands[1]):
        return code.add("frem", kind, *operands)
    for name, count in (("fabs", 1), ("trunc", 1), ("copysign", 2), ("fma", 3)):
        full = f"llvm.{name}.{form}"
        code.declarations[full] = f"declare {kind} @{full}({', '.join([kind] * count)})"
    # A call, as LLVM takes its own instruction for one that may be computed for nothing.
    library = "fmod" if dtype.itemsize == 8 else "fmodf"
    code.declarations[library] = f"declare {kind} @{library}({kind}, {kind})"
    name, most = f"remainder_{kind}", f"0x{np.float64(_MOST[dtype.itemsize]).view(np.uint64):016X}"
    zero = "0x0000000000000000"
    text = _TEXT.format(t=kind, f=form, most=most, zero=zero, unlikely=UNLIKELY, library=library)
    code.declarations[name] = text
    return code.emit(f"call {kind} @{name}({', '.join(f'{kind} {x}' for x in operands)})")


def _is_power_of_two(x: str) -> bool:
    """Return whether a float is a power of two that the code says, for which LLVM makes vectors of the division."""
    return x.startswith("0x") and math.frexp(float(np.uint64(int(x, 16)).view(np.float64)))[0] == 0.5
