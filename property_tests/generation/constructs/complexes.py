"""Python's complex numbers."""

from __future__ import annotations

from property_tests.generation.kinds import COMPLEX, FLOAT, INT, Bool, Complex, Float
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@PRODUCTIONS.expression(Complex, "complex", 2, core=True)
def literal(w: Writer, kind: Complex, depth: int) -> str:
    return str(w.one("1j", "(1 + 2j)", "(0.5 - 1j)", "0j"))


@PRODUCTIONS.expression(Complex, "complex", 3, core=True)
def name(w: Writer, kind: Complex, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Complex, "complex", 3)
def made(w: Writer, kind: Complex, depth: int) -> str | None:
    if depth == 0:
        return None
    return f"complex({w.expression(w.one(FLOAT, INT), depth - 1)}{w.one('', f', {w.expression(FLOAT, depth - 1)}')})"


@PRODUCTIONS.expression(Complex, "complex", 4)
def arithmetic(w: Writer, kind: Complex, depth: int) -> str | None:
    if depth == 0:
        return None
    left, right = w.expression(COMPLEX, depth - 1), w.expression(w.one(COMPLEX, FLOAT, INT), depth - 1)
    forms = (
        f"({left} + {right})",
        f"({left} - {right})",
        f"({left} * 1j)",
        f"(-{left})",
        f"{left}.conjugate()",
        f"({left} / 2)",
        f"({left} * (0.5+0.5j))",
    )
    return str(w.one(*forms))


@PRODUCTIONS.expression(Float, "complex", 2)
def part(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0 or w.pick(COMPLEX) is None:
        return None
    inside = w.expression(COMPLEX, depth - 1)
    return str(w.one(f"({inside}).real", f"({inside}).imag", f"round(abs({inside}) % 16, 3)"))


@PRODUCTIONS.expression(Bool, "complex", 1)
def equal(w: Writer, kind: Bool, depth: int) -> str | None:
    if w.pick(COMPLEX) is None:
        return None
    return f"({w.atom(COMPLEX)} {w.one('==', '!=')} {w.expression(w.one(COMPLEX, FLOAT), min(depth, 1))})"


@PRODUCTIONS.statement("complex", 2)
def assigned(w: Writer) -> list[str]:
    value = w.expression(COMPLEX)
    target = w.target(COMPLEX)
    return (
        [f"{target} = {value}"]
        if w.chance(60)
        else [f"{target} = {value}", f"{target} {w.one('+', '-')}= {w.expression(w.one(FLOAT, COMPLEX), 1)}"]
    )
