"""The common part of all containers: displays, items that are read and written, aliases, arrays inside of them."""

from __future__ import annotations

from property_tests.generation.constructs.elements import element_value, index
from property_tests.generation.kinds import (
    BOOL,
    FLOAT,
    INT,
    Array,
    Bool,
    Dict,
    Float,
    Int,
    Kind,
    List,
    Record,
    Tuple,
)
from property_tests.generation.paths import path_to, value
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

PRODUCTIONS.option("containers of arrays", "containers of containers")

ARRAY = Array("float64", (2,))


def kind_there(w: Writer, container: type[Kind]) -> Kind | None:
    """Often the kind of a container that has a name already, so that names are assigned to again."""
    name = w.changeable(container) if w.chance(55) else None
    return w.names[name] if name else None


def item_kind(w: Writer) -> Kind:
    """The kinds that a container may hold."""
    if w.having("containers of arrays") and w.chance(25):
        return ARRAY
    if w.having("containers of containers") and w.chance(20):
        return w.one(Tuple((INT, FLOAT)), List(INT, 2), Dict(("p", "q"), INT))  # type: ignore[no-any-return]
    return w.one(INT, FLOAT, INT, BOOL)  # type: ignore[no-any-return]


@PRODUCTIONS.expression(List, "list", 3, core=True)
def list_display(w: Writer, kind: List, depth: int) -> str:
    return f"[{', '.join(value(w, kind.item, min(depth, 1)) for _ in range(kind.length))}]"


@PRODUCTIONS.expression(Dict, "dict", 3, core=True)
def dict_display(w: Writer, kind: Dict, depth: int) -> str:
    return "{" + ", ".join(f"{key!r}: {value(w, kind.value, min(depth, 1))}" for key in kind.keys) + "}"


@PRODUCTIONS.expression(Tuple, "tuple", 3, core=True)
def tuple_display(w: Writer, kind: Tuple, depth: int) -> str:
    return f"({''.join(value(w, item, min(depth, 1)) + ', ' for item in kind.items)})"


@PRODUCTIONS.expression(Record, "object", 3, core=True)
def made(w: Writer, kind: Record, depth: int) -> str:
    values = [value(w, field, min(depth, 1)) for _, field in kind.fields]
    if w.chance(20):
        values[-1] = f"{kind.fields[-1][0]}={values[-1]}"
    return f"{kind.name}({', '.join(values)})"


@PRODUCTIONS.expression(Int, "read from a container", 4)
@PRODUCTIONS.expression(Float, "read from a container", 4)
@PRODUCTIONS.expression(Bool, "read from a container", 2)
@PRODUCTIONS.expression(List, "read from a container", 1)
@PRODUCTIONS.expression(Dict, "read from a container", 1)
@PRODUCTIONS.expression(Tuple, "read from a container", 1)
@PRODUCTIONS.expression(Record, "read from a container", 1)
def read_place(w: Writer, kind: Kind, depth: int) -> str | None:
    found = path_to(w, kind)
    return found[0] if found else None


@PRODUCTIONS.expression(List, "alias", 2)
@PRODUCTIONS.expression(Dict, "alias", 2)
@PRODUCTIONS.expression(Tuple, "alias", 2)
@PRODUCTIONS.expression(Record, "alias", 2)
def named(w: Writer, kind: Kind, depth: int) -> str | None:
    return w.pick(kind)


@PRODUCTIONS.statement("alias", 2)
def alias(w: Writer) -> list[str] | None:
    """Another name of a container, or of one inside of another."""
    found = path_to(w, w.one(List, Dict, Record, Array)) if w.chance(40) else None
    if found is None:
        name = w.pick(w.one(List, Dict, Record))
        if name is None:
            return None
        found = name, w.names[name]
    text, kind = found
    return [f"{w.target(kind)} = {text}"]


@PRODUCTIONS.expression(List, "choice of containers", 1)
@PRODUCTIONS.expression(Dict, "choice of containers", 1)
@PRODUCTIONS.expression(Tuple, "choice of containers", 1)
@PRODUCTIONS.expression(Record, "choice of containers", 1)
def choice(w: Writer, kind: Kind, depth: int) -> str | None:
    if depth == 0:
        return None
    return f"({w.expression(kind, 0)} if {w.expression(BOOL, 1)} else {w.expression(kind, 0)})"


@PRODUCTIONS.statement("write to a container", 8)
def write_place(w: Writer) -> list[str] | None:
    found = path_to(w, w.one(INT, FLOAT, INT, BOOL), writable=True)
    if found is None:
        return None
    text, kind = found
    if kind != BOOL and w.chance(50):
        return [f"{text} {w.one('+', '-')}= {w.expression(kind, 1)}"]
    return [f"{text} = {w.expression(kind)}"]


@PRODUCTIONS.statement("replace in a container", 3)
def replace_place(w: Writer) -> list[str] | None:
    """A container or an array that another holds is exchanged."""
    found = path_to(w, w.one(List, Dict, Tuple, Record, Array), writable=True)
    if found is None:
        return None
    text, kind = found
    return [f"{text} = {value(w, kind, 1)}"]


@PRODUCTIONS.statement("write to an array in a container", 4)
def write_array(w: Writer) -> list[str] | None:
    found = path_to(w, Array)
    if found is None:
        return None
    text, array = found
    assert isinstance(array, Array)
    number = w.expression(element_value(w, array), 1)
    whole = "" if array.dtype.startswith(("int", "uint", "bool")) else w.one("", "whole")
    if whole:
        return [
            str(w.one(f"{text}[:] = {number}", f"{text} += {number}", f"{text}[1:] -= 1.0", f"{text}[::-1] *= 0.5"))
        ]
    number = f"{number} % 100" if array.dtype.startswith(("int", "uint")) else number
    return [f"{text}[{index(w, array.shape)}] {w.one('', '', '+')}= {number}"]


@PRODUCTIONS.expression(Float, "array in a container", 2)
def of_array(w: Writer, kind: Float, depth: int) -> str | None:
    found = path_to(w, Array)
    if found is None:
        return None
    text, array = found
    assert isinstance(array, Array)
    return f"float({text}[{index(w, array.shape)}])" if w.chance(60) else f"float({text}.sum())"


@PRODUCTIONS.statement("arrays and containers", 2)
def array_of_place(w: Writer) -> list[str] | None:
    """An array in a container gets a name, or is exchanged for a new one."""
    found = path_to(w, Array, writable=True)
    if found is None:
        return None
    text, array = found
    assert isinstance(array, Array)
    if w.chance(50) or array.dtype.startswith(("uint", "bool")):
        name = w.fresh(array)
        w.names[name] = array
        return [f"{name} = {text}"]
    return [f"{text} = {text} {w.one('+', '*')} {w.one(2, 1)}"]
