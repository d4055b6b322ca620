"""A few lines in which constructs meet that meet by chance too rarely for a short search."""

from __future__ import annotations

from property_tests.generation.constructs.elements import index
from property_tests.generation.constructs.names import read_unset
from property_tests.generation.kinds import BOOL, FLOAT, INT, Array, Function, Parameter
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented, leaves

PRODUCTIONS = Productions()

# ---- loops -----------------------------------------------------------------------------------------------------------


@PRODUCTIONS.statement("loop left in several ways", 4)
def left_in_several_ways(w: Writer) -> list[str] | None:
    """Several of `break`, `continue` and `return` in one loop that has an `else`."""
    if w.place.depth < 2:
        return None
    name = w.fresh("i")
    head = f"for {name} in range({w.one(w.atom(INT), w.number(2, 4))} % 5):"
    ways = [("continue", "break"), ("break", "continue")]
    if w.place.results is not None:
        returned = f"return {', '.join(w.atom(kind) for kind in w.place.results)}"
        ways += [("break", returned), (returned, "break"), ("continue", "break", returned)]
    with w.fixed(name), w.at(depth=w.place.depth - 1):
        w.names[name] = INT
        body = w.statement() if w.chance(60) else []
        taken = () if leaves(body) else w.one(*ways)
        exits = [line for way in taken for line in (f"if {_sometimes(w, name)}:", f"    {way}")]
        if exits and w.chance(50):
            exits = [f"if {_sometimes(w, name)}:", *indented([*exits, w.assign(FLOAT, w.expression(FLOAT, 1))])]
        body += exits + (w.statement() if exits else [])
    return [head, *indented(body), "else:", *w.block(2)]


def _sometimes(w: Writer, name: str) -> str:
    """A condition that holds in some steps of a loop."""
    tests = (f"{name} > {w.number(0, 2)}", f"{name} == {w.atom(INT)} % 3", f"{name} != {w.number(0, 2)}")
    return str(w.one(*tests, w.expression(BOOL, 1)))


@PRODUCTIONS.statement("names of a loop read after it", 3)
def read_after_loop(w: Writer) -> list[str] | None:
    """The target, and a name that only the body sets: both are unset after no step at all."""
    if w.place.depth == 0:
        return None
    name, kept = w.fresh("i"), w.fresh(FLOAT)
    with w.fixed(name, kept), w.at(depth=w.place.depth - 1):
        value = w.expression(FLOAT, 1)
        w.names[name], w.names[kept] = INT, FLOAT
        body = [f"{kept} = {value}", *(w.statement() if w.chance(50) else [])]
    head = f"for {name} in {w.one('range', 'reversed(range')}({w.atom(INT)} % 3)"
    lines = [f"{head}{')' if 'reversed' in head else ''}:", *indented(body)]
    reads = w.one(((name, INT), (kept, FLOAT)), ((kept, FLOAT),), ((name, INT),))
    return [*lines, *(line for read, kind in reads for line in read_unset(w, read, kind, None))]


@PRODUCTIONS.statement("name of a loop read after its break", 3)
def read_after_break(w: Writer) -> list[str] | None:
    """A name that each step sets before it may end the loop."""
    if w.place.depth < 2:
        return None
    count, kept, more = w.fresh("c"), w.fresh(FLOAT), w.atom(FLOAT)
    value = w.one(f"{more} + {count}", f"{more} * 0.5 - {count}", f"float({count})", w.expression(FLOAT, 1))
    test = w.one(f"{kept} > {w.number(0, 3)}", _sometimes(w, count))
    with w.fixed(count, kept), w.at(depth=w.place.depth - 1):
        w.names[count], w.names[kept] = INT, FLOAT
        body = [f"{count} += 1", f"{kept} = {value}", f"if {test} or {count} > 3:", "    break"]
        body += w.statement() if w.chance(60) else []
    return [f"{count} = 0", "while True:", *indented(body), w.assign(FLOAT, kept)]


