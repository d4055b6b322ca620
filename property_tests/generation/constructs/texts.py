"""Strings whose characters are known while tracing: their methods, and choices between them."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, TEXT, Bool, Int, Text
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@PRODUCTIONS.expression(Text, "strings", 2, core=True)
def literal(w: Writer, kind: Text, depth: int) -> str:
    return str(w.one("'a'", "'low'", "'High Up'", "''", "'b c'", "'x=1,y=2'"))


@PRODUCTIONS.expression(Text, "strings", 3)
def name(w: Writer, kind: Text, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.expression(Text, "strings", 4)
def changed(w: Writer, kind: Text, depth: int) -> str | None:
    if depth == 0:
        return None
    inside = w.expression(TEXT, depth - 1)
    method = w.one(
        "upper()",
        "lower()",
        "strip('a')",
        "replace('a', 'bb')",
        "title()",
        "zfill(4)",
        "center(6, '*')",
        "split(',')[0]",
        "partition('=')[2]",
        "removeprefix('lo')",
    )
    return str(
        w.one(
            f"{inside}.{method}",
            f"({inside} + {w.atom(TEXT)})",
            f"{inside}[:{w.number(1, 3)}]",
            f"({inside} * {w.number(0, 2)})",
            f"'-'.join(({inside}, {w.atom(TEXT)}))",
            f"{inside}[::-1]",
            f"f'{{{w.pick(TEXT) or 1}}}-{w.number(0, 5)}'",
        )
    )


@PRODUCTIONS.statement("strings", 2)
def assigned(w: Writer) -> list[str]:
    value = w.expression(TEXT)
    return [f"{w.target(TEXT)} = {value}"]


@PRODUCTIONS.statement("strings chosen at run time", 1)
def chosen(w: Writer) -> list[str]:
    value, other = w.atom(TEXT), w.atom(TEXT)
    return [w.assign(TEXT, f"{value} if {w.expression(BOOL, 1)} else {other}")]


@PRODUCTIONS.expression(Int, "strings", 1)
def length(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    inside = w.expression(TEXT, depth - 1)
    return str(w.one(f"len({inside})", f"{inside}.count('a')", f"{inside}.find('{w.one('o', 'z')}')"))


@PRODUCTIONS.expression(Bool, "strings", 1)
def compared(w: Writer, kind: Bool, depth: int) -> str:
    inside = w.expression(TEXT, min(depth, 1))
    return str(
        w.one(
            f"({inside} == {w.atom(TEXT)})",
            f"{inside}.startswith('{w.one('a', 'l', 'H')}')",
            f"{inside}.isalpha()",
            f"('{w.one('a', 'o')}' in {inside})",
            f"({inside} < {w.atom(TEXT)})",
            f"bool({inside})",
        )
    )
