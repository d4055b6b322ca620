"""Floats: sines and cosines of one angle, one call where both are asked for, and exact remainders."""

from __future__ import annotations

import math
import re
import sys
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


# Where the C library is known to have one function for both that gives the same bits.
_HAS_BOTH = sys.platform == "linux"
_PLACES = {"sin": 0, "cos": 1}
_BOTH = """
define internal { double, double } @sin_and_cos(double %x) alwaysinline nounwind {
  %sine.p = alloca double
  %cosine.p = alloca double
  call void @sincos(double %x, ptr %sine.p, ptr %cosine.p)
  %sine = load double, ptr %sine.p
  %cosine = load double, ptr %cosine.p
  %first = insertvalue { double, double } undef, double %sine, 0
  %both = insertvalue { double, double } %first, double %cosine, 1
  ret { double, double } %both
}"""


def of_angle(code: Instructions, name: str, x: str) -> str:
    """The sine or the cosine of a double; the instruction before, if it asks for the other one, then asks for both."""
    (other,) = _PLACES.keys() - {name}
    asked = rf"  (%v\d+) = call double @{other}\(double {re.escape(x)}\)(.*)"
    before = re.fullmatch(asked, code.lines[-1]) if _HAS_BOTH and code.lines else None
    if before is None:
        return code.call(name, "double", "double", x)
    code.declarations["sincos"] = "declare void @sincos(double, ptr, ptr)"
    code.declarations["sin_and_cos"] = _BOTH
    both = code.fresh()
    part = f"extractvalue {{ double, double }} {both},"
    code.lines[-1:] = [
        f"  {both} = call {{ double, double }} @sin_and_cos(double {x}){before[2]}",
        f"  {before[1]} = {part} {_PLACES[other]}{before[2]}",
    ]
    return code.emit(f"{part} {_PLACES[name]}")
