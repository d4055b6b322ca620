"""Floats to powers, without the C library's function where that takes longer.

Small whole powers, which the code says or the run, are products of twice the precision, rounded once: the library takes
ten times as long, and has seldom another number. The power 0.5 is a square root where the library has the same number
for certain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Equation, Literal
from anabranch.runtime.native.instructions import UNLIKELY, Instructions
from anabranch.runtime.native.llvm_types import value_type
from anabranch.runtime.ops.elementwise.power import WHOLE_POWERS
from anabranch.runtime.ops.table import OPS

_ZERO, _ONE = "0x0000000000000000", "0x3FF0000000000000"
# The power 0.5. The square root differs from its float by half of `x - root ** 2` in proportion to the root. Where that
# is less than 31/64 of the unit in the last place, a library that errs by less than 33/64 rounds to the same float;
# where it is more, or there is no such number, the library is asked.
_ROOT = f"""
define internal double @power_half(double %x) alwaysinline nounwind {{
  %root = call double @llvm.sqrt.f64(double %x)
  %minus = fneg double %x
  %rest = call double @llvm.fma.f64(double %root, double %root, double %minus)
  %far = call double @llvm.fabs.f64(double %rest)
  %bits = bitcast double %root to i64
  %exponent = and i64 %bits, 9218868437227405312
  %unit = bitcast i64 %exponent to double
  %part = fmul double %unit, 0x3CAF000000000000
  %most = fmul double %part, %root
  %is_far = fcmp uge double %far, %most
  br i1 %is_far, label %ask, label %same, !prof {UNLIKELY}
same:
  ret double %root
ask:
  %power = call double @pow(double %x, double 0.5)
  ret double %power
}}"""

# A power that is known only at run time is mostly whole and small, and in a loop the same one for all elements. The
# base is squared while the power is even, and that is multiplied by squares of it for the bits that are left.
_OF_ANY = f"""
define internal {{ double, double }} @exact_product(
    {{ double, double }} %x, {{ double, double }} %y) alwaysinline nounwind {{
  %a = extractvalue {{ double, double }} %x, 0
  %b = extractvalue {{ double, double }} %y, 0
  %a.rest = extractvalue {{ double, double }} %x, 1
  %b.rest = extractvalue {{ double, double }} %y, 1
  %value = fmul double %a, %b
  %minus = fneg double %value
  %rest.1 = call double @llvm.fma.f64(double %a, double %b, double %minus)
  %rest.2 = call double @llvm.fma.f64(double %a, double %b.rest, double %rest.1)
  %rest = call double @llvm.fma.f64(double %a.rest, double %b, double %rest.2)
  %half = insertvalue {{ double, double }} undef, double %value, 0
  %both = insertvalue {{ double, double }} %half, double %rest, 1
  ret {{ double, double }} %both
}}
define internal double @any_power(double %x, double %y) alwaysinline nounwind {{
  %whole = call i32 @llvm.fptosi.sat.i32.f64(double %y)
  %again = sitofp i32 %whole to double
  %is_whole = fcmp oeq double %again, %y
  %size = call i32 @llvm.abs.i32(i32 %whole, i1 false)
  %is_small = icmp ule i32 %size, {max(WHOLE_POWERS)}
  %is_product = and i1 %is_whole, %is_small
  %n = select i1 %is_product, i32 %whole, i32 0
  switch i32 %n, label %other [ i32 0, label %ask i32 1, label %same i32 2, label %square i32 3, label %cube
    i32 -1, label %inverse ]
ask:
  %asked = call double @pow(double %x, double %y)
  ret double %asked
same:
  ret double %x
inverse:
  %inverted = fdiv double {_ONE}, %x
  ret double %inverted
square:
  %squared = fmul double %x, %x
  ret double %squared
cube:
  %alone = insertvalue {{ double, double }} zeroinitializer, double %x, 0
  %second = call {{ double, double }} @exact_product({{ double, double }} %alone, {{ double, double }} %alone)
  %third = call {{ double, double }} @exact_product({{ double, double }} %second, {{ double, double }} %alone)
  %cubed = call double @rounded({{ double, double }} %third)
  ret double %cubed
other:
  %power = call double @any_whole_power(double %x, i32 %n)
  ret double %power
}}
define internal double @rounded({{ double, double }} %x) alwaysinline nounwind {{
  %value = extractvalue {{ double, double }} %x, 0
  %rest = extractvalue {{ double, double }} %x, 1
  %total = fadd double %value, %rest
  %is_one = fcmp one double %total, {_ZERO}
  %nearest = select i1 %is_one, double %total, double %value
  ret double %nearest
}}
define internal double @any_whole_power(double %x, i32 %n) noinline nounwind {{
  %alone = insertvalue {{ double, double }} zeroinitializer, double %x, 0
  %is_inverse = icmp slt i32 %n, 0
  br i1 %is_inverse, label %inverse, label %even
inverse:
  %quotient = fdiv double {_ONE}, %x
  %quotient.minus = fneg double %quotient
  %left = call double @llvm.fma.f64(double %quotient.minus, double %x, double {_ONE})
  %quotient.rest = fmul double %quotient, %left
  %quotient.half = insertvalue {{ double, double }} undef, double %quotient, 0
  %inverted = insertvalue {{ double, double }} %quotient.half, double %quotient.rest, 1
  %positive = sub i32 0, %n
  br label %even
even:
  %bits = phi i32 [ %n, %0 ], [ %positive, %inverse ], [ %bits.half, %halve ]
  %base = phi {{ double, double }} [ %alone, %0 ], [ %inverted, %inverse ], [ %base.next, %halve ]
  %bit = trunc i32 %bits to i1
  %bits.half = lshr i32 %bits, 1
  br i1 %bit, label %odd, label %halve
halve:
  %base.next = call {{ double, double }} @exact_product({{ double, double }} %base, {{ double, double }} %base)
  br label %even
odd:
  %left.bits = phi i32 [ %bits.half, %even ], [ %left.half, %next ]
  %found = phi {{ double, double }} [ %base, %even ], [ %found.next, %next ]
  %from = phi {{ double, double }} [ %base, %even ], [ %from.next, %next ]
  %is_done = icmp eq i32 %left.bits, 0
  br i1 %is_done, label %done, label %more
more:
  %from.next = call {{ double, double }} @exact_product({{ double, double }} %from, {{ double, double }} %from)
  %left.bit = trunc i32 %left.bits to i1
  %left.half = lshr i32 %left.bits, 1
  br i1 %left.bit, label %multiply, label %next
multiply:
  %product = call {{ double, double }} @exact_product({{ double, double }} %found, {{ double, double }} %from.next)
  br label %next
next:
  %found.next = phi {{ double, double }} [ %found, %more ], [ %product, %multiply ]
  br label %odd
done:
  %nearest = call double @rounded({{ double, double }} %found)
  ret double %nearest
}}"""


@frozen
class _Sum:
    """A number as the sum of two, of which the second one is a rest of the first."""

    # The rest is empty where there is none.
    value: str
    rest: str = ""


_Rule: TypeAlias = Callable[[Instructions, _Sum, _Sum], _Sum]


def known_power(code: Instructions, x: str, exponent: str, dtype: np.dtype) -> str:
    """The power of a float; empty where the exponent is neither 0.5 nor a small whole number that the code says."""
    number = float(np.uint64(int(exponent, 16)).view(np.float64)) if exponent.startswith("0x") else 0.0
    if number == 0.5 and dtype.itemsize == 8 and code.is_exact:
        return _root(code, x)
    return whole_power(code, x, int(number), dtype) if number in WHOLE_POWERS else ""


def whole_power(code: Instructions, x: str, power: int, dtype: np.dtype) -> str:
    """The power of a float to a whole number of `WHOLE_POWERS`.

    LLVM makes a product of a square itself; what two numbers can't hold of a product grows with the power.
    """
    kind = value_type(dtype)
    is_exact = kind == "double" and code.is_exact
    wide = x if kind == "double" else code.emit(f"fpext {kind} {x} to double")
    base = _Sum(wide) if power > 0 else _inverse(code, wide) if is_exact else _Sum(_quotient(code, wide))
    made = _power(code, base, abs(power), _exact_product if is_exact else _product)
    if is_exact:
        return _rounded(code, made)
    return made.value if kind == "double" else code.emit(f"fptrunc double {made.value} to {kind}")


def any_power(code: Instructions, x: str, y: str) -> str:
    """The power of a float64 to another that is known only at run time."""
    code.declarations["llvm.fptosi.sat.i32.f64"] = "declare i32 @llvm.fptosi.sat.i32.f64(double)"
    code.declarations["llvm.abs.i32"] = "declare i32 @llvm.abs.i32(i32, i1)"
    code.declarations["llvm.fma.f64"] = "declare double @llvm.fma.f64(double, double, double)"
    code.declarations["pow"] = "declare double @pow(double, double)"
    made = code.emit(f"call double @any_power(double {x}, double {y})")
    code.declarations["any_power"] = _OF_ANY
    return made


def _quotient(code: Instructions, x: str) -> str:
    return code.add("fdiv", "double", _ONE, x)


def _inverse(code: Instructions, x: str) -> _Sum:
    value = _quotient(code, x)
    left = code.call("llvm.fma.f64", "double", "double", code.emit(f"fneg double {value}"), x, _ONE)
    return _Sum(value, code.emit(f"fmul double {value}, {left}"))


def _root(code: Instructions, x: str) -> str:
    for name in ("llvm.sqrt.f64", "llvm.fabs.f64"):
        code.declarations[name] = f"declare double @{name}(double)"
    code.declarations["llvm.fma.f64"] = "declare double @llvm.fma.f64(double, double, double)"
    code.declarations["pow"] = "declare double @pow(double, double)"
    made = code.emit(f"call double @power_half(double {x})")
    code.declarations["power_half"] = _ROOT
    return made


def _power(code: Instructions, x: _Sum, power: int, product: _Rule) -> _Sum:
    """The power by squares."""
    found, square = _Sum(""), x
    while True:
        if power & 1:
            found = product(code, found, square) if found.value else square
        power >>= 1
        if not power:
            return found
        square = product(code, square, square)


def _product(code: Instructions, x: _Sum, y: _Sum) -> _Sum:
    return _Sum(code.add("fmul", "double", x.value, y.value))


def _exact_product(code: Instructions, x: _Sum, y: _Sum) -> _Sum:
    """The product but for the product of the rests."""
    value = code.emit(f"fmul double {x.value}, {y.value}")
    rest = code.emit(f"fneg double {value}")
    for one, other in ((x.value, y.value), (x.value, y.rest), (x.rest, y.value)):
        if one and other:
            rest = code.call("llvm.fma.f64", "double", "double", one, other, rest)
    return _Sum(value, rest)


def _rounded(code: Instructions, x: _Sum) -> str:
    """The float nearest to a sum. The rest of an infinite product is no number, and that of -0.0 takes its sign."""
    total = code.emit(f"fadd double {x.value}, {x.rest}")
    is_one = code.emit(f"fcmp one double {total}, {_ZERO}")
    return code.emit(f"select i1 {is_one}, double {total}, double {x.value}")


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
            return any_power(code, base, exponent)
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
