"""Powers of one number in nested loops, to whole numbers that come again and again: those that are known are kept.

So it is in trees of options, `u ** j * d ** (i - j)`. The library's function takes five times as long as a look at a
table of its results.
"""

from __future__ import annotations

import numpy as np

from anabranch.runtime.ir.program import Equation, Literal
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.ops.table import OPS

_POWER = OPS["power"]
# How many powers of a number are kept, and of how many numbers.
_KEPT, _MOST_TABLES = 1024, 4
# A sum with this number has a whole one as its lowest bits. A place holds an exponent, at first one that is not a
# number, and its power.
_POWER_OF = f"""
define internal double @kept_power(double %x, double %y, ptr %kept) alwaysinline nounwind {{
  %sum = fadd double %y, 0x4338000000000000
  %bits = bitcast double %sum to i64
  %place = and i64 %bits, {_KEPT - 1}
  %exponent.p = getelementptr inbounds [2 x double], ptr %kept, i64 %place
  %power.p = getelementptr inbounds double, ptr %exponent.p, i64 1
  %exponent = load double, ptr %exponent.p
  %is_known = fcmp oeq double %exponent, %y
  br i1 %is_known, label %known, label %new
known:
  %before = load double, ptr %power.p
  ret double %before
new:
  %power = call double @pow(double %x, double %y)
  store double %y, ptr %exponent.p
  store double %power, ptr %power.p
  ret double %power
}}"""


class KeptPowers:
    """The tables of a function, one for each number."""

    def __init__(self, code: Instructions) -> None:
        self._code = code
        self._tables: dict[str, str] = {}
        self._reserved: list[str] = []  # the beginning of the function that has them

    @staticmethod
    def may_keep(equation: Equation) -> bool:
        """Return whether an equation is a power of one float to another that the code does not say."""
        is_float = equation.op is _POWER and equation.outputs[0].type.dtype == np.float64
        return is_float and equation.outputs[0].type.size == 1 and not isinstance(equation.inputs[1], Literal)

    def power(self, base: str, exponent: str) -> str:
        """Write the look into the table of a number."""
        code = self._code
        code.declarations["pow"] = "declare double @pow(double, double)"
        table = self._table(base)
        if not table:
            return code.emit(f"call double @pow(double {base}, double {exponent})")
        code.declarations["kept_power"] = _POWER_OF
        return code.emit(f"call double @kept_power(double {base}, double {exponent}, ptr {table})")

    def _table(self, base: str) -> str:
        """The address of the table of a number; empty where there are too many."""
        code = self._code
        if self._reserved is not code.reserved:
            self._reserved, self._tables = code.reserved, {}
        if base not in self._tables and len(self._tables) < _MOST_TABLES:
            self._tables[base] = table = code.reserve(f"[{_KEPT} x [2 x double]]")
            code.declarations["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
            code.reserved.append(f"  call void @llvm.memset.p0.i64(ptr {table}, i8 255, i64 {16 * _KEPT}, i1 false)")
        return self._tables.get(base, "")
