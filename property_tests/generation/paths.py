"""Paths into containers: `r.x`, `d["p"]`, `rows[k % 2]`, to be read and written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from property_tests.generation.kinds import FLOAT, INT, Array, Dict, Kind, List, Record, Tuple
from property_tests.generation.productions import Productions
from property_tests.generation.writer import Writer

PRODUCTIONS = Productions()

PRODUCTIONS.option("run-time index of a list")

CONTAINERS = (List, Dict, Tuple, Record)


@dataclass(frozen=True, slots=True)
class Path:
    """A place in a container.

    Attributes
    ----------
    text : str
        As source; an index into a list is still open, as `[#3]` for one of three.
    kind : Kind
        Of what is there.
    writable : bool
        Whether it may be assigned to.
    """

    text: str
    kind: Kind
    writable: bool


def _paths(w: Writer) -> Iterator[Path]:
    """Every place in the containers that have names, the newest names first."""
    for name, kind in reversed(w.names.items()):
        if isinstance(kind, CONTAINERS):
            yield from _inside(name, kind, 2)


def _inside(text: str, kind: Kind, levels: int) -> Iterator[Path]:
    for path in _steps(text, kind):
        yield path
        if levels > 1 and isinstance(path.kind, CONTAINERS):
            yield from _inside(path.text, path.kind, levels - 1)


def _steps(text: str, kind: Kind) -> Iterator[Path]:
    match kind:
        case List(item, length) if length:
            yield Path(f"{text}[#{length}]", item, True)
        case Dict(keys, value):
            yield from (Path(f"{text}[{key!r}]", value, True) for key in keys)
        case Tuple(items):
            yield from (Path(f"{text}[{at}]", item, False) for at, item in enumerate(items))
        case Record(_, fields, _, mutable, _):
            yield from (Path(f"{text}.{field}", held, mutable) for field, held in fields)


def path_to(w: Writer, kind: Kind | type[Kind], *, writable: bool = False) -> tuple[str, Kind] | None:
    """A place of a kind, or of any kind of a class, as source text with its kind; None where there is none."""
    fits = (lambda k: isinstance(k, kind)) if isinstance(kind, type) else (lambda k: k == kind)
    found = [path for path in _paths(w) if fits(path.kind) and (path.writable or not writable)]
    if not found:
        return None
    path: Path = w.one(*found)
    return re.sub(r"#(\d+)", lambda size: place_in(w, int(size[1])), path.text), path.kind


def place_in(w: Writer, size: int) -> str:
    """An index of a list, inside of it unless the program may fail."""
    if w.having("failures") and w.chance(10):
        return w.expression(INT, 1)
    at = str(w.one(w.number(0, size - 1), w.number(-size, -1)))
    return w.one(at, f"{w.atom(INT)} % {size}") if w.having("run-time index of a list") else at


def value(w: Writer, kind: Kind, depth: int = 1) -> str:
    """An expression of a kind; an array is one that has a name, a copy of it or a new one."""
    if not isinstance(kind, Array):
        return w.expression(kind, depth)
    name, place = w.pick(kind), path_to(w, kind)
    options = [fresh_array(w, kind)]
    options += [name, f"{name}.copy()"] if name else []
    options += [place[0]] if place else []
    options += [w.expression(kind, depth)] if depth and w.chance(30) else []
    return str(w.one(*options))


def fresh_array(w: Writer, kind: Array) -> str:
    """An array that shares memory with no other."""
    if len(kind.shape) != 1 or kind.shape[0] > 3 or kind.dtype == "bool_" or w.chance(40):
        return f"np.{w.one('zeros', 'ones')}({kind.shape}, dtype=np.{kind.dtype})"
    entry = INT if kind.dtype.startswith(("int", "uint")) else FLOAT
    numbers = [w.expression(entry, 1) for _ in range(kind.shape[0])]
    if kind.dtype.startswith(("int", "uint")):
        # A number that the dtype has no room for is an error of NumPy's own.
        numbers = [f"{number} % 50" for number in numbers]
    return f"np.array([{', '.join(numbers)}], dtype=np.{kind.dtype})"
