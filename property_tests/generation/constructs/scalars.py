"""Expressions of Python's numbers and booleans."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT, Bool, Float, Int
from property_tests.generation.productions import Productions
from property_tests.generation.values import FLOATS, INTS
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

# ---- int -------------------------------------------------------------------------------------------------------------


@PRODUCTIONS.expression(Int, "int", 2, core=True)
def literal_int(w: Writer, kind: Int, depth: int) -> str:
    value = w.one(*INTS)
    return f"({value})" if value < 0 else str(value)


@PRODUCTIONS.expression(Int, "int", 6, core=True)
def name_int(w: Writer, kind: Int, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Int, "int arithmetic", 4, core=True)
def arithmetic(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    left, right = w.expression(INT, depth - 1), w.expression(INT, depth - 1)
    # Products are kept small, or loops would soon leave 64 bits.
    return str(w.one(f"({left} + {right})", f"({left} - {right})", f"({left} * {right} % {w.one(7, 11, 13)})"))


@PRODUCTIONS.expression(Int, "int division")
def division(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    left = w.expression(INT, depth - 1)
    if w.having("failures") and w.chance(30):
        right = w.expression(INT, depth - 1)
    else:
        right = str(w.one("2", "3", "(-3)", "5", f"(abs({w.atom(INT)}) + 1)"))
    return f"({left} {w.one('//', '%')} {right})"


@PRODUCTIONS.expression(Int, "bits")
def bits(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    left, right = w.expression(INT, depth - 1), w.expression(INT, depth - 1)
    return str(
        w.one(
            f"({left} & {right})",
            f"({left} | {right})",
            f"({left} ^ {right})",
            f"(~{left})",
            f"({left} >> {w.number(0, 3)})",
            f"(({left} & 63) << {w.number(0, 3)})",
            f"({left} % 9 << abs({right}) % 4)",
        )
    )


@PRODUCTIONS.expression(Int, "powers", 1)
def power(w: Writer, kind: Int, depth: int) -> str | None:
    return None if depth == 0 else f"(({w.expression(INT, depth - 1)} % 5) ** {w.one('2', '3', '0')})"


@PRODUCTIONS.expression(Int, "signs", 1)
def signed(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    operand = w.expression(INT, depth - 1)
    return str(w.one(f"(-{operand})", f"(+{operand})", f"abs({operand})"))


@PRODUCTIONS.expression(Int, "min and max", 1)
def least(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    parts = ", ".join(w.expression(INT, depth - 1) for _ in range(w.number(2, 3)))
    return f"{w.one('min', 'max')}({parts})"


@PRODUCTIONS.expression(Int, "int of float", 1)
def int_of_float(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    operand = w.expression(FLOAT, depth - 1)
    whole = w.one(f"int({operand} % 8)", f"round({operand} % 8)", f"int({operand} // 1 % 5)")
    # Below zero, `int` and `//` round to different sides.
    return str(w.one(whole, f"int({operand} % 16 - 8)", f"int(-({operand} % 8))"))


@PRODUCTIONS.expression(Int, "int of bool", 1)
def int_of_bool(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    operand = w.expression(BOOL, depth - 1)
    return str(w.one(f"int({operand})", f"({w.atom(INT)} + {operand})", f"({operand} * {w.atom(INT)})"))


@PRODUCTIONS.expression(Int, "divmod", 1)
def divided(w: Writer, kind: Int, depth: int) -> str | None:
    return None if depth == 0 else f"divmod({w.expression(INT, depth - 1)}, {w.one(3, 4, -5)})[{w.number(0, 1)}]"


# ---- float -----------------------------------------------------------------------------------------------------------


@PRODUCTIONS.expression(Float, "float", 2, core=True)
def literal_float(w: Writer, kind: Float, depth: int) -> str:
    value = w.one(*FLOATS)
    return f"({value})" if value < 0 else str(value)


@PRODUCTIONS.expression(Float, "float", 6, core=True)
def name_float(w: Writer, kind: Float, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Float, "float arithmetic", 4, core=True)
def float_arithmetic(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0:
        return None
    left = w.expression(FLOAT, depth - 1)
    right = w.expression(w.one(FLOAT, FLOAT, INT), depth - 1)
    return str(w.one(f"({left} + {right})", f"({left} - {right})", f"({left} * {w.one('0.5', '2', right)})"))


@PRODUCTIONS.expression(Float, "float division")
def float_division(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0:
        return None
    left = w.expression(w.one(FLOAT, INT), depth - 1)
    if w.having("failures") and w.chance(30):
        right = w.expression(w.one(FLOAT, INT), depth - 1)
        return f"({left} / {right})"
    return str(w.one(f"({left} / {w.one(2, 4, -0.5, 3)})", f"({left} % 2.5)", f"({left} // 1.5)"))


@PRODUCTIONS.expression(Float, "float of int", 1, core=True)
def float_of_int(w: Writer, kind: Float, depth: int) -> str | None:
    return None if depth == 0 else f"float({w.expression(INT, depth - 1)})"


@PRODUCTIONS.expression(Float, "float signs", 1)
def float_signed(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0:
        return None
    operand = w.expression(FLOAT, depth - 1)
    return str(w.one(f"(-{operand})", f"(+{operand})", f"abs({operand})", f"round({operand} % 16, 1)"))


@PRODUCTIONS.expression(Float, "min and max", 1)
def least_float(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0:
        return None
    return f"{w.one('min', 'max')}({w.expression(FLOAT, depth - 1)}, {w.expression(FLOAT, depth - 1)})"


@PRODUCTIONS.expression(Float, "square", 1)
def squared(w: Writer, kind: Float, depth: int) -> str | None:
    return None if depth == 0 else f"(({w.expression(FLOAT, depth - 1)} % 4.0) ** 2)"


# ---- bool ------------------------------------------------------------------------------------------------------------


@PRODUCTIONS.expression(Bool, "comparison", 6, core=True)
def comparison(w: Writer, kind: Bool, depth: int) -> str:
    operator = w.one("<", ">", "==", "!=", "<=", ">=")
    which = w.one(INT, INT, FLOAT)
    if not w.named(which):
        which = INT
    return f"({w.expression(which, min(depth, 1))} {operator} {w.expression(which, min(depth, 1))})"


@PRODUCTIONS.expression(Bool, "bool", 2, core=True)
def name_bool(w: Writer, kind: Bool, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Bool, "boolean operators", 3)
def operators(w: Writer, kind: Bool, depth: int) -> str | None:
    if depth == 0:
        return None
    parts = [w.expression(BOOL, depth - 1) for _ in range(w.number(2, 3))]
    return "(" + f" {w.one('and', 'or')} ".join(parts) + ")"


@PRODUCTIONS.expression(Bool, "not", 2)
def negation(w: Writer, kind: Bool, depth: int) -> str | None:
    return None if depth == 0 else f"(not {w.expression(w.one(BOOL, INT), depth - 1)})"


@PRODUCTIONS.expression(Bool, "chained comparison")
def chained(w: Writer, kind: Bool, depth: int) -> str:
    parts = [w.expression(INT, min(depth, 1)) for _ in range(3)]
    return f"({parts[0]} {w.one('<', '<=', '>', '!=')} {parts[1]} {w.one('<', '<=', '>', '==')} {parts[2]})"


@PRODUCTIONS.expression(Bool, "true and false", 1)
def constant(w: Writer, kind: Bool, depth: int) -> str:
    return str(w.one("True", "False"))


@PRODUCTIONS.expression(Bool, "membership", 1)
def member(w: Writer, kind: Bool, depth: int) -> str:
    items = ", ".join(w.expression(INT, 0) for _ in range(w.number(1, 3)))
    return f"({w.atom(INT)} {w.one('in', 'not in')} {w.one(f'({items},)', f'[{items}]', f'{{{items}}}')})"


@PRODUCTIONS.expression(Bool, "int as condition", 1)
def truth(w: Writer, kind: Bool, depth: int) -> str:
    return f"bool({w.expression(w.one(INT, FLOAT), min(depth, 1))})"


# ---- any kind --------------------------------------------------------------------------------------------------------


@PRODUCTIONS.expression(Int, "ternary")
@PRODUCTIONS.expression(Float, "ternary")
@PRODUCTIONS.expression(Bool, "ternary")
def ternary(w: Writer, kind: Int | Float | Bool, depth: int) -> str | None:
    if depth == 0:
        return None
    body, test, other = w.expression(kind, depth - 1), w.expression(BOOL, depth - 1), w.expression(kind, depth - 1)
    return f"({body} if {test} else {other})"


@PRODUCTIONS.expression(Int, "boolean values", 1)
@PRODUCTIONS.expression(Float, "boolean values", 1)
def boolean_value(w: Writer, kind: Int | Float, depth: int) -> str | None:
    if depth == 0:
        return None
    return f"({w.expression(kind, depth - 1)} {w.one('and', 'or')} {w.expression(kind, depth - 1)})"


@PRODUCTIONS.expression(Int, "walrus", 1)
@PRODUCTIONS.expression(Float, "walrus", 1)
def walrus(w: Writer, kind: Int | Float, depth: int) -> str | None:
    # Whether what is behind `and` is evaluated is known only later, so that only names are assigned that are there.
    name = w.changeable(kind)
    return (
        None
        if depth == 0 or name is None or not name.isidentifier()
        else f"({name} := {w.expression(kind, depth - 1)})"
    )
