"""Comprehensions, and functions that take generators."""

from __future__ import annotations

from property_tests.generation.kinds import (
    BOOL,
    FLOAT,
    INT,
    Bool,
    Dict,
    Float,
    Growing,
    Int,
    Kind,
    List,
)
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


def _over(w: Writer, length: int | None = None) -> tuple[str, Kind]:
    """Return the iterable of a comprehension, of a length if one is given, and the kind of its items."""
    options: list[tuple[str, Kind]] = [(f"range({w.number(1, 4) if length is None else length})", INT)]
    for name in w.named(List):
        kind = w.names[name]
        if isinstance(kind, List) and kind.length and kind.item in (INT, FLOAT) and length in (None, kind.length):
            options += [(name, kind.item), (f"reversed({name})", kind.item), (f"sorted({name})", kind.item)]
    if length is None:
        for name in w.named(Dict):
            kind = w.names[name]
            if isinstance(kind, Dict) and kind.value in (INT, FLOAT):
                options.append((f"{name}.values()", kind.value))
        options.append((f"({w.atom(INT)}, {w.atom(INT)})", INT))
    return w.one(*options)  # type: ignore[no-any-return]


def _clause(w: Writer, item: Kind, length: int | None = None, condition: Kind | None = None) -> tuple[str, str, str]:
    """The element, the `for` and a condition of a comprehension."""
    source, held = _over(w, length)
    name = w.fresh("v")
    with w.fixed(name), w.at():
        w.names[name] = held
        element = w.expression(item, 1)
        test = f" if {w.expression(BOOL, 1)}" if condition is not None else ""
    return element, f"for {name} in {source}", test


@PRODUCTIONS.expression(List, "list comprehension", 3)
def list_comprehension(w: Writer, kind: List, depth: int) -> str | None:
    if depth == 0 or kind.item not in (INT, FLOAT, BOOL) or kind.length == 0:
        return None
    if w.chance(20):
        # A condition that is known while tracing.
        name = w.fresh("v")
        return f"[{w.expression(kind.item, 1)} for {name} in range({2 * kind.length}) if {name} % 2]"
    element, clause, _ = _clause(w, kind.item, kind.length)
    return f"[{element} {clause}]"


@PRODUCTIONS.expression(Growing, "comprehension with a condition", 2)
def conditional(w: Writer, kind: Growing, depth: int) -> str | None:
    if depth == 0 or kind.item not in (INT, FLOAT, BOOL):
        return None
    element, clause, test = _clause(w, kind.item, None, BOOL)
    return f"[{element} {clause}{test}]"


@PRODUCTIONS.expression(Dict, "dict comprehension", 2)
def dict_comprehension(w: Writer, kind: Dict, depth: int) -> str | None:
    name = w.pick(kind)
    if depth == 0 or kind.value not in (INT, FLOAT):
        return None
    key, held = w.fresh("key"), w.fresh(kind.value)
    with w.fixed(held), w.at():
        w.names[held] = kind.value
        element = w.expression(kind.value, 1)
    if name is not None and w.chance(60):
        return f"{{{key}: {element} for {key}, {held} in {name}.items()}}"
    return f"{{{key}: {w.expression(kind.value, 1)} for {key} in {kind.keys!r}}}"


@PRODUCTIONS.expression(Int, "generator expression", 2)
@PRODUCTIONS.expression(Float, "generator expression", 2)
def reduced(w: Writer, kind: Int | Float, depth: int) -> str | None:
    if depth == 0:
        return None
    some = w.one(None, BOOL)
    element, clause, test = _clause(w, kind, None, some)
    if some is None and w.chance(50):
        return f"{w.one('min', 'max')}({element} {clause})"
    if kind == INT:
        return f"(sum({element} {clause}{test}) % 100)"
    return f"sum(({element} {clause}{test}), 0.0)"


@PRODUCTIONS.expression(Bool, "any and all", 3)
def any_all(w: Writer, kind: Bool, depth: int) -> str | None:
    if depth == 0:
        return None
    element, clause, test = _clause(w, BOOL, None, w.one(None, BOOL))
    return f"{w.one('any', 'all')}({element} {clause}{test})"


@PRODUCTIONS.expression(List, "nested comprehension", 1)
def nested(w: Writer, kind: List, depth: int) -> str | None:
    if kind.length != 4 or kind.item not in (INT, FLOAT):
        return None
    first, second = w.fresh("v"), w.fresh("v")
    with w.fixed(first, second), w.at():
        w.names |= {first: INT, second: INT}
        element = w.expression(kind.item, 1)
    return f"[{element} for {first} in range(2) for {second} in range({w.one('2', f'{first}, {first} + 2')})]"
