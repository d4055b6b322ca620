"""Lists whose length is the same after each statement."""

from __future__ import annotations

from property_tests.generation.constructs.containers import item_kind, kind_there
from property_tests.generation.kinds import BOOL, FLOAT, INT, Bool, Float, Int, Kind, List
from property_tests.generation.paths import place_in, value
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


def some_list(w: Writer, item: Kind | None = None, *, change: bool = False) -> tuple[str, List] | None:
    """A list that has items, of a kind if it is given."""
    names = [n for n in w.named(List) if item is None or getattr(w.names[n], "item", None) == item]
    names = [n for n in names if getattr(w.names[n], "length", 0) > 0]
    if not names:
        return None
    name = str(w.one(*names))
    kind = w.names[name]
    assert isinstance(kind, List)
    return name, kind


@PRODUCTIONS.statement("list", 4)
def new_list(w: Writer) -> list[str]:
    kind = kind_there(w, List) or List(item_kind(w), w.number(1, 4))
    text = w.expression(kind, 1)
    return [f"{w.target(kind)} = {text}"]


@PRODUCTIONS.statement("list methods", 4)
def methods(w: Writer) -> list[str] | None:
    """Calls that together leave the length as it is."""
    found = some_list(w)
    if found is None:
        return None
    name, kind = found
    new, at = value(w, kind.item, 1), w.number(0, kind.length)
    append = w.one(
        f"{name}.append({new})", f"{name} += [{new}]", f"{name}.extend(({new},))", f"{name}[{at}:{at}] = [{new}]"
    )
    pop = w.one(f"{name}.pop(0)", f"del {name}[0]", f"{name}.pop()", f"{name}[-1:] = []", f"{name}.pop({at})")
    lines = w.one(
        [append, pop],
        [f"{name}.insert({at}, {new})", pop],
        [f"{name}.append({name}.pop({w.one('0', '')}))"],
        [f"{name}.reverse()"],
        [f"{name}[:] = {name}[1:] + [{new}]"],
        [f"{name}[:1] = [{new}]"],
    )
    if kind.item in (INT, FLOAT) and w.chance(20):
        return [str(w.one(f"{name}.sort()", f"{name}.sort(reverse=True)", f"{name}.sort(key=lambda v: -v)"))]
    return list(lines)


@PRODUCTIONS.statement("list swap", 2)
def swap(w: Writer) -> list[str] | None:
    found = some_list(w)
    if found is None:
        return None
    name, kind = found
    first, second = f"{name}[{place_in(w, kind.length)}]", f"{name}[{place_in(w, kind.length)}]"
    return [f"{first}, {second} = {second}, {value(w, kind.item, 1) if w.chance(30) else first}"]


@PRODUCTIONS.statement("list unpacking", 2)
def unpack(w: Writer) -> list[str] | None:
    found = some_list(w, w.one(INT, FLOAT))
    if found is None:
        return None
    name, kind = found
    if kind.length == 1 or w.chance(40):
        rest = List(kind.item, kind.length - 1)
        target, others = w.target(kind.item), w.fresh(rest)
        w.names[others] = rest
        return [str(w.one(f"{target}, *{others} = {name}", f"*{others}, {target} = {name}"))]
    targets = ", ".join(w.target(kind.item) for _ in range(kind.length))
    return [w.one(f"{targets} = {name}", f"[{targets}] = {name}[::-1]")]


@PRODUCTIONS.expression(List, "list operators", 2)
def operators(w: Writer, kind: List, depth: int) -> str | None:
    name = w.pick(kind)
    if name is None or depth == 0 or kind.length == 0:
        return None
    cut = w.number(0, kind.length)
    text = w.one(
        f"{name}[:]",
        f"{name}.copy()",
        f"{name}[::-1]",
        f"{name}[{cut}:] + {name}[:{cut}]",
        f"list({name})",
        f"{name}[:-1] + [{value(w, kind.item, depth - 1)}]",
        f"[{value(w, kind.item, depth - 1)}] * {kind.length}",
        f"({name} * 2)[{cut}:{cut + kind.length}]",
        f"[{value(w, kind.item, depth - 1)}, *{name}[1:]]",
        f"list(reversed({name}))",
    )
    if kind.item in (INT, FLOAT) and w.chance(20):
        return str(w.one(f"sorted({name})", f"sorted({name}, reverse=True)", f"sorted({name}, key=abs)"))
    return str(text)


@PRODUCTIONS.expression(Int, "list to number", 3)
@PRODUCTIONS.expression(Float, "list to number", 3)
def reduced(w: Writer, kind: Int | Float, depth: int) -> str | None:
    found = some_list(w, kind)
    if found is None:
        return None
    name, _ = found
    sums = f"sum({name}{w.one('', ', 1')}) % 1000" if kind == INT else f"sum({name}{w.one('', ', 0.5')})"
    return f"({w.one(sums, f'max({name})', f'min({name})', f'sorted({name})[0]')})"


@PRODUCTIONS.expression(Int, "length of a list", 1)
def length(w: Writer, kind: Int, depth: int) -> str | None:
    found = some_list(w)
    if found is None:
        return None
    name, held = found
    if held.item == INT and w.chance(40):
        return str(w.one(f"{name}.count({w.atom(INT)})", f"{name}.index(max({name}))"))
    return f"len({name})"


@PRODUCTIONS.expression(Bool, "list in conditions", 2)
def condition(w: Writer, kind: Bool, depth: int) -> str | None:
    found = some_list(w, w.one(INT, FLOAT, BOOL))
    if found is None:
        return None
    name, held = found
    member = f"({w.expression(held.item, 0)} {w.one('in', 'not in')} {name})"
    other = w.expression(held, min(depth, 1))
    options = [
        member,
        f"({name} == {other})",
        f"bool({name})",
        f"any({name})",
        f"all({name})",
        f"({name} is {w.atom(held)})",
    ]
    return str(w.one(*options, *([f"({name} < {other})"] if held.item != BOOL else [])))
