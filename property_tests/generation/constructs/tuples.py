"""Tuples: made, taken apart, compared."""

from __future__ import annotations

from property_tests.generation.constructs.containers import item_kind, kind_there
from property_tests.generation.kinds import FLOAT, INT, Bool, Int, List, Tuple
from property_tests.generation.paths import value
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


def some_tuple(w: Writer) -> tuple[str, Tuple] | None:
    """A tuple that has a name."""
    name = w.pick(Tuple)
    kind = w.names[name] if name else None
    return (name, kind) if name and isinstance(kind, Tuple) else None


@PRODUCTIONS.statement("tuple", 4)
def new_tuple(w: Writer) -> list[str]:
    items = w.one((INT, FLOAT), (INT, INT, INT), (INT, Tuple((FLOAT, INT))), ())
    kind = kind_there(w, Tuple) or Tuple(items or tuple(item_kind(w) for _ in range(w.number(1, 3))))
    text = w.expression(kind, 1)
    return [f"{w.target(kind)} = {text}"]


@PRODUCTIONS.statement("tuple unpacking", 4)
def unpack(w: Writer) -> list[str] | None:
    found = some_tuple(w)
    if found is None or len(found[1].items) < 2:
        return None
    name, kind = found
    same = len(set(kind.items)) == 1
    if same and w.chance(50):
        rest = List(kind.items[0], len(kind.items) - 1)
        others, first = w.fresh(rest), w.target(kind.items[0])
        w.names[others] = rest
        return [str(w.one(f"{first}, *{others} = {name}", f"*{others}, {first} = {name}"))]
    return [f"{', '.join(_target(w, item) for item in kind.items)} = {name}"]


def _target(w: Writer, kind: object) -> str:
    if isinstance(kind, Tuple) and w.chance(70):
        return f"({''.join(_target(w, item) + ', ' for item in kind.items)})"
    return w.target(kind)  # type: ignore[arg-type]


@PRODUCTIONS.statement("unpacking of a display", 3)
def unpack_display(w: Writer) -> list[str]:
    """Several names at once, of which some are read on the right."""
    kinds = [w.one(INT, FLOAT) for _ in range(w.number(2, 3))]
    values = [w.expression(kind, 1) for kind in kinds]
    if w.chance(30):
        extra = w.expression(INT, 1)
        whole, inner = w.target(INT), ", ".join(w.target(kind) for kind in kinds)
        return [f"{whole}, ({inner}) = {extra}, ({', '.join(values)})"]
    return [f"{', '.join(w.target(kind) for kind in kinds)} = {', '.join(values)}"]


@PRODUCTIONS.expression(Tuple, "tuple operators", 2)
def operators(w: Writer, kind: Tuple, depth: int) -> str | None:
    name = w.pick(kind)
    if name is None or depth == 0:
        return None
    cut = w.number(0, len(kind.items))
    tail = "".join(value(w, item, depth - 1) + ", " for item in kind.items[cut:])
    return str(w.one(f"{name}[:{cut}] + ({tail})", f"(*{name}[:{cut}], {tail})", f"tuple({name})", f"{name}[:]"))


@PRODUCTIONS.expression(Bool, "tuple comparison", 2)
def comparison(w: Writer, kind: Bool, depth: int) -> str | None:
    numbers = [n for n in w.named(Tuple) if set(getattr(w.names[n], "items", ())) <= {INT, FLOAT}]
    if not numbers:
        left = f"({w.expression(INT, 1)}, {w.expression(FLOAT, 0)})"
        return f"({left} {w.one('<', '==', '>=')} ({w.expression(INT, 0)}, {w.expression(FLOAT, 0)}))"
    name = w.one(*numbers)
    other = w.expression(w.names[name], min(depth, 1))
    return str(w.one(f"({name} {w.one('==', '<', '>=', '!=')} {other})", f"({w.expression(INT, 0)} in {name})"))


@PRODUCTIONS.expression(Int, "tuple to number", 2)
def item(w: Writer, kind: Int, depth: int) -> str | None:
    names = [n for n in w.named(Tuple) if getattr(w.names[n], "items", ()) == (INT, INT, INT)]
    if not names:
        return f"({w.expression(INT, 0)}, {w.expression(INT, 0)})[{w.one('0', '-1', f'{w.atom(INT)} % 2')}]"
    name = w.one(*names)
    return str(
        w.one(
            f"{name}[{w.atom(INT)} % 3]", f"{name}[-1]", f"max({name})", f"{name}.count({w.atom(INT)})", f"len({name})"
        )
    )
