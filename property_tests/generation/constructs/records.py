"""Objects as state: dataclasses and plain classes, whose attributes are read and written, with methods."""

from __future__ import annotations

from dataclasses import replace

from property_tests.generation.constructs.containers import ARRAY, kind_there
from property_tests.generation.kinds import BOOL, FLOAT, INT, Bool, Float, Int, Kind, List, Method, Record
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer, indented

PRODUCTIONS = Productions()

PRODUCTIONS.option("class in the function")

ANNOTATIONS = {INT: "int", FLOAT: "float", BOOL: "bool"}


def new_class(w: Writer) -> tuple[Record, list[str]]:
    """A class with two fields or three, and its text."""
    w.used.add("class")
    name = w.fresh("Class")
    kinds: list[Kind] = [INT, w.one(FLOAT, INT)]
    if w.chance(50):
        kinds.append(w.one(ARRAY, List(INT, 2), BOOL))
    fields = tuple(zip(("x", "y", "z"), kinds, strict=False))
    form = w.one("dataclass", "plain", "slots", "frozen", "named tuple")
    # Two objects are compared whole, which arrays have no answer to.
    comparable = ARRAY not in kinds
    head = {
        "dataclass": ["from dataclasses import dataclass", "@dataclass", f"class {name}:"],
        "frozen": ["from dataclasses import dataclass", "@dataclass(frozen=True)", f"class {name}:"],
        "named tuple": ["import typing", f"class {name}(typing.NamedTuple):"],
    }.get(form, [f"class {name}:"])
    body: list[str] = []
    if form == "slots":
        body.append(f"__slots__ = {tuple(field for field, _ in fields)!r}")
    if form in ("plain", "slots"):
        body.append(f"def __init__(self, {', '.join(field for field, _ in fields)}):")
        body += [f"    self.{field} = {field}" for field, _ in fields]
    else:
        body += [f"{field}: {ANNOTATIONS.get(kind, 'object')}" for field, kind in fields]
    mutable = form not in ("frozen", "named tuple")
    methods: list[Method] = []
    for write in (_mutating, _computing, _property, _added, _equal):
        if w.chance(55) and (mutable or write is not _mutating) and (write is not _equal or (comparable and mutable)):
            if write is _equal and form == "dataclass":
                continue
            method, lines = write(w, name, fields)
            methods.append(method)
            body += lines
    if form in ("dataclass", "frozen", "named tuple") and comparable:
        methods.append(Method("==", (), BOOL))
    if form in ("dataclass", "frozen"):
        methods.append(Method("replace", (), None))
    return Record(name, fields, tuple(methods), mutable), [*head, *indented(body)]


def _inside(w: Writer, fields: tuple[tuple[str, Kind], ...], names: dict[str, Kind]) -> Writer:
    """One that writes the expressions of a method, with what that can see."""
    inner = w.apart(names, frozenset({"walrus"}))
    inner.names |= {f"self.{field}": kind for field, kind in fields if kind in (INT, FLOAT, BOOL)}
    return inner


def _mutating(w: Writer, name: str, fields: tuple[tuple[str, Kind], ...]) -> tuple[Method, list[str]]:
    """A method that changes the object, on a condition or in a loop."""
    inner = _inside(w, fields, {"k": INT})
    at, kind = w.one(*fields[:2])
    lines = [f"self.{at} {w.one('+', '-')}= {inner.expression(kind, 1)}"]
    held = fields[-1][1]
    if held == ARRAY:
        lines.append(f"self.z[{w.one('0', 'k % 2')}] += {inner.expression(FLOAT, 1)}")
    elif held == List(INT, 2):
        lines.append(f"self.z[{w.one('0', 'k % 2')}] = {inner.expression(INT, 1)}")
    if w.chance(40):
        lines = [f"if {inner.expression(BOOL, 1)}:", *indented(lines), *w.one([], ["else:", "    self.x = k"])]
    elif w.chance(40):
        lines = [f"for j in range({w.one('2', 'k % 3')}):", *indented(lines)]
    result = w.one(None, INT)
    ends = [f"return {inner.expression(INT, 1)}"] if result else []
    return Method("step", (INT,), result), ["def step(self, k):", *indented(lines + ends)]


def _computing(w: Writer, name: str, fields: tuple[tuple[str, Kind], ...]) -> tuple[Method, list[str]]:
    inner = _inside(w, fields, {"k": FLOAT})
    lines = [f"return {inner.expression(FLOAT, 2)}"]
    if w.chance(40):
        lines = [f"if {inner.expression(BOOL, 1)}:", f"    return {inner.expression(FLOAT, 1)}", *lines]
    return Method("value", (FLOAT,), FLOAT), ["def value(self, k):", *indented(lines)]


