"""Generators: functions that yield, generator expressions, and what goes through them."""

from __future__ import annotations

from property_tests.generation.constructs.closures import reading, several
from property_tests.generation.constructs.functions import (
    body,
    call,
    declarations,
    local_names,
    parameters,
    signature,
)
from property_tests.generation.kinds import BOOL, FLOAT, INT, Array, Bool, Float, Function, Int, Kind
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented

PRODUCTIONS = Productions()

PRODUCTIONS.option("nested generators", "next")


@PRODUCTIONS.statement("yield", 8)
def yielded(w: Writer) -> list[str] | None:
    return None if w.place.items is None else [f"yield {w.expression(w.place.items, 1)}"]


@PRODUCTIONS.statement("yield from", 3)
def yielded_from(w: Writer) -> list[str] | None:
    items = w.place.items
    if items is None:
        return None
    found = [(n, k) for n, k in _there(w).items() if k.items == items]
    if found and w.chance(60):
        return [f"yield from {call(w, *w.one(*found))}"]
    if items == INT and w.chance(50):
        return [f"yield from {several(w)}"]
    return [f"yield from ({w.atom(items)}, {w.atom(items)})"]


def _there(w: Writer) -> dict[str, Function]:
    return {n: k for n, k in ((n, w.names[n]) for n in w.named(Function)) if isinstance(k, Function) and k.items}


@PRODUCTIONS.statement("generators", 3)
def generator(w: Writer) -> list[str] | None:
    """A generator function in the function, which statements may go through later."""
    if w.place.depth == 0 or w.place.functions > 1:
        return None
    items = w.one(INT, FLOAT)
    made, name = parameters(w), w.fresh("steps")
    outer = [n for n in w.free if w.chance(50)] if w.having("nonlocal") else []
    outer = [n for n in outer if n not in local_names(made)]
    with w.inside(local_names(made), dict(w.names), outer, depth=2, results=(), items=items):
        lines = [f"yield {w.expression(items, 1)}"] if w.chance(60) else []
        i = w.fresh("i")
        if w.chance(60):
            head = f"for {i} in range({w.one(str(w.number(1, 3)), f'{w.atom(INT)} % 4')}):"
            with w.at(depth=1, loop=True):
                w.names[i] = INT
                inside = [f"yield {w.expression(items, 1)}", *(w.statements(2) if w.chance(50) else [])]
            lines += [head, *indented(inside)]
        first = f"yield {w.atom(items)}"
        lines += body(w, made, ())
        if "yield" not in "\n".join(lines):
            lines.insert(0, first)
    w.names[name] = Function(made, (), items=items)
    text = [f"def {name}({signature(w, made)}):", *indented([*declarations(w, outer, lines), *lines])]
    return [*text, *(gone_through(w) or [])]


@PRODUCTIONS.statement("generators", 3)
def gone_through(w: Writer) -> list[str] | None:
    found = _there(w)
    if not found or w.place.depth == 0:
        return None
    name, kind = w.one(*found.items())
    assert kind.items is not None
    with w.fixed(*w.names):  # the iterable of a comprehension assigns to no names
        source, item = call(w, name, kind), w.fresh(kind.items)
    if w.having("next") and w.chance(30):
        steps = w.fresh("it")
        first = [f"{steps} = {source}", w.assign(kind.items, f"next({steps}, {w.atom(kind.items)})")]
        return [*first, w.assign(kind.items, f"next({steps}, {w.atom(kind.items)})")] if w.chance(60) else first
    if w.chance(40):
        form = w.one(
            "sum({})", "max({}, default=0)", "sum(1 for v in {} if v > 0)", "sum(i * v for i, v in enumerate({}))"
        )
        target = w.target(INT if "1 for" in form else kind.items)
        return [
            f"{target} = {'float' if kind.items == FLOAT and '1 for' not in form else 'int'}({form.format(source)})"
        ]
    with w.at():
        w.names[item] = kind.items
        lines = w.block(loop=True)
    return [f"for {item} in {source}:", *lines]


# ---- generator expressions -------------------------------------------------------------------------------------------


def generator_expression(w: Writer, kind: Kind, depth: int = 1) -> str:
    """A generator expression of values of a kind, without parentheses."""
    array = w.pick(Array)
    held = w.names[array] if array is not None and w.chance(40) else None
    if isinstance(held, Array) and len(held.shape) == 1 and not held.dtype.startswith("complex"):
        with reading(w, v=FLOAT):
            element, test = w.expression(kind, depth), w.expression(BOOL, 1)
        # The items of an array are NumPy's own numbers.
        source = f"(float(v) for v in {array})"
        return f"{element} for v in {source}{w.one('', f' if {test}')}"
    with reading(w, v=INT):
        element, test = w.expression(kind, depth), w.expression(BOOL, 1)
        second = several(w)
    more = w.one("", "", f" for v in {second}") if w.having("nested generators") else ""
    return f"{element} for v in {several(w)}{w.one('', f' if {test}')}{more}"


@PRODUCTIONS.expression(Int, "generator expressions", 1)
def summed(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    inside = generator_expression(w, INT)
    return str(
        w.one(f"sum({inside})", f"max(({inside}), default=1)", f"next(({inside}), 2)", f"min(({inside}), default=0)")
    )


@PRODUCTIONS.expression(Float, "generator expressions", 1)
def summed_floats(w: Writer, kind: Float, depth: int) -> str | None:
    if depth == 0:
        return None
    inside = generator_expression(w, FLOAT)
    return str(w.one(f"sum(({inside}), 0.0)", f"max(({inside}), default=1.5)", f"next(({inside}), 0.5)"))


@PRODUCTIONS.expression(Bool, "generator expressions", 1)
def any_or_all(w: Writer, kind: Bool, depth: int) -> str | None:
    return None if depth == 0 else f"{w.one('any', 'all')}({generator_expression(w, BOOL)})"
