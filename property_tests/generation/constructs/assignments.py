"""Assignments to names."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@PRODUCTIONS.statement("assignment", 10, core=True)
def assign(w: Writer) -> list[str]:
    kind = w.one(INT, FLOAT, INT, FLOAT, BOOL)
    value = w.expression(kind)
    return [f"{w.target(kind)} = {value}"]


@PRODUCTIONS.statement("augmented assignment", 4)
def augment(w: Writer) -> list[str] | None:
    kind = w.one(INT, FLOAT)
    name = w.changeable(kind)
    if name is None:
        return None
    if kind == INT and w.chance(40):
        return [f"{name} {w.one('//', '%', '>>')}= {w.one(2, 3, 5)}"]
    if kind == FLOAT and w.chance(40):
        return [f"{name} {w.one('*', '/')}= {w.one(0.5, 2, 4)}"]
    return [f"{name} {w.one('+', '-')}= {w.expression(kind, 1)}"]


@PRODUCTIONS.statement("swap", 1)
def swap(w: Writer) -> list[str] | None:
    kind = w.one(INT, FLOAT)
    first, second = w.changeable(kind), w.changeable(kind)
    if first is None or second is None:
        return None
    return [f"{first}, {second} = {second}, {w.expression(kind, 1)}"]


@PRODUCTIONS.statement("several targets", 1)
def several(w: Writer) -> list[str]:
    kind = w.one(INT, FLOAT)
    value = w.expression(kind)
    return [f"{w.target(kind)} = {w.target(kind)} = {value}"]


@PRODUCTIONS.statement("annotated assignment", 1)
def annotated(w: Writer) -> list[str]:
    kind = w.one(INT, FLOAT)
    value = w.expression(kind)
    name = w.target(kind)
    # Python takes no annotation of a name of another scope.
    note = "" if name in w.declared else f": {'int' if kind == INT else 'float'}"
    return [f"{name}{note} = {value}"]
