"""Floats to small whole powers that the code says: products of twice the precision, rounded once.

The C library's function takes ten times as long, and is seldom another number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.native.instructions import Instructions
from anabranch.runtime.native.llvm_types import value_type

# LLVM makes a product of a square itself; what two numbers can't hold of a product grows with the power.
_POWERS = range(3, 17)
_ZERO = "0x0000000000000000"


@frozen
class _Sum:
    """A number as the sum of two, of which the second one is a rest of the first.

    Attributes
    ----------
    value, rest : str
        The rest is empty where there is none.
    """

    value: str
    rest: str = ""


_Rule: TypeAlias = Callable[[Instructions, _Sum, _Sum], _Sum]


def whole_power(code: Instructions, x: str, exponent: str, dtype: np.dtype) -> str:
    """The power of a float; empty where the exponent is no small whole number that the code says."""
    number = float(np.uint64(int(exponent, 16)).view(np.float64)) if exponent.startswith("0x") else 0.0
    if number not in _POWERS:
        return ""
    kind, power = value_type(dtype), int(number)
    if kind == "double" and code.is_exact:
        return _rounded(code, _power(code, _Sum(x), power, _exact_product))
    wide = x if kind == "double" else code.emit(f"fpext {kind} {x} to double")
    made = _power(code, _Sum(wide), power, _product).value
    return made if kind == "double" else code.emit(f"fptrunc double {made} to {kind}")


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
