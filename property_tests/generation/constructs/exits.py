"""`break`, `continue` and early `return`, mostly under a condition."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@PRODUCTIONS.statement("break", 3)
def break_(w: Writer) -> list[str] | None:
    return _leave(w, "break") if w.place.loop else None


@PRODUCTIONS.statement("continue", 3)
def continue_(w: Writer) -> list[str] | None:
    return _leave(w, "continue") if w.place.loop else None


@PRODUCTIONS.statement("return", 3)
def return_(w: Writer) -> list[str] | None:
    if w.place.results is None:
        return None
    return _leave(w, f"return {', '.join(w.atom(kind) for kind in w.place.results)}")


@PRODUCTIONS.statement("pass", 1)
def pass_(w: Writer) -> list[str]:
    return ["pass"]


def _leave(w: Writer, line: str) -> list[str]:
    if w.place.depth == 0 or (w.place.depth < 3 and w.chance(10)):
        return [line]
    before = w.block(2, loop=False, results=None) if w.chance(30) else []
    return [f"if {w.expression(BOOL)}:", *before, f"    {line}"]
