"""`try` with all of its clauses, around what fails."""

from __future__ import annotations

from property_tests.generation.constructs.functions import call, callables, helper
from property_tests.generation.constructs.raising import BASES, OWN, a_class, a_raise, allowed, fail_if, failing
from property_tests.generation.kinds import BOOL, FLOAT, INT
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented, leaves

PRODUCTIONS = Productions()

PRODUCTIONS.option("try else", "several handlers", "broad handlers", "caught exceptions", "raise again")


@PRODUCTIONS.statement("try", 6)
def try_(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    names = _classes(w)
    caught = frozenset(names)
    lines = ["try:", *_body(w, caught)]
    for name in names:
        lines += _handler(w, name)
    if w.having("try else") and w.chance(35):
        lines += ["else:", *w.block(2)]
    if w.having("finally") and w.chance(45):
        lines += ["finally:", *w.block(2)]
    return lines


@PRODUCTIONS.statement("finally", 2)
def try_finally(w: Writer) -> list[str] | None:
    """`try` without handlers: what leaves the block, in whatever way, does the last part first."""
    if w.place.depth == 0:
        return None
    with w.at(depth=w.place.depth - 1):
        lines = w.statements(3)
    return ["try:", *indented(lines), "finally:", *w.block(2)]


@PRODUCTIONS.statement("groups of exceptions", 1)
def try_star(w: Writer) -> list[str] | None:
    """`try` with `except*`, whose handlers none leaves by `return`, `break` or `continue`."""
    if w.place.depth == 0:
        return None
    names = [name for name in _classes(w) if name]
    lines = ["try:", *_body(w, frozenset(names))]
    for name in names:
        lines += [f"except* {name}:", f"    {w.assign(INT, str(w.number(0, 9)))}"]
    return lines


def _classes(w: Writer) -> list[str]:
    """The classes that the handlers catch, one after the other."""
    first = a_class(w) if w.chance(30) else w.one(*(name for name in BASES if name not in OWN))
    names = [str(first)]
    if w.having("several handlers") and w.chance(40):
        names += [name for name in (a_class(w), "ArithmeticError") if name != first][: w.number(1, 2)]
    if w.having("broad handlers") and w.chance(40):
        names.append(w.one("Exception", "LookupError", ""))
    return names


def _body(w: Writer, caught: frozenset[str]) -> list[str]:
    """The body of a `try`: statements, among them one that may fail."""
    reach = caught | {"Exception"} if "" in caught else caught
    with w.at(depth=w.place.depth - 1, caught=w.place.caught | reach):
        lines = w.statements(2) if w.chance(60) else []
        if leaves(lines):
            return indented(lines)
        lines += _failure(w)
        if w.chance(50):
            lines += w.statements(2)
    return indented(lines)


def _failure(w: Writer) -> list[str]:
    own = [name for name in BASES if not w.place.caught.isdisjoint((name, *BASES[name]))]
    name = str(w.one(*own))
    if name in OWN:
        w.need(*OWN[name])
    how = w.one("itself", "raise", "helper")
    if how == "helper" and w.having("helpers"):
        found = {n: k for n, k in callables(w, (INT,)).items() if k.fails}
        made = w.one(*found.items()) if found and w.chance(60) else helper(w, (INT,), fails=name)
        if made is not None:
            return [w.assign(INT, call(w, *made))]
    if how == "raise":
        return fail_if(w, name)
    for _ in range(6):
        text, fails, kind = failing(w)
        if allowed(w, fails):
            return [w.assign(kind, text)]
    return fail_if(w, name)


def _handler(w: Writer, name: str) -> list[str]:
    """One handler; it may say what was caught."""
    caught = name or "Exception"
    if name and w.having("several handlers") and w.chance(25):
        name = f"({name}, {w.one('UnboundLocalError', 'KeyError', 'AssertionError')})"
    if not name:
        return ["except:", *w.block(2)]
    if not w.having("caught exceptions") or w.chance(40):
        return [f"except {name}:", *w.block(2)]
    bound = w.fresh("error")
    with w.at(depth=w.place.depth - 1):
        said = _said(w, bound, caught if name == caught else "Exception")
        lines = [*said, *(w.statements(2) if w.chance(60) else [])]
        if not leaves(lines):
            lines += _again(w, bound, caught)
    return [f"except {name} as {bound}:", *indented(lines)]


def _said(w: Writer, bound: str, caught: str) -> list[str]:
    """Expressions that read the exception."""
    if caught == "Missing" and w.chance(60):
        return [w.assign(INT, f"{bound}.{w.one('place', 'size')}")]
    if caught == "Refused" and w.chance(60):
        return [w.assign(INT, f"{bound}.args[1]")]
    options = [""]
    if w.having("print"):
        options += [
            f"print({bound})",
            f"print('caught', {bound}.args)",
            f"print(f'{{{bound}}}')",
            f"print(repr({bound}))",
        ]
        options += [f"print(str({bound}), {w.atom(INT)})", f"print(type({bound}).__name__)"]
    return [w.one(*options) or w.assign(INT, f"len({bound}.args)")]


def _again(w: Writer, bound: str, caught: str) -> list[str]:
    """The exception once more, or another one because of it."""
    if not w.having("raise again") or not w.chance(40):
        return []
    lines = []
    if caught in BASES and allowed(w, caught):
        lines = [f"if {w.expression(BOOL, 1)}:", f"    {w.one('raise', f'raise {bound}')}"]
    elif allowed(w, "ValueError"):
        lines = [f"if {w.expression(BOOL, 1)}:", f"    {a_raise(w, 'ValueError')} from {w.one(bound, 'None')}"]
    return lines


@PRODUCTIONS.statement("try in a loop", 2)
def tried_in_loop(w: Writer) -> list[str] | None:
    """A loop whose steps may fail, some of which are left out or end it."""
    if w.place.depth < 2:
        return None
    name, k, x = w.fresh("i"), w.atom(INT), w.atom(FLOAT)
    text, kind, fails = w.one(
        (f"{w.expression(INT, 1)} // ({name} - {k})", INT, "ZeroDivisionError"),
        (f"[{k}, 1][{name}]", INT, "IndexError"),
        (f"{x} / ({name} - {k})", FLOAT, "ZeroDivisionError"),
        (f"{{0: {k}, 2: 1}}[{name}]", INT, "KeyError"),
    )
    with w.fixed(name):
        with w.at(depth=w.place.depth - 2, loop=True):
            w.names[name] = INT
            lines = ["try:", f"    {w.assign(kind, text)}", *indented(w.statements(2) if w.chance(50) else [])]
        handler = w.block(1, depth=w.place.depth - 2, loop=True) if w.chance(50) else []
        lines += [f"except {fails}:", *handler, f"    {w.one('continue', 'break', 'pass')}"]
        if w.having("finally") and w.chance(40):
            lines += ["finally:", *w.block(2, depth=w.place.depth - 2, loop=True)]
    return [f"for {name} in range({w.number(2, 4)}):", *indented(lines)]