def _property(w: Writer, name: str, fields: tuple[tuple[str, Kind], ...]) -> tuple[Method, list[str]]:
    inner = _inside(w, fields, {})
    kind = w.one(INT, FLOAT)
    lines = ["@property", "def size(self):", f"    return {inner.expression(kind, 1)}"]
    return Method("size", (), kind, is_property=True), lines


def _added(w: Writer, name: str, fields: tuple[tuple[str, Kind], ...]) -> tuple[Method, list[str]]:
    inner = _inside(w, fields, {"other.x": INT})
    values = [inner.expression(kind, 1) if kind in (INT, FLOAT) else f"self.{field}" for field, kind in fields]
    return Method("+", (), None), ["def __add__(self, other):", f"    return {name}({', '.join(values)})"]


def _equal(w: Writer, name: str, fields: tuple[tuple[str, Kind], ...]) -> tuple[Method, list[str]]:
    return Method("==", (), BOOL), [
        "def __eq__(self, other):",
        f"    return self.x == other.x {w.one('', 'and self.y < 3')}",
    ]


def records_with(w: Writer, name: str) -> list[tuple[str, Record, Method]]:
    """The names of objects whose class has a method, with it."""
    held = ((n, w.names[n]) for n in w.named(Record))
    return [(n, k, m) for n, k in held if isinstance(k, Record) for m in k.methods if m.name == name]


@PRODUCTIONS.statement("object", 5)
def new_object(w: Writer) -> list[str]:
    """An object of a class that is there, or of a new one before the function or, rarely, in it."""
    kind, lines = kind_there(w, Record), list[str]()
    if not isinstance(kind, Record):
        kind, lines = new_class(w)
        # A class in a branch would be another one each time.
        if not (w.place.depth == 3 and w.having("class in the function") and w.chance(30)):
            w.prelude += lines
            lines = []
        else:
            kind = replace(kind, local=True)
    text = w.expression(kind, 1)
    return [*lines, f"{w.target(kind)} = {text}"]


@PRODUCTIONS.statement("object made in both branches", 2)
def in_branches(w: Writer) -> list[str] | None:
    kind = w.pick(Record)
    if kind is None or w.place.depth == 0:
        return None
    held = w.names[kind]
    first, second, test = w.expression(held, 1), w.expression(held, 1), w.expression(BOOL)
    name = w.target(held)
    return [f"if {test}:", f"    {name} = {first}", "else:", f"    {name} = {second}"]


@PRODUCTIONS.statement("method call", 4)
def call(w: Writer) -> list[str] | None:
    found = records_with(w, "step")
    if not found:
        return None
    name, _, method = w.one(*found)
    text = f"{name}.step({w.expression(INT, 1)})"
    return [f"{w.target(INT)} = {text}"] if method.result and w.chance(50) else [text]


@PRODUCTIONS.expression(Int, "method call", 1)
@PRODUCTIONS.expression(Float, "method call", 3)
def result(w: Writer, kind: Int | Float, depth: int) -> str | None:
    found = [(n, m) for which in ("value", "step", "size") for n, _, m in records_with(w, which) if m.result == kind]
    if not found or depth == 0:
        return None
    name, method = w.one(*found)
    if method.is_property:
        return f"{name}.{method.name}"
    return f"{name}.{method.name}({', '.join(w.expression(p, depth - 1) for p in method.parameters)})"


@PRODUCTIONS.expression(Record, "operators of classes", 2)
def added(w: Writer, kind: Record, depth: int) -> str | None:
    found = [n for n, held, _ in records_with(w, "+") if held == kind]
    return f"({w.one(*found)} + {w.one(*found)})" if found else None


@PRODUCTIONS.expression(Bool, "operators of classes", 2)
def equal(w: Writer, kind: Bool, depth: int) -> str | None:
    found = records_with(w, "==")
    if not found:
        return None
    name, held, _ = w.one(*found)
    return f"({name} {w.one('==', '!=')} {w.atom(held)})"


@PRODUCTIONS.expression(Bool, "identity", 1)
def identity(w: Writer, kind: Bool, depth: int) -> str | None:
    name = w.pick(Record)
    return f"({name} {w.one('is', 'is not')} {w.atom(w.names[name])})" if name else None