# ---- names -----------------------------------------------------------------------------------------------------------


@PRODUCTIONS.statement("name set and read under one condition", 3)
def set_and_read(w: Writer) -> list[str] | None:
    if w.place.depth == 0:
        return None
    kind, test = w.one(INT, FLOAT), w.fresh(BOOL)
    name, target = w.fresh(kind), w.changeable(kind)
    lines = [f"{test} = {w.expression(BOOL)}", f"if {test}:", f"    {name} = {w.expression(kind)}"]
    with w.fixed(test, *([target] if target else [])):
        lines += w.statement() if w.chance(40) and target else []
    if leaves(lines):
        return lines
    if target is not None and w.chance(60):
        return [*lines, f"if {test}:", f"    {target} = {name}"]
    value = w.atom(kind)
    return [*lines, f"{w.target(kind)} = {name} if {test} else {value}"]


@PRODUCTIONS.statement("name read by a function and bound again", 3)
def bound_again(w: Writer) -> list[str] | None:
    """A function that is called after a loop or a branch around the call has given its name another value."""
    if w.place.depth == 0 or w.place.functions > 2:
        return None
    kind = w.one(INT, FLOAT)
    held, name, v, i = w.fresh(kind), w.fresh("g"), w.fresh("v"), w.fresh("i")
    lines = [f"{held} = {w.expression(kind, 1)}"]
    w.names[held] = kind
    value = w.one(f"{v} + {held}", f"{held} - {v} % 5", f"{v} * 0.5 + {held}" if kind == FLOAT else f"{v} | {held}")
    lines += w.one([f"def {name}({v}):", f"    return {value}"], [f"{name} = lambda {v}: {value}"])
    w.names[name] = Function((Parameter(v, kind),), (kind,))
    again = f"{held} = {w.one(f'{held} % 7 + 1', f'{held} % 5 - {w.atom(INT)} % 3')}"
    argument, head = w.atom(kind), w.one(f"for {i} in range({w.atom(INT)} % 4):", f"if {w.expression(BOOL, 1)}:")
    target = w.target(kind)
    called = f"{target} = {name}({argument} % 9)"
    inside = w.one([again, called], [called, again], [again])
    return [*lines, head, *indented(inside), f"{target} = {name}({w.number(0, 3)})"]


# ---- memory ----------------------------------------------------------------------------------------------------------


@PRODUCTIONS.statement("choice of arrays written and read", 3)
def written_and_read(w: Writer) -> list[str] | None:
    """A write through one name, and a read through another that may be the same array."""
    first = w.changeable(Array)
    kind = None if first is None else w.names[first]
    if not isinstance(kind, Array) or 0 in kind.shape:
        return None
    name, place = w.fresh(kind), index(w, kind.shape)
    others = [n for n in w.named(kind) if n != first]
    second = w.one(*others) if others else f"{first}.copy()"
    written, read = w.one((first, name), (name, first), (first, name), (name, second if others else first))
    sides = w.one((first, second), (second, first))
    lines = [f"{name} = {sides[0]} if {w.expression(BOOL, 1)} else {sides[1]}"]
    lines.append(f"{written}[{place}] = {w.number(2, 7)}")
    w.names[name] = kind
    if w.chance(50):
        return [*lines, w.assign(kind, f"{read}.copy()")]
    return [*lines, w.assign(FLOAT, f"float(abs({read}[{place}]))")]


@PRODUCTIONS.statement("copies by astype", 2)
def copied(w: Writer) -> list[str] | None:
    """`astype` gives another array, also where it has the dtype already."""
    first = w.changeable(Array)
    kind = None if first is None else w.names[first]
    if not isinstance(kind, Array) or 0 in kind.shape:
        return None
    name = w.fresh(kind)
    lines = [f"{name} = {first}.astype(np.{kind.dtype})"]
    w.names[name] = kind
    return [*lines, f"{w.one(first, name)}[{index(w, kind.shape)}] = {w.number(2, 7)}"]


# ---- effects and failures --------------------------------------------------------------------------------------------


