"""`if`, `elif`, `else`."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

PRODUCTIONS.option("elif")


@PRODUCTIONS.statement("if", 7)
def if_(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    lines = [f"if {w.expression(BOOL)}:", *w.block()]
    while w.having("elif") and w.chance(25):
        lines += [f"elif {w.expression(BOOL)}:", *w.block()]
    if w.chance(45):
        lines += ["else:", *w.block()]
    return lines


@PRODUCTIONS.statement("name set in both branches", 2)
def set_in_both(w: Writer) -> list[str] | None:
    """A name that comes into being in the branches."""
    if w.place.depth == 0:
        return None
    kind = w.one(INT, FLOAT, BOOL)
    test, name = w.expression(BOOL), w.fresh(kind)
    lines = [f"if {test}:", f"    {name} = {w.expression(kind, 1)}", "else:", *w.block(2)]
    lines.append(f"    {name} = {w.expression(kind, 1)}")
    w.names[name] = kind
    return lines
