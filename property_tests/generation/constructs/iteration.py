"""Loops over containers, arrays and texts."""

from __future__ import annotations

from property_tests.generation.constructs.loops import loop_else
from property_tests.generation.kinds import FLOAT, INT, TEXT, Array, Dict, Element, Kind, List, Tuple
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

Head = tuple[str, dict[str, Kind]]


def _loop(w: Writer, head: Head | None) -> list[str] | None:
    if head is None:
        return None
    text, targets = head
    with w.at():
        w.names |= targets
        body = w.block(loop=True)
    return [text, *body, *loop_else(w)]


def _source(w: Writer) -> tuple[str, Kind] | None:
    """Something to loop over, and the kind of its items."""
    options: list[tuple[str, Kind]] = []
    for name in w.named(List):
        kind = w.names[name]
        if isinstance(kind, List):
            item = kind.item
            options += [(name, item), (f"reversed({name})", item), (f"{name}[1:]", item), (f"list({name})", item)]
            options += [(f"sorted({name})", item), (f"map(abs, {name})", item)] if item in (INT, FLOAT) else []
    for name in w.named(Tuple):
        kind = w.names[name]
        if isinstance(kind, Tuple) and kind.items and len(set(kind.items)) == 1:
            options.append((name, kind.items[0]))
    for name in w.named(Array):
        kind = w.names[name]
        if isinstance(kind, Array) and kind.shape:
            item = Element(kind.dtype) if len(kind.shape) == 1 else Array(kind.dtype, kind.shape[1:])
            options += [(name, item), (f"{name}[::-1]", item), (f"reversed({name})", item)]
            # Not `.flat`, which compiled code does not have (docs/numpy-support.md).
            options += [(f"{name}.ravel()", Element(kind.dtype))] if len(kind.shape) > 1 else []
    if not options or w.chance(25):
        item = w.one(INT, FLOAT)
        parts = ", ".join(w.expression(item, 1) for _ in range(w.number(2, 3)))
        return str(w.one(f"({parts})", f"[{parts}]")), item
    return w.one(*options)  # type: ignore[no-any-return]


@PRODUCTIONS.statement("for over values", 5)
def over_values(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    found = _source(w)
    if found is None:
        return None
    text, item = found
    name = w.fresh(item)
    return _loop(w, (f"for {name} in {text}:", {name: item}))


@PRODUCTIONS.statement("enumerate and zip", 4)
def enumerated(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    first, second = _source(w), _source(w)
    if first is None or second is None:
        return None
    one, other, counter = w.fresh(first[1]), w.fresh(second[1]), w.fresh("i")
    heads: list[Head] = [
        (f"for {counter}, {one} in enumerate({first[0]}{w.one('', ', 1')}):", {counter: INT, one: first[1]}),
        (f"for {one}, {other} in zip({first[0]}, {second[0]}):", {one: first[1], other: second[1]}),
        (
            f"for {counter}, ({one}, {other}) in enumerate(zip({first[0]}, {second[0]})):",
            {counter: INT, one: first[1], other: second[1]},
        ),
        (f"for {counter}, {one} in zip(range({w.atom(INT)} % 4), {first[0]}):", {counter: INT, one: first[1]}),
    ]
    return _loop(w, w.one(*heads))


@PRODUCTIONS.statement("for over pairs", 2)
def over_pairs(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    first, second = w.fresh(INT), w.fresh(FLOAT)
    pairs = ", ".join(f"({w.expression(INT, 1)}, {w.expression(FLOAT, 1)})" for _ in range(w.number(1, 3)))
    return _loop(w, (f"for {first}, {second} in [{pairs}]:", {first: INT, second: FLOAT}))


@PRODUCTIONS.statement("for over a dict", 3)
def over_dict(w: Writer) -> list[str] | None:
    name = w.pick(Dict)
    if name is None or w.place.depth == 0:
        return None
    kind = w.names[name]
    assert isinstance(kind, Dict)
    key, held = w.fresh("key"), w.fresh(kind.value)
    keys: dict[str, Kind] = {key: INT} if isinstance(kind.keys[0], int) else {key: TEXT}
    heads: list[Head] = [
        (f"for {key}, {held} in {name}.items():", {**keys, held: kind.value}),
        (f"for {held} in {name}.values():", {held: kind.value}),
        (f"for {key} in {name}:", keys),
        (f"for {key} in sorted({name}.keys()):", keys),
    ]
    text, targets = w.one(*heads)
    # What the key leads to is changed while the dict is looped over.
    change = (
        [f"    {name}[{key}] = {w.expression(kind.value, 1)}"] if kind.value in (INT, FLOAT) and key in targets else []
    )
    with w.fixed(key), w.at():
        w.names |= {target: k for target, k in targets.items() if k != TEXT}
        body = w.block(loop=True)
    return [text, *(change if w.chance(50) else []), *body]


@PRODUCTIONS.statement("for over a text", 1)
def over_text(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    letter = w.fresh("s")
    name = w.changeable(INT)
    with w.at():
        body = w.block(2, loop=True)
    first = [f"    {name} += {{'a': 1, 'b': {w.expression(INT, 1)}}}[{letter}]"] if name else []
    return [f"for {letter} in {w.one('ab', 'b', 'aba')!r}:", *first, *body]
