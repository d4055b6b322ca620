"""Sets. What they hold is known while tracing, but for what `in` looks at."""

from __future__ import annotations

from property_tests.generation.kinds import INT, Bool, Int
from property_tests.generation.productions import Productions
from property_tests.generation.values import INTS
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


def known_set(w: Writer) -> str:
    """A set of ints that are known while tracing."""
    some = ", ".join(repr(w.one(*INTS)) for _ in range(w.number(1, 3)))
    other = ", ".join(repr(w.one(*INTS)) for _ in range(w.number(1, 2)))
    return str(
        w.one(
            f"{{{some}}}",
            f"{{j * j % 5 for j in range({w.number(1, 4)})}}",
            f"({{{some}}} | {{{other}}})",
            f"({{{some}}} & {{{other}}})",
            f"({{{some}}} - {{{other}}})",
            f"set([{some}])",
            f"frozenset(({some}, {other}))",
            f"{{j for j in ({some},) if j > 0}}",
        )
    )


@PRODUCTIONS.expression(Bool, "set", 2)
def member(w: Writer, kind: Bool, depth: int) -> str:
    if w.chance(30):
        return f"({w.expression(INT, 1)} in {{{w.expression(INT, 1)}, {w.expression(INT, 1)}}})"
    return f"({w.expression(INT, 1)} {w.one('in', 'not in')} {known_set(w)})"


@PRODUCTIONS.expression(Int, "set", 1)
def size(w: Writer, kind: Int, depth: int) -> str:
    return str(w.one(f"len({known_set(w)})", f"sum({known_set(w)})", f"max({known_set(w)}, default=0)"))


@PRODUCTIONS.expression(Bool, "set comparison", 1)
def comparison(w: Writer, kind: Bool, depth: int) -> str:
    return f"({known_set(w)} {w.one('<=', '==', '>', '!=')} {known_set(w)})"
