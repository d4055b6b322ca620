"""Dicts with fixed keys."""

from __future__ import annotations

from property_tests.generation.constructs.containers import item_kind, kind_there
from property_tests.generation.kinds import BOOL, FLOAT, INT, Bool, Dict, Float, Int, Kind
from property_tests.generation.paths import value
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

KEYS: tuple[tuple[str | int, ...], ...] = (("p", "q"), ("p",), ("p", "q", "r"), (0, 1, 2), (1, 4))


def some_dict(w: Writer, held: Kind | None = None) -> tuple[str, Dict] | None:
    """A dict that has a name, with values of a kind if one is given."""
    names = [n for n in w.named(Dict) if held is None or getattr(w.names[n], "value", None) == held]
    if not names:
        return None
    name = str(w.one(*names))
    kind = w.names[name]
    assert isinstance(kind, Dict)
    return name, kind


@PRODUCTIONS.statement("dict", 4)
def new_dict(w: Writer) -> list[str]:
    kind = kind_there(w, Dict) or Dict(w.one(*KEYS), item_kind(w))
    text = w.expression(kind, 1)
    return [f"{w.target(kind)} = {text}"]


@PRODUCTIONS.statement("dict methods", 4)
def methods(w: Writer) -> list[str] | None:
    """Calls that leave the keys as they are."""
    found = some_dict(w)
    if found is None:
        return None
    name, kind = found
    key, new = repr(w.one(*kind.keys)), value(w, kind.value, 1)
    lines = [
        [f"{name}.update({{{key}: {new}}})"],
        [f"{name} |= {{{key}: {new}}}"],
        [f"{name}.setdefault({key}, {new})"],
        [f"{name}[99] = {new}", f"{name}.pop(99)"],
        [f"{name}[99] = {new}", f"del {name}[99]"],
        [f"{name}[99] = {new}", f"{name}.popitem()"],
        [f"{name}.pop(99, None)"],
        [f"{name}.update({name})"],
    ]
    if kind.keys == ("p", "q"):
        lines.append([f"{name}.update(q={new})"])
    return list(w.one(*lines))


@PRODUCTIONS.statement("run-time key", 2)
def run_time_key(w: Writer) -> list[str] | None:
    """A key known only at run time; where the dict may lack it, the program may fail."""
    names = [n for n in w.named(Dict) if getattr(w.names[n], "keys", ()) == (0, 1, 2)]
    if not names:
        return None
    name = w.one(*names)
    kind = w.names[name]
    assert isinstance(kind, Dict)
    return [f"{name}[{w.atom(INT)} % 3] = {value(w, kind.value, 1)}"]


@PRODUCTIONS.expression(Dict, "dict operators", 2)
def operators(w: Writer, kind: Dict, depth: int) -> str | None:
    name = w.pick(kind)
    if name is None or depth == 0:
        return None
    key, new = repr(w.one(*kind.keys)), value(w, kind.value, depth - 1)
    return str(
        w.one(
            f"dict({name})",
            f"{name}.copy()",
            f"{{**{name}, {key}: {new}}}",
            f"{name} | {{{key}: {new}}}",
            f"{name} | {w.pick(kind)}",
            f"dict(zip({kind.keys!r}, {name}.values()))",
            f"dict({name}.items())",
        )
    )


@PRODUCTIONS.expression(Int, "dict to number", 2)
@PRODUCTIONS.expression(Float, "dict to number", 2)
def reduced(w: Writer, kind: Int | Float, depth: int) -> str | None:
    found = some_dict(w, kind)
    if found is None:
        return None
    name, held = found
    key, zero = repr(w.one(*held.keys)), w.expression(kind, 0)
    options = [
        f"{name}.get({key}, {zero})",
        f"{name}.get('none', {zero})",
        f"max({name}.values())",
        f"min({name}.values())",
    ]
    options.append(f"(sum({name}.values()) % 100)" if kind == INT else f"sum({name}.values())")
    if isinstance(held.keys[0], int):
        options.append(f"{name}.get({w.atom(INT)}, {zero})")
        options += [f"{name}[{w.atom(INT)} % 3]"] if held.keys == (0, 1, 2) or w.having("failures") else []
    return str(w.one(*options))


@PRODUCTIONS.expression(Bool, "dict in conditions", 1)
def condition(w: Writer, kind: Bool, depth: int) -> str | None:
    found = some_dict(w, w.one(INT, FLOAT))
    if found is None:
        return None
    name, held = found
    options = [f"({w.expression(held.value, 0)} in {name}.values())", f"({name} == {w.expression(held, 0)})"]
    options.append(f"({w.one(*held.keys)!r} in {name})")
    return str(w.one(*options, *([f"({w.atom(INT)} in {name})"] if isinstance(held.keys[0], int) else [])))


@PRODUCTIONS.expression(Int, "run-time text", 1)
@PRODUCTIONS.expression(Float, "run-time text", 1)
def key_of_choice(w: Writer, kind: Int | Float, depth: int) -> str | None:
    """A key that is one of two texts."""
    found = some_dict(w, kind)
    if found is None:
        return None
    name, held = found
    first, second = w.one(*held.keys), w.one(*held.keys)
    return f"{name}[{first!r} if {w.atom(BOOL)} else {second!r}]"
