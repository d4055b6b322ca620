"""Functions of `math`, conversions between numbers, and what floats are."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT, Bool, Float, Int
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@PRODUCTIONS.expression(Int, "math", 2)
def math_int(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    w.need("import math")
    x, k = w.expression(FLOAT, depth - 1), w.expression(INT, depth - 1)
    return str(
        w.one(
            f"math.floor({x} % 8)",
            f"math.ceil({x} % 8)",
            f"math.trunc({x} % 8 - 4)",
            f"math.gcd({k}, {w.one('6', w.atom(INT))})",
            f"math.isqrt(abs({k}))",
            f"math.factorial({k} % 5)",
            f"math.comb({k} % 6, 2)",
            f"math.prod(({k} % 5, 2, {w.atom(INT)} % 3))",
            f"math.lcm({k} % 7, 4)",
            f"math.frexp({x})[1]",
        )
    )


@PRODUCTIONS.expression(Float, "math", 2)
def math_float(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0:
        return None
    w.need("import math")
    x, y = w.expression(FLOAT, depth - 1), w.atom(FLOAT)
    # Elementary functions may differ in the last digits, which must decide nothing.
    return str(
        w.one(
            f"math.sqrt(abs({x}))",
            f"math.fabs({x})",
            f"math.copysign({x}, {y})",
            f"math.fmod({x}, 1.5)",
            f"math.ldexp({x} % 4, {w.number(-2, 2)})",
            f"math.modf({x})[{w.number(0, 1)}]",
            f"round(math.hypot({x} % 9, {y} % 9), 3)",
            f"round(math.exp({x} % 2), 3)",
            f"round(math.sin({x} % 7), 3)",
            f"round(math.log(abs({x}) + 1), 3)",
            f"round(math.atan2({x}, {y}), 3)",
            f"round(math.pow(abs({x}) % 4, 1.5), 3)",
            f"round(math.dist((0.0, {y} % 4), ({x} % 4, 1.0)), 3)",
            "math.pi",
        )
    )


@PRODUCTIONS.expression(Bool, "math", 1)
def math_bool(w: Writer, kind: Bool, depth: int) -> str | None:
    if depth == 0:
        return None
    w.need("import math")
    x = w.expression(FLOAT, depth - 1)
    return str(
        w.one(
            f"math.isnan({x})",
            f"math.isfinite({x})",
            f"math.isinf({x} * 2)",
            f"math.isclose({x}, {w.atom(FLOAT)})",
            f"math.isclose({x}, 1.0, abs_tol=0.6)",
        )
    )


@PRODUCTIONS.expression(Int, "conversions", 1)
def converted(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    test = w.expression(BOOL, depth - 1)
    return str(
        w.one(
            f"int('{w.number(-3, 9)}')",
            f"int('12' if {test} else '3')",
            "int()",
            f"int({w.atom(FLOAT)} % 9)",
            f"len(str({w.number(1, 99)}))",
            f"ord('{w.one('a', 'b')}') % 7",
            f"({w.atom(INT)}).__abs__()",
            f"({w.atom(INT)}).bit_length()",
            f"int({w.atom(INT)}).real",
            f"hash({w.number(0, 9)})",
        )
    )


@PRODUCTIONS.expression(Float, "conversions", 1)
def converted_float(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0:
        return None
    test = w.expression(BOOL, depth - 1)
    return str(
        w.one(
            f"float('{w.one('0.5', '-2', '1e1')}')",
            f"float('2.5' if {test} else '-1')",
            "float()",
            f"float({test})",
            f"({w.atom(FLOAT)}).real",
            f"abs(float({w.atom(INT)}))",
        )
    )


@PRODUCTIONS.expression(Bool, "conversions", 1)
def converted_bool(w: Writer, kind: Bool, depth: int) -> str:
    return str(
        w.one(
            "bool()",
            f"bool('{w.one('', 'a')}')",
            f"({w.atom(FLOAT)}).is_integer()",
            f"isinstance({w.atom(INT)}, int)",
            f"isinstance({w.atom(FLOAT)}, (int, str))",
            f"callable({w.atom(INT)})",
        )
    )
