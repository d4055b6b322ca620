"""Lists that grow, in loops whose length is static or known only at run time."""

from __future__ import annotations

from property_tests.generation.constructs.containers import kind_there
from property_tests.generation.kinds import BOOL, FLOAT, INT, Array, Bool, Float, Growing, Int, Kind, Tuple
from property_tests.generation.paths import fresh_array
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented

PRODUCTIONS = Productions()


def new_item(w: Writer, kind: Kind, depth: int = 1) -> str:
    """An item to append. Arrays are new ones: what is appended may not be written to later (docs/sizes.md)."""
    return fresh_array(w, kind) if isinstance(kind, Array) else w.expression(kind, depth)


def growing_of(w: Writer, item: Kind) -> str | None:
    """A name of a list of any length with items of a kind."""
    return w.pick(Growing(item))


def _changeable(w: Writer) -> tuple[str, Growing] | None:
    name = w.changeable(Growing)
    kind = w.names[name] if name else None
    return (name, kind) if name and isinstance(kind, Growing) else None


@PRODUCTIONS.expression(Growing, "list of any length", 3, core=True)
def display(w: Writer, kind: Growing, depth: int) -> str:
    return f"[{', '.join(new_item(w, kind.item, min(depth, 1)) for _ in range(w.number(0, 2)))}]"


@PRODUCTIONS.statement("list of any length", 4)
def new(w: Writer) -> list[str]:
    kind = kind_there(w, Growing) or Growing(w.one(INT, FLOAT, INT, BOOL, Tuple((INT, FLOAT)), Array("float64", (2,))))
    text = "[]" if w.chance(60) else w.expression(kind, 1)
    return [f"{w.target(kind)} = {text}"]


@PRODUCTIONS.statement("append", 6)
def append(w: Writer) -> list[str] | None:
    found = _changeable(w)
    if found is None:
        return None
    name, kind = found
    item = new_item(w, kind.item)
    line = w.one(f"{name}.append({item})", f"{name} += [{item}]", f"{name}.extend([{item}, {new_item(w, kind.item)}])")
    return [f"if {w.expression(BOOL)}:", f"    {line}"] if w.chance(40) else [line]


@PRODUCTIONS.statement("take from a list", 4)
def take(w: Writer) -> list[str] | None:
    found = _changeable(w)
    if found is None:
        return None
    name, kind = found
    pop = w.one(f"{name}.pop()", f"{name}.pop(0)", f"{name}.pop(-1)")
    if kind.item in (INT, FLOAT) and w.chance(50):
        pop = f"{w.target(kind.item)} = {pop}"
        # Where it is not reached, the name must be there all the same.
        if pop.split(" = ")[0] not in w.names or w.chance(0):
            return None
    elif w.chance(30):
        pop = w.one(f"del {name}[0]", f"del {name}[-1]", f"{name}.clear()")
    return [pop] if w.having("failures") and w.chance(10) else [f"if {w.one(name, f'len({name}) > 1')}:", f"    {pop}"]


@PRODUCTIONS.statement("change a list of any length", 3)
def change(w: Writer) -> list[str] | None:
    found = _changeable(w)
    if found is None or isinstance(found[1].item, Array):
        return None
    name, kind = found
    item = new_item(w, kind.item)
    lines = [
        [f"if {name}:", f"    {name}[{w.one('0', '-1', f'{w.atom(INT)} % len({name})')}] = {item}"],
        [f"{name}.insert({w.one('0', f'{w.atom(INT)} % 3')}, {item})"],
        [f"{name} = {name}[{w.one('1:', ':-1', ':2', f'{w.atom(INT)} % 3:')}]"],
        [f"{name}.reverse()"],
        [f"{name} = {w.expression(kind, 1)}"],
        [f"{name} = {name} + [{item}]"],
    ]
    if kind.item in (INT, FLOAT):
        lines += [
            [f"{name}.sort()"],
            [f"{name} = sorted({name}, reverse=True)"],
            [f"if {item} in {name}:", f"    {name}.remove({item})"] if ":=" not in item else ["pass"],
        ]
    return list(w.one(*lines))


@PRODUCTIONS.statement("loop over a list of any length", 3)
def loop(w: Writer) -> list[str] | None:
    name = w.pick(Growing)
    if name is None or w.place.depth == 0:
        return None
    kind = w.names[name]
    assert isinstance(kind, Growing)
    # Where the body appended to the list it loops over, under whatever name, it might never end.
    with w.fixed(*w.named(Growing)), w.at():
        counter, item = w.fresh("i"), w.fresh(kind.item)
        pair = isinstance(kind.item, Tuple) and w.chance(50)
        if pair:
            first, second = w.fresh(INT), w.fresh(FLOAT)
            w.names |= {first: INT, second: FLOAT}
            target = f"({first}, {second})"
        else:
            # The arrays of such a list are copies, which are not written to (docs/differences.md).
            w.names |= {} if isinstance(kind.item, Array) else {item: kind.item}
            target = item
        head = w.one(
            f"for {target} in {name}:",
            f"for {counter}, {target} in enumerate({name}):",
            f"for {target} in reversed({name}):",
        )
        if "enumerate" in head:
            w.names[counter] = INT
        body = w.block(loop=True)
        if isinstance(kind.item, Array):
            y = w.changeable(FLOAT)
            body = [f"    {y} += {item}[0]", *body] if y else body
    return [head, *body]


@PRODUCTIONS.statement("while a list has items", 1)
def drain(w: Writer) -> list[str] | None:
    found = _changeable(w)
    if found is None or w.place.depth == 0:
        return None
    name, _ = found
    with w.fixed(*w.named(Growing)):
        body = w.block(loop=True)
    return [f"while {w.one(name, f'len({name}) > 1')}:", *indented([f"{name}.pop()"]), *body]


@PRODUCTIONS.expression(Int, "length of a list of any length", 2)
def length(w: Writer, kind: Int, depth: int) -> str | None:
    name = w.pick(Growing)
    return f"len({name})" if name else None


@PRODUCTIONS.expression(Int, "list of any length to number", 3)
@PRODUCTIONS.expression(Float, "list of any length to number", 3)
def reduced(w: Writer, kind: Int | Float, depth: int) -> str | None:
    name = growing_of(w, kind)
    if name is None:
        return None
    zero = w.expression(kind, 0)
    total = f"(sum({name}) % 100)" if kind == INT else f"sum({name}, 0.0)"
    options = [
        total,
        f"({name}[{w.one('-1', '0', f'{w.atom(INT)} % len({name})')}] if {name} else {zero})",
        f"max({name}, default={zero})",
        f"({w.one('min', 'max')}({name}) if len({name}) > 0 else {zero})",
        f"float(np.array({name}).sum())" if kind == FLOAT else f"{name}.count({zero})",
    ]
    return str(w.one(*options))


@PRODUCTIONS.expression(Bool, "list of any length in conditions", 2)
def condition(w: Writer, kind: Bool, depth: int) -> str | None:
    item = w.one(INT, FLOAT)
    name = growing_of(w, item)
    if name is None:
        return None
    return str(
        w.one(
            f"bool({name})",
            f"({w.expression(item, 0)} {w.one('in', 'not in')} {name})",
            f"(len({name}) > {w.number(0, 3)})",
            f"any({name})",
            f"all({name})",
            f"({name} == {w.expression(Growing(item), 0)})",
        )
    )
