"""Lambdas and what takes them: keys, map and filter, reduce, partial, functions kept in names and lists."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from property_tests.generation.kinds import BOOL, FLOAT, INT, Float, Function, Int, Kind, Parameter
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()


@contextlib.contextmanager
def reading(w: Writer, **parameters: Kind) -> Iterator[None]:
    """Write an expression inside of a function meanwhile: it assigns to no names (AB107)."""
    with w.inside(parameters, dict(w.names), results=None), w.fixed(*w.names):
        yield


def lambda_of(w: Writer, kind: Kind, **parameters: Kind) -> str:
    """A lambda of these parameters."""
    with reading(w, **parameters):
        return f"lambda {', '.join(parameters)}: {w.expression(kind, 1)}".replace("lambda :", "lambda:")


@PRODUCTIONS.statement("lambdas", 2)
def lambda_in_a_name(w: Writer) -> list[str]:
    """A lambda that is called later; by then the names that it reads may have changed."""
    name, kind = w.fresh("act"), w.one(INT, FLOAT, BOOL)
    taken = tuple(Parameter(w.fresh("v"), w.one(INT, FLOAT)) for _ in range(w.number(0, 2)))
    text = lambda_of(w, kind, **{p.name: p.kind for p in taken})
    if w.chance(30):  # the value that a name has now
        held = w.fresh("v")
        taken += (Parameter(held, INT, "default"),)
        before, after = text.split(":", 1)
        text = f"{before}{',' if len(taken) > 1 else ''} {held}={w.atom(INT)}:{after}"
    w.names[name] = Function(taken, (kind,))
    return [f"{name} = {text}"]


@PRODUCTIONS.statement("lambdas", 1)
def lambdas_in_a_list(w: Writer) -> list[str] | None:
    """Functions made in a loop: they see the last value of its name, or the value that was theirs."""
    if w.place.depth == 0:
        return None
    name, i = w.fresh("acts"), w.fresh("i")
    with reading(w, v=INT, **{i: INT}):
        value = w.expression(INT, 1)
    text = w.one(f"lambda v: {value}", f"lambda v, {i}={i}: {value}")
    made = [f"{name} = []", f"for {i} in range({w.number(1, 3)}):", f"    {name}.append({text})"]
    lines = made if w.chance(50) else [f"{name} = [{text} for {i} in range({w.number(1, 3)})]"]
    first, second = w.atom(INT), w.atom(INT)
    form = w.one(f"sum(act({first}) for act in {name})", f"{name}[0]({first}) - {name}[-1]({second})")
    return [*lines, w.assign(INT, form)]


@PRODUCTIONS.statement("functions chosen at run time", 1)
def chosen_function(w: Writer) -> list[str]:
    """One of two functions, and its call."""
    name = w.fresh("act")
    first, second = (lambda_of(w, INT, v=INT) for _ in range(2))
    if w.chance(50):
        choice = [f"{name} = ({first}) if {w.expression(BOOL, 1)} else ({second})"]
    else:
        choice = [f"if {w.expression(BOOL, 1)}:", f"    {name} = {first}", "else:", f"    {name} = {second}"]
    return [*choice, w.assign(INT, f"{name}({w.atom(INT)})")]


@PRODUCTIONS.expression(Int, "lambdas", 1)
@PRODUCTIONS.expression(Float, "lambdas", 1)
def lambda_at_once(w: Writer, kind: Int | Float, depth: int) -> str | None:
    if depth == 0:
        return None
    return f"({lambda_of(w, kind, v=kind)})({w.expression(kind, depth - 1)})"


# ---- map, filter, keys, functools ------------------------------------------------------------------------------------


def several(w: Writer) -> str:
    """Some ints to go through."""
    items = ", ".join(w.atom(INT) for _ in range(w.number(2, 3)))
    k = w.atom(INT)
    return str(
        w.one(f"({items})", f"[{items}]", f"range({k} % 4)", f"range({w.number(1, 4)})", f"range({k} % 3, 5, 2)")
    )


@PRODUCTIONS.expression(Int, "map and filter", 1)
def mapped(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    items, change, test = several(w), lambda_of(w, INT, v=INT), lambda_of(w, BOOL, v=INT)
    source = w.one(f"map({change}, {items})", f"filter({test}, {items})", f"map({change}, filter({test}, {items}))")
    form = w.one("sum({})", "max({}, default=0)", "sum(1 for v in {} if v)", "sum({}, 3)", "min((5, *{}))")
    # How many a filter leaves is known only at run time, and arguments have a fixed number.
    return str("sum({})" if "*" in form and ("filter" in source or " % " in items) else form).format(source)


@PRODUCTIONS.expression(Int, "keys", 1)
def by_key(w: Writer, kind: Int, depth: int) -> str | None:
    if depth == 0:
        return None
    items, key = ", ".join(w.atom(INT) for _ in range(3)), lambda_of(w, w.one(INT, FLOAT), v=INT)
    return str(
        w.one(
            f"max({items}, key={key})", f"min([{items}], key={key})", f"sorted([{items}], key={key})[{w.number(0, 2)}]"
        )
    )


@PRODUCTIONS.expression(Int, "functools", 1)
@PRODUCTIONS.expression(Float, "functools", 1)
def reduced(w: Writer, kind: Int | Float, depth: int) -> str | None:
    if depth == 0:
        return None
    w.need("import functools")
    # Kept small: it is done once for each item, in loops perhaps.
    with reading(w, p=kind, q=INT):
        step = w.expression(kind, 1)
    return f"functools.reduce(lambda p, q: {step}, {several(w)}, {w.atom(kind)})"


@PRODUCTIONS.statement("functools", 1)
def partial(w: Writer) -> list[str]:
    w.need("import functools")
    name = w.fresh("act")
    function = lambda_of(w, INT, p=INT, q=INT)
    by_name = w.chance(50)
    w.names[name] = Function((Parameter("q" if by_name else "v", INT, "keyword" if by_name else "positional"),), (INT,))
    return [f"{name} = functools.partial({function}, {'p=' if by_name else ''}{w.atom(INT)})"]


@PRODUCTIONS.statement("map and filter", 1)
def over_map(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    name = w.fresh("i")
    items, change = several(w), lambda_of(w, INT, v=INT)
    source, index = w.one(
        (f"map({change}, {items})", ""),
        (f"filter({lambda_of(w, BOOL, v=INT)}, {items})", ""),
        (f"enumerate(map({change}, {items}))", w.fresh("i")),
    )
    with w.at():
        w.names |= {n: INT for n in (name, index) if n}
        body = w.block(loop=True)
    return [f"for {index}{', ' if index else ''}{name} in {source}:", *body]
