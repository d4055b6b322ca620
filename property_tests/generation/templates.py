"""Lines and expressions on arrays: templates, filled with operands that NumPy takes, so that the kind is known."""

from __future__ import annotations

import functools
import re
import string
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from property_tests.generation.kinds import BOOL, FLOAT, INT, Array, Bool, Element, Float, Int, Kind, Sized
from property_tests.generation.writer import Writer

DTYPES = ("float64", "int64", "bool_", "float32", "int32", "uint8", "complex128")
SMALL = ("0", "1", "2", "-1", "0.5", "3", "-1.5", "True")
LARGEST = 16


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of an expression, and its kind."""

    text: str
    kind: Kind


def sample(kind: Kind) -> Any:
    """A value of a kind: ones."""
    match kind:
        case Int():
            return 1
        case Float():
            return 1.0
        case Bool():
            return True
        case Element(dtype):
            return getattr(np, dtype)(1)
        case Array(dtype, shape):
            return np.ones(shape, getattr(np, dtype))
        case Sized(dtype):
            return np.ones(2, getattr(np, dtype))
    raise TypeError(f"no sample of {kind}")


def kind_of(value: Any) -> Kind | None:
    """The kind of a value; None where programs have no such."""
    if isinstance(value, np.ndarray):
        fits = value.size <= LARGEST and value.ndim <= 3 and value.flags.writeable
        return Array(_dtype(value), value.shape) if fits else None
    if isinstance(value, np.generic):
        return Element(_dtype(value))
    return {bool: BOOL, int: INT, float: FLOAT}.get(type(value))


def _dtype(value: Any) -> str:
    name = str(value.dtype.name)
    return {"bool": "bool_"}.get(name, name)


@functools.cache
def result_kind(template: str, kinds: tuple[Kind, ...]) -> Kind | None:
    """The kind of what an expression of `{0}`, `{1}`, ... gives; None where NumPy raises."""
    text = template.format(*_names(kinds))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            return kind_of(eval(text, _scope(kinds)))
    except (TypeError, ValueError, IndexError, OverflowError, np.exceptions.ComplexWarning):
        return None


@functools.cache
def runs(template: str, kinds: tuple[Kind, ...]) -> bool:
    """Return whether NumPy takes the statement, and no name of it becomes another kind."""
    scope = _scope(kinds)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            exec(template.format(*_names(kinds)), scope)
    except (TypeError, ValueError, IndexError, OverflowError, np.exceptions.ComplexWarning):
        return False
    return all(kind_of(scope[name]) == kind_of(sample(kind)) for name, kind in zip(_names(kinds), kinds, strict=True))


def _names(kinds: Sequence[Kind]) -> list[str]:
    return [f"v{i}" for i in range(len(kinds))]


def _scope(kinds: Sequence[Kind]) -> dict[str, Any]:
    return {"np": np, **{name: sample(kind) for name, kind in zip(_names(kinds), kinds, strict=True)}}


# ---- filling ---------------------------------------------------------------------------------------------------------


def filled(w: Writer, template: str, given: Sequence[Operand] = (), depth: int = 0) -> Operand | None:
    """An expression of a template; None where the operands that were chosen do not fit it."""
    numbered, operands = _numbered(w, template, given, depth)
    kind = result_kind(numbered, tuple(o.kind for o in operands))
    return None if kind is None else Operand(numbered.format(*(o.text for o in operands)), kind)


def line(w: Writer, template: str, given: Sequence[Operand] = (), depth: int = 0) -> str | None:
    """A statement of a template, which writes to the first of the given operands; None where they do not fit it."""
    numbered, operands = _numbered(w, template, given, depth)
    kinds = tuple(o.kind for o in operands)
    if not runs(numbered, kinds) or _is_open(numbered, *kinds):
        return None
    return numbered.format(*(o.text for o in operands))


def _is_open(template: str, target: Kind, *others: Kind) -> bool:
    """Return whether a float may be written that no int of the target's dtype holds: what it becomes is left open.

    That is documented (docs/differences.md).
    """
    dtype = getattr(target, "dtype", "")
    if not dtype.startswith(("int", "uint")):
        return False
    floats = any(kind == FLOAT or getattr(kind, "dtype", "").startswith(("float", "complex")) for kind in others)
    return floats or (dtype.startswith("uint") and bool(re.search(r"\d\.\d|[+-] ?\d", template)))


def _numbered(w: Writer, template: str, given: Sequence[Operand], depth: int) -> tuple[str, tuple[Operand, ...]]:
    """The template with `{0}`, `{1}` for its fields, and what they stand for.

    `{0}` and so on are the given ones; `{a}`, `{b}` arrays, `{z}`, `{y}` ones of run-time size, `{e}`, `{f}` NumPy
    scalars, `{k}` a small int, `{x}` a float, `{t}` a bool, `{l}` a number as it is written, `{d}` a dtype.
    """
    operands = list(given)
    places: dict[str, str] = {}
    for _, field, _, _ in string.Formatter().parse(template):
        if field is None or field.isdigit() or field in places:
            continue
        written = _written(w, field)
        if written is None:
            places[field] = f"{{{len(operands)}}}"
            operands.append(_operand(w, field, depth))
        else:
            places[field] = written
    return template.format(*(f"{{{i}}}" for i in range(len(given))), **places), tuple(operands)


def _written(w: Writer, field: str) -> str | None:
    match field.rstrip("23"):
        case "l":
            return str(w.one(*SMALL))
        case "dtype":
            return str(w.one(*DTYPES))
        case "d":
            return f"np.{w.one(*DTYPES)}"
        case "axis":
            return str(w.one(0, -1, 1))
        case "shift":
            return str(w.one(1, -1, 2))
    return None


def _operand(w: Writer, field: str, depth: int) -> Operand:
    match field[0]:
        case "e" | "f":
            return _element(w)
        case "k":
            return Operand(f"({w.atom(INT)} % {w.one(3, 5, 7)})", INT)
        case "x":
            return Operand(w.atom(FLOAT), FLOAT)
        case "z" | "y":
            kind = Sized(w.one(*DTYPES))
            name = w.pick(Sized)
            return Operand(w.expression(kind, 0), kind) if name is None else Operand(name, w.names[name])
        case "t":
            return Operand(w.expression(BOOL, min(depth, 1)), BOOL)
    return array_operand(w, depth)


def _element(w: Writer) -> Operand:
    name = w.pick(Element)
    if name is not None:
        return Operand(name, w.names[name])
    kind = Element(w.one(*DTYPES))
    return Operand(w.expression(kind, 0), kind)


def array_operand(w: Writer, depth: int = 0) -> Operand:
    """An array: a name, or an expression that may go so deep."""
    name = w.pick(Array)
    if name is not None and (depth == 0 or not w.chance(30)):
        return Operand(name, w.names[name])
    kind = w.names[name] if name is not None else Array(w.one("float64", "int64"), w.one((4,), (3,), (2, 3)))
    return Operand(w.expression(kind, depth - 1 if name is not None else 0), kind)


def some(w: Writer, *templates: str, given: Sequence[Operand] = (), depth: int = 0, tries: int = 4) -> Operand | None:
    """An expression of one of the templates."""
    for _ in range(tries):
        made = filled(w, w.one(*templates), given, depth)
        if made is not None:
            return made
    return None
