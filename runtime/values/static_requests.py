"""Arguments that a trace finds it must know: Python ints and bools, and NumPy's integer scalars.

A shape, the length of a list, the structure that a branch gives cannot wait for run time. Where such a thing is
computed from scalar arguments alone, the trace starts anew with these as plain Python values, and the executable that
comes of it is for calls with the same values.
"""

from __future__ import annotations

import dataclasses
import linecache
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from anabranch.runtime.config import settings
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.ir.program import Atom, Literal, Var
from anabranch.runtime.tracing.builder import Builder, current, tracing
from anabranch.runtime.tracing.source_frames import Position, place
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values.attributes import OneOfSeveral

E = TypeVar("E", bound=AnabranchError)


@dataclasses.dataclass(frozen=True, slots=True)
class StaticRequest:
    """A value that must be known while tracing, and where in the user's code."""

    leaves: frozenset[int]  # the arguments' leaves that it is computed from
    what: str
    place: Position | None  # the innermost place in the user's code, or nothing


@dataclasses.dataclass(frozen=True, slots=True)
class NamedRequest:
    """A need, with the names of the arguments, or of the parts of them, that are known for it."""

    names: tuple[str, ...]
    what: str
    place: Position | None

    @property
    def where(self) -> str:
        """Where the value was needed: "by `np.zeros(n)` (file:12)"."""
        if self.place is None:
            return ""
        filename, line, start, end = self.place
        text = linecache.getline(filename, line).rstrip("\n")
        return f"by `{text[start:end].strip() or text.strip()}` ({filename}:{line})"


def argument_names(leaves: Sequence[str]) -> str:
    """The arguments that these leaves are parts of, as `static_argnames` takes them."""
    names = list(dict.fromkeys(leaf.partition("[")[0].partition(".")[0].lstrip("*") for leaf in leaves))
    return repr(names[0]) if len(names) == 1 else repr(tuple(names))


class Specialise(BaseException):
    """Raised while tracing when arguments must be known: the whole is traced again with their values."""

    def __init__(self, need: StaticRequest) -> None:
        super().__init__(need)
        self.need = need


def may_be_known(value: object) -> bool:
    """Return whether an argument is one of those that can become static by need."""
    return type(value) in (int, bool) or isinstance(value, (np.integer, np.bool_))


def request_static(atom: object, what: str) -> None:
    """Have the arguments known that a value comes from, where it comes from arguments alone that can be.

    Raises `Specialise` where it does.
    """
    leaves = source_leaves(atom) if tracing() and settings().auto_static else None
    if leaves:
        raise Specialise(StaticRequest(leaves, what, place()))


def with_static_request(error: E, atom: object, what: str = "this") -> E:
    """The error, which says which arguments would have to be known for it not to be raised."""
    leaves = source_leaves(atom) if tracing() else None
    if leaves:
        needs: list[StaticRequest] = getattr(error, "anabranch_needs", [])
        error.anabranch_needs = [*needs, StaticRequest(leaves, what, place())]  # type: ignore[attr-defined]
    return error


def requests_of(error: BaseException) -> list[StaticRequest]:
    """The needs that `with_static_request` has noted."""
    return list(getattr(error, "anabranch_needs", ()))


def source_leaves(value: object) -> frozenset[int] | None:
    """The arguments' leaves that a value is computed from; None where it comes from anything else, too."""
    found, others = roots(value, partly=False)
    known = current().trace.requests.knowable
    return frozenset(known[var] for var in found) if not others and found <= known.keys() else None


def is_of_run_time(value: object) -> bool:
    """Return whether a value stays unknown while tracing, as it comes from more than arguments that can be static."""
    return not (settings().auto_static and source_leaves(value))


def roots(value: object, partly: bool = True) -> tuple[set[Var], bool]:
    """The inputs that a value is computed from, and whether it comes from anything else, too: what a loop changes.

    With that, the inputs are not all of them unless `partly`.
    """
    starts = _atoms_of(value)
    if not all(isinstance(atom, (Literal, Var)) for atom in starts):
        return set(), True
    inputs, known = set(current().trace.root.formals), current().trace.requests.knowable
    found, others = set[Var](), False
    seen: set[tuple[Builder, Var]] = set()
    pending: list[tuple[Atom, Builder]] = [(atom, current()) for atom in starts]
    while pending and (partly or not others):
        part, builder = pending.pop()
        if isinstance(part, Literal) or (builder, part) in seen:
            continue
        seen.add((builder, part))
        if part in inputs or part in known:
            found.add(part)
            continue
        if isinstance(part, Part):
            pending.append((part.whole, builder))
            continue
        origin = _origin(part, builder)
        others |= origin is None
        pending += origin or ()
    return found, others


def _atoms_of(value: Any) -> list[Any]:
    """The atoms of a value in the Program: of one of several, which one it is, and those of each."""
    if isinstance(value, OneOfSeveral):
        one: Any = value
        return [one.tag, *(atom for option in one.options for atom in _atoms_of(option))]
    return [] if type(value) in (bool, int, float, complex) else [getattr(value, "atom", value)]


def _origin(var: Var, builder: Builder) -> list[tuple[Atom, Builder]] | None:
    """Return the atoms that a variable of a builder is computed from, with their builders; None where unknown."""
    if builder.parent is not None:
        if var in builder.origins:
            return [(builder.origins[var], builder.parent)]
        if var in builder.memories:
            return [(builder.parent.read(builder.memories[var]), builder.parent)]
    if var in builder.part_of:
        return [(builder.part_of[var], builder)]
    equation = builder.maker(var)
    if equation is None or not equation.op.pure:
        return None
    return [(a, builder) for a in equation.inputs]
