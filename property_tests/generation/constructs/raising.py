"""Exceptions: of Python and of the program, by `raise`, by `assert` and by what fails."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT, Array, Kind
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, unquoted

PRODUCTIONS = Productions()

PRODUCTIONS.option("exception classes")

BASES: dict[str, tuple[str, ...]] = {
    "ValueError": ("Exception",),
    "KeyError": ("LookupError", "Exception"),
    "IndexError": ("LookupError", "Exception"),
    "ZeroDivisionError": ("ArithmeticError", "Exception"),
    "OverflowError": ("ArithmeticError", "Exception"),
    "AssertionError": ("Exception",),
    "Refused": ("ValueError", "Exception"),
    "Missing": ("KeyError", "LookupError", "Exception"),
}
# What the program's own classes are made with, and where it is kept.
OWN: dict[str, tuple[str, ...]] = {
    "Refused": ("class Refused(ValueError):", "    pass"),
    "Missing": (
        "class Missing(KeyError):",
        "    def __init__(self, place, size=3):",
        "        super().__init__(f'no {place} of {size}')",
        "        self.place, self.size = place, size",
    ),
}


def allowed(w: Writer, name: str) -> bool:
    """Return whether an exception of a class may be raised here."""
    if not name:
        return True
    return not w.place.caught.isdisjoint((name, *BASES[name])) or w.having("failures")


def a_class(w: Writer) -> str:
    """A class of exceptions, defined if it is the program's own."""
    own = tuple(OWN) if w.having("exception classes") else ()
    name = str(w.one("ValueError", *own, "KeyError", "IndexError", "ZeroDivisionError", *own))
    if name in OWN:
        w.need(*OWN[name])
    return name


def a_raise(w: Writer, name: str) -> str:
    """A `raise` statement of a class."""
    if name == "Missing":
        arguments = w.one(w.atom(INT), f"{w.atom(INT)}, size={w.atom(INT)}")
    elif name == "Refused":
        arguments = f"'{w.one('low', 'high')}', {w.expression(INT, 1)}"
    else:
        arguments = w.one("'wrong'", message(w), f"'number', {w.atom(INT)}", "")
    return f"raise {name}({arguments})" if arguments else f"raise {name}"


def message(w: Writer) -> str:
    """A text of run-time values."""
    kind = w.one(INT, FLOAT)
    number, other = unquoted(w.atom(kind)), unquoted(w.atom(INT))
    spec = w.one("", ":>4") if kind is INT or number == "n" else w.one("", ":.2f")
    return f"f'got {{{number}{spec}}}{w.one('', '!', f' not {{{other}!r}}')}'"


def fail_if(w: Writer, name: str) -> list[str]:
    """A failure of a class, under a condition."""
    return [f"if {w.expression(BOOL, 1)}:", f"    {a_raise(w, name)}"]


@PRODUCTIONS.statement("raise", 4)
def raised(w: Writer) -> list[str] | None:
    own = [name for name in BASES if not w.place.caught.isdisjoint((name, *BASES[name]))]
    if not own and not w.having("failures"):
        return None
    name = w.one(*own) if own and not w.having("failures") else a_class(w)
    if name in OWN:
        w.need(*OWN[name])
    return fail_if(w, name) if w.place.depth and not w.chance(5) else None


@PRODUCTIONS.statement("assert", 2)
def asserted(w: Writer) -> list[str] | None:
    if not allowed(w, "AssertionError"):
        return [f"assert {w.atom(INT)} == {w.atom(INT)} or True{w.one('', ', 1')}"] if w.chance(20) else None
    return [f"assert {w.expression(BOOL, 1)}{w.one('', ', ' + message(w), f', {w.atom(INT)}')}"]


# ---- what fails by itself --------------------------------------------------------------------------------------------


def failing(w: Writer) -> tuple[str, str, Kind]:
    """An expression that may fail, of which class, and its kind."""
    k, other, x = w.atom(INT), w.expression(INT, 1), w.atom(FLOAT)
    array = w.pick(Array)
    options: list[tuple[str, str, Kind]] = [
        (f"{other} // {k}", "ZeroDivisionError", INT),
        (f"{x} / {k}", "ZeroDivisionError", FLOAT),
        (f"{k} % {other}", "ZeroDivisionError", INT),
        (f"divmod({k}, {other})[0]", "ZeroDivisionError", INT),
        (f"[{k}, 2, 3][{other}]", "IndexError", INT),
        (f"({k}, {other}, 5)[{k}]", "IndexError", INT),
        (f"{{1: {k}, 3: 4}}[{other}]", "KeyError", INT),
        (f"(1, 2, {k}).index({other})", "ValueError", INT),
        (f"1 << {k}", "ValueError", INT),
        (f"int({x} * float('nan'))", "ValueError", INT),
        (f"int(({k} * {k} + 1) * float('inf'))", "OverflowError", INT),
        (f"math.sqrt({x})", "ValueError", FLOAT),
        (f"float('0.5' if {w.expression(BOOL, 1)} else 'half')", "ValueError", FLOAT),
    ]
    if array is not None:
        held = w.names[array]
        assert isinstance(held, Array)
        if not held.dtype.startswith("complex"):
            options.append((f"float({array}{'[0]' * (len(held.shape) - 1)}[{other}])", "IndexError", FLOAT))
    w.need("import math")
    chosen: tuple[str, str, Kind] = w.one(*options)
    return chosen
