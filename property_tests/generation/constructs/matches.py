"""`match`: literals, sequences, mappings, classes, values, guards and captures."""

from __future__ import annotations

from property_tests.generation.kinds import BOOL, FLOAT, INT, Array, Dict, Float, Int, Kind, List, Record, Tuple
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented

PRODUCTIONS = Productions()

Case = tuple[str, dict[str, Kind]]


@PRODUCTIONS.statement("match of numbers", 3)
def numbers(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    kind = w.one(INT, INT, FLOAT)
    subject = f"{w.expression(INT, 1)} % {w.number(2, 5)}" if kind == INT and w.chance(70) else w.expression(kind, 1)
    return _match(w, subject, kind, w.number(1, 3))


@PRODUCTIONS.statement("match of containers", 4)
def containers(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    names = [n for which in (Record, Dict, List, Tuple) for n in w.named(which)]
    if names and w.chance(75):
        name = w.one(*names)
        return _match(w, name, w.names[name], w.number(1, 3))
    kinds = tuple(w.one(INT, INT, FLOAT) for _ in range(w.number(1, 3)))
    return _match(w, w.expression(Tuple(kinds), 1), Tuple(kinds), w.number(1, 3))


@PRODUCTIONS.statement("match of values", 1)
def values(w: Writer) -> list[str] | None:
    """Constants of a class, whose names have a dot."""
    if w.place.depth == 0:
        return None
    name = w.fresh("Colour")
    base = w.one("", "(enum.IntEnum)")
    w.prelude += [*(["import enum"] if base else []), f"class {name}{base}:", "    RED = 0", "    BLUE = 2"]
    cases = [f"case {name}.RED:", *w.block(2), f"case {name}.BLUE{w.one('', ' | 1')}:", *w.block(2)]
    if w.chance(50):
        cases += ["case _:", *w.block(2)]
    return [f"match {w.expression(INT, 1)} % 4:", *indented(cases)]


@PRODUCTIONS.statement("match of singletons", 1)
def singletons(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    cases = [f"case {w.one('True', 'False')}:", *w.block(2), f"case {w.one('_', 'False', 'None')}:", *w.block(2)]
    return [f"match {w.expression(BOOL, 1)}:", *indented(cases)]


def _match(w: Writer, subject: str, kind: Kind, most: int) -> list[str]:
    cases: list[str] = []
    for _ in range(most):
        cases += _case(w, kind)
    if w.chance(60):
        capture = "" if isinstance(kind, (Tuple, List, Dict, Record)) else w.one("", w.fresh(kind))
        with w.at():
            w.names |= {capture: kind} if capture else {}
            cases += [f"case {capture or '_'}:", *w.block(3)]
    return [f"match {subject}:", *indented(cases)]


def _case(w: Writer, kind: Kind) -> list[str]:
    with w.at():
        pattern, captures = _pattern(w, kind, 2)
        w.names |= captures
        # A pattern that always fits may only be the last one, unless it has a guard.
        bare = pattern.isidentifier()
        guard = f" if {w.expression(BOOL, 1)}" if bare or w.chance(25) else ""
        return [f"case {pattern}{guard}:", *w.block(3)]


def _pattern(w: Writer, kind: Kind, depth: int) -> Case:
    """A pattern for a value of a kind, and the names that it binds."""
    match kind:
        case Int():
            return _of_number(w, kind, ("0", "1", "2", "-1", "3"), "int")
        case Float():
            return _of_number(w, kind, ("0.0", "1.0", "0.5", "-1.5"), "float")
        case Array():
            return _capture(w, kind)
        case Tuple(items) if depth:
            return _sequence(w, items, depth)
        case List(item, length) if depth:
            return _sequence(w, (item,) * length, depth)
        case Dict(keys, value) if depth:
            found = [(key, _pattern(w, value, depth - 1)) for key in keys if w.chance(60)]
            text = ", ".join(f"{key!r}: {pattern}" for key, (pattern, _) in found)
            return f"{{{text}}}", _joined([case for _, case in found])
        case Record(name, fields) if depth:
            parts = [(field, _pattern(w, held, depth - 1)) for field, held in fields if w.chance(60)]
            return f"{name}({', '.join(f'{field}={case[0]}' for field, case in parts)})", _joined([c for _, c in parts])
    return "_", {}


def _of_number(w: Writer, kind: Kind, literals: tuple[str, ...], called: str) -> Case:
    form = w.one("literal", "or", "capture", "class", "wildcard", "as")
    first, second = w.one(*literals), w.one(*literals)
    if form == "literal":
        return first, {}
    if form == "or":
        return f"({first} | {second})", {}
    if form == "wildcard":
        return "_", {}
    if form == "capture":
        return _capture(w, kind)
    name = w.fresh(kind)
    return (f"{called}({name})" if form == "class" else f"({first} | {second}) as {name}"), {name: kind}


def _capture(w: Writer, kind: Kind) -> Case:
    name = w.fresh(kind)
    return name, {name: kind}


def _sequence(w: Writer, items: tuple[Kind, ...], depth: int) -> Case:
    """All of the items, or the first or last ones and a star; rarely too many, which never fits."""
    if items and len(set(items)) == 1 and w.chance(35):
        at = w.number(0, len(items) - 1)
        cases = [_pattern(w, item, depth - 1) for item in items[:at]]
        rest = List(items[0], len(items) - at)
        name = w.fresh(rest)
        parts = [text for text, _ in cases] + [f"*{name}"]
        parts = parts if w.chance(60) else parts[::-1]
        return f"[{', '.join(parts)}]", {**_joined(cases), name: rest}
    cases = [_pattern(w, item, depth - 1) for item in items]
    if w.chance(10):
        cases.append(("_", {}))
    text = ", ".join(text for text, _ in cases)
    return (f"[{text}]" if w.chance(50) else f"({text}{',' if len(cases) == 1 else ''})"), _joined(cases)


def _joined(cases: list[Case]) -> dict[str, Kind]:
    return {name: kind for _, captures in cases for name, kind in captures.items()}
