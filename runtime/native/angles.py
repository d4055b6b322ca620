"""Sines and cosines of single numbers: one call where both are asked for, one after the other (`ordering`)."""

from __future__ import annotations

import re
import sys

from anabranch.runtime.native.instructions import Instructions

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