@PRODUCTIONS.statement("effect within a chain", 3)
def effect_within_chain(w: Writer) -> list[str] | None:
    """The middle operand of a chained comparison is evaluated once, and what it does is done once."""
    if w.place.depth == 0 or w.place.functions > 2:
        return None
    kind = w.one(INT, FLOAT)
    low, high, operand = w.number(-2, 1), w.number(2, 6), w.expression(kind, 1)
    order = w.one(("<", "<"), ("<=", "!="), (">", "<"), ("!=", "<="))
    count, name, v = w.fresh(INT), w.fresh("g"), w.fresh("v")
    does, value = w.one(f"{count} += 1", f"{count} += {v} > 1"), w.one(v, f"{v} % 4", f"{v} + {count}")
    lines = [f"{count} = {w.number(0, 1)}"]
    w.names[count] = INT
    middle = f"({count} := {count} + 1)"
    if w.chance(70):
        shown = [f"    print('middle', {v})"] if w.having("print") and w.chance(30) else []
        lines += [f"def {name}({v}):", f"    nonlocal {count}", f"    {does}", *shown, f"    return {value}"]
        middle = f"{name}({operand})"
    return [*lines, w.assign(BOOL, f"{low} {order[0]} {middle} {order[1]} {high}")]


@PRODUCTIONS.statement("two failures", 3)
def two_failures(w: Writer) -> list[str] | None:
    """An index that may be one too far and a divisor that may be zero: the first that fails is told of."""
    if not w.having("failures"):
        return None
    place = _may_be_too_far(w)
    if place is None:
        return None
    lines = [w.assign(FLOAT, place), w.assign(INT, f"7 // ({w.atom(INT)} % 2)")]
    return list(w.one(lines, lines[::-1], lines[:1]))


def _may_be_too_far(w: Writer) -> str | None:
    """An element whose index may be the size, or one before the first."""
    name = w.pick(Array)
    kind = None if name is None else w.names[name]
    if not isinstance(kind, Array) or len(kind.shape) != 1:
        return None
    (size,), k = kind.shape, w.atom(INT)
    place = w.one(f"{k} % {size + 1}", f"{k} % {max(size, 1)} + 1", f"-({k} % {size + 1}) - 1")
    return f"float(abs({name}[{place}]))"


@PRODUCTIONS.statement("name changed between two failures", 3)
def changed_between(w: Writer) -> list[str] | None:
    """A handler reads a name whose value depends on which of two statements has failed."""
    if w.place.depth == 0:
        return None
    value, target = w.atom(FLOAT), w.target(FLOAT)
    fails, caught = w.one((_divided, "ZeroDivisionError"), (_item, "IndexError"))
    first, second = fails(w), fails(w)
    tried = w.one(
        [f"{target} = {first}", f"{target} = {target} + {second}"],
        [f"{target} = 1.0 + {first}", f"{target} += {second}"],
        [f"{target} = {first}"],
    )
    with w.at():
        if len(tried) == 1:
            tried.append(w.assign(FLOAT, second))
        handler = w.assign(FLOAT, f"{target} - 4") if w.chance(50) else f"{target} = {target} + 10.0"
    return [f"{target} = {value} % 8", "try:", *indented(tried), f"except {caught}:", f"    {handler}"]


def _divided(w: Writer) -> str:
    return f"{w.number(1, 5)} / ({w.atom(INT)} % {w.number(2, 4)})"


def _item(w: Writer) -> str:
    element = _may_be_too_far(w) if w.chance(70) else None
    return element or f"[1.5, {w.atom(FLOAT)}, 4.0][{w.atom(INT)} % 5]"


@PRODUCTIONS.statement("print of constants", 1)
def constants_printed(w: Writer) -> list[str] | None:
    line = f"print({w.one(repr('begin'), '1', repr('at') + ', 2')})"
    return [f"if {w.expression(BOOL, 1)}:", f"    {line}"] if w.place.depth and w.chance(50) else [line]
