"""`for` over ranges and `while`, with bounds on their steps, and their `else`."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, INT
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

PRODUCTIONS.option("loop else")


@PRODUCTIONS.statement("for", 6)
def for_range(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    name = w.fresh("i")
    head = f"for {name} in {_range(w)}:"
    kept = w.one(name, "") if w.chance(70) else name
    with w.fixed(kept):
        with w.at():
            w.names[name] = INT
            body = w.block(loop=True)
    return [head, *body, *loop_else(w)]


def _range(w: Writer) -> str:
    k = w.atom(INT)
    return str(
        w.one(
            f"range({w.number(1, 4)})",
            f"range({k} % 4)",
            f"range({k} % 3, 5)",
            f"range({w.number(-1, 2)}, {k} % 6, {w.number(1, 2)})",
            f"range({k} % 5, -1, -{w.number(1, 2)})",
            f"reversed(range({k} % 4))",
            f"range({k} - 2, {k} + 2)",
        )
    )


@PRODUCTIONS.statement("while", 5)
def while_(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    name = w.fresh("c")
    lines = [f"{name} = {w.number(0, 1)}"]
    w.names[name] = INT
    with w.fixed(name):
        test = w.one(f"{name} < {w.number(1, 4)}", f"{name} < abs({w.atom(INT)}) % 5", "")
        if not test:
            test = f"{w.expression(BOOL)} and {name} < {w.number(2, 4)}"
        elif w.chance(15):
            test = f"not {name} >= {w.number(1, 4)}"
        # It counts first, since `continue` may skip the rest.
        body = [f"    {name} += 1", *w.block(loop=True)]
    return [*lines, f"while {test}:", *body, *loop_else(w)]


@PRODUCTIONS.statement("while True", 2)
def while_true(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    name = w.fresh("c")
    w.names[name] = INT
    with w.fixed(name):
        body = [f"    {name} += 1", f"    if {name} > {w.number(1, 4)}{w.one('', f' or {w.expression(BOOL, 1)}')}:"]
        body += ["        break", *w.block(loop=True)]
    return [f"{name} = 0", "while True:", *body]


def loop_else(w: Writer) -> list[str]:
    """The `else` of a loop, or nothing."""
    return ["else:", *w.block(2)] if w.having("loop else") and w.chance(30) else []
