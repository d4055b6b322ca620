"""Names that are None on one way and have a value on another."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT, Bool, Float, Int, Maybe
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@PRODUCTIONS.expression(Maybe, "None", 2, core=True)
def none(w: Writer, kind: Maybe, depth: int) -> str:
    return "None"


@PRODUCTIONS.expression(Maybe, "None", 3)
def value(w: Writer, kind: Maybe, depth: int) -> str:
    return w.expression(kind.kind, min(depth, 1))


@PRODUCTIONS.expression(Maybe, "None", 2)
def either(w: Writer, kind: Maybe, depth: int) -> str | None:
    if depth == 0:
        return None
    return f"({w.expression(kind.kind, depth - 1)} if {w.expression(BOOL, depth - 1)} else None)"


@PRODUCTIONS.statement("None", 3)
def assigned(w: Writer) -> list[str] | None:
    kind = Maybe(w.one(INT, FLOAT))
    first = w.expression(kind)
    name = w.target(kind)
    lines = [f"{name} = {first}"]
    if w.place.depth and w.chance(70):
        lines += [f"if {w.expression(BOOL, 1)}:", *w.block(2), f"    {name} = {w.expression(kind)}"]
    return lines


@PRODUCTIONS.statement("None", 3)
def asked(w: Writer) -> list[str] | None:
    """A question whether there is a value, and its use."""
    name = w.changeable(Maybe)
    if name is None or w.place.depth == 0:
        return None
    held = w.names[name]
    assert isinstance(held, Maybe)
    target = w.changeable(held.kind)
    if target is None:
        return None
    uses = [f"    {target} = {name}{w.one('', ' + 1', f' - {w.atom(INT)}')}"]
    other = [*w.block(2), f"    {name} = {w.expression(held, 1)}"]
    if w.chance(50):
        return [
            f"if {name} is not None{w.one('', f' and {name} > 1')}:",
            *uses,
            *(["else:", *other] if w.chance(50) else []),
        ]
    return [f"if {name} is None:", *other, "else:", *uses]


@PRODUCTIONS.expression(Int, "None", 2)
@PRODUCTIONS.expression(Float, "None", 2)
def or_else(w: Writer, kind: Int | Float, depth: int) -> str | None:
    name = w.pick(Maybe(kind))
    if name is None or depth == 0:
        return None
    other = w.expression(kind, depth - 1)
    return str(
        w.one(
            f"({other} if {name} is None else {name})",
            f"({name} if {name} is not None else {other})",
            f"({name} or {other})",
        )
    )


@PRODUCTIONS.expression(Bool, "None", 2)
def is_none(w: Writer, kind: Bool, depth: int) -> str | None:
    name = w.pick(Maybe)
    return None if name is None else f"({name} is {w.one('', 'not ')}None)"
