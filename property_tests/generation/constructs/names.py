"""Names: global ones, ones that may be unset, deleted ones, and those that `:=` and `import` bring."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT, Float, Function, Int, Kind
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented

PRODUCTIONS = Productions()

UNSET = "UnboundLocalError"


@PRODUCTIONS.statement("global", 2)
def global_name(w: Writer) -> list[str] | None:
    """A name of the module that `f` sets first, so that each call begins alike; all functions may assign to it."""
    if w.place.functions > 1 or len(w.globals) > 2 or w.place.depth < 3:
        return None
    kind = w.one(INT, FLOAT)
    name = w.fresh("total")
    w.need(f"{name} = 0")
    w.globals[name] = w.names[name] = kind
    w.declared |= {name}
    w.head.insert(0, f"global {name}")
    w.head.append(f"{name} = {w.number(0, 3) if kind == INT else 0.5}")
    return [f"{name} = {w.expression(kind)}"]


@PRODUCTIONS.expression(Int, "constants of the module", 1)
@PRODUCTIONS.expression(Float, "constants of the module", 1)
def constant(w: Writer, kind: Int | Float, depth: int) -> str:
    name = "LIMIT" if kind == INT else "RATE"
    w.need(f"{name} = {3 if kind == INT else 0.5}")
    return name


# ---- names that may be unset -----------------------------------------------------------------------------------------


@PRODUCTIONS.statement("names that may be unset", 3)
def set_in_one_branch(w: Writer) -> list[str] | None:
    """A name that is set in one branch or in a loop without steps, and read after it."""
    if w.place.depth == 0:
        return None
    kind: Kind = w.one(INT, FLOAT)
    name, flag = w.fresh(kind), w.fresh(BOOL)
    value, test = w.expression(kind, 1), w.expression(BOOL)
    lines = [f"{flag} = {test}"]
    w.names[flag] = BOOL
    i = w.fresh("i")
    lines += w.one(
        [f"if {flag}:", f"    {name} = {value}"],
        [f"if {flag}:", *w.block(2), "else:", f"    {name} = {value}"],
        [f"for {i} in range({w.atom(INT)} % 3):", f"    {name} = {value}"],
        [f"while {flag}:", f"    {name} = {value}", "    break"],
        [f"for {i} in range({w.atom(INT)} % 3):", f"    if {w.expression(BOOL, 1)}:", f"        {name} = {value}"],
    )
    guard = flag if lines[1] == f"if {flag}:" and len(lines) == 3 else None
    if w.chance(40):
        with w.fixed(flag):
            lines += w.statements(2)
    return [*lines, *read_unset(w, name, kind, guard)]


def read_unset(w: Writer, name: str, kind: Kind, guard: str | None) -> list[str]:
    """A read of a name that may be unset: guarded, unless the program may fail."""
    if w.having("failures") or UNSET in w.place.caught:
        return [w.assign(kind, name)]
    target = w.changeable(kind)
    if guard is not None and target is not None and w.chance(50):
        return [f"if {guard}:", f"    {target} = {name}"]
    other, caught = w.atom(kind), w.one(UNSET, "NameError", "Exception")
    target = w.target(kind)
    return ["try:", f"    {target} = {name}", f"except {caught}:", f"    {target} = {other}"]


@PRODUCTIONS.statement("del", 2)
def deleted(w: Writer) -> list[str] | None:
    """A name that is gone for some statements, in one branch perhaps, and set again."""
    kind = w.one(INT, FLOAT)
    name = w.changeable(kind)
    if name is None or w.place.depth == 0 or not name.isidentifier():
        return None
    gone = w.one([f"del {name}"], [f"if {w.expression(BOOL, 1)}:", f"    del {name}"])
    # Nothing leaves before the name is set again, and no functions are called, which may read it.
    with w.at(loop=False, results=None, caught=frozenset()):
        w.names = {n: k for n, k in w.names.items() if n != name and not isinstance(k, Function)}
        meanwhile = w.statements(2) if w.chance(50) and "failures" not in w.features else []
        again = [f"{name} = {w.expression(kind, 1)}"]
        if len(gone) > 1 and not meanwhile:
            again = [
                "try:",
                f"    {name} = {name}",
                f"except {w.one('NameError', UNSET) if name not in w.declared else 'NameError'}:",
                *indented(again),
            ]
    return [*gone, *meanwhile, *again]


# ---- := --------------------------------------------------------------------------------------------------------------


@PRODUCTIONS.statement("walrus in tests", 2)
def walrus_test(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    name = w.fresh(INT)
    limit = w.number(1, 4)
    if w.chance(50):
        lines = [f"if ({name} := {w.expression(INT, 1)}) {w.one('>', '<', '!=')} {w.atom(INT)}:"]
        w.names[name] = INT
        return [*lines, *w.block(), *(["else:", *w.block(2)] if w.chance(50) else [])]
    w.names[name] = INT
    with w.fixed(name):
        block = w.block(loop=True)
    return [f"{name} = {w.number(-1, 1)}", f"while ({name} := {name} + 1) < {limit}:", *block]


@PRODUCTIONS.expression(Int, "walrus in comprehensions", 1)
def walrus_inside(w: Writer, kind: Int, depth: int) -> str | None:
    name = w.changeable(INT)
    # A name of a comprehension in a class or a lambda would be another one.
    if depth == 0 or name is None or name in w.globals or not name.isidentifier():
        return None
    items = ", ".join(w.atom(INT) for _ in range(w.number(1, 3)))
    form = w.one(
        f"sum([({name} := {name} % 9 + item) for item in ({items},)])",
        f"sum([{name} for item in ({items},) if ({name} := item % 5) > 1])",
    )
    return str(form)


# ---- imports ---------------------------------------------------------------------------------------------------------


@PRODUCTIONS.statement("local imports", 1)
def local_import(w: Writer) -> list[str]:
    name = w.fresh("m")
    x, k = w.atom(FLOAT), w.atom(INT)
    line, kind, value = w.one(
        (f"import math as {name}", FLOAT, f"{name}.sqrt(abs({x}))"),
        (f"from math import floor as {name}", INT, f"{name}({x} % 9)"),
        (f"import math as {name}, functools as {name}f", INT, f"{name}.gcd({k}, 6)"),
        (f"import numpy as {name}", FLOAT, f"float({name}.minimum({x}, 1.5))"),
        (f"from math import pi as {name}", FLOAT, f"round({x} % 8 * {name}, 3)"),
    )
    return [line, w.assign(kind, value)]
