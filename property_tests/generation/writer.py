"""Writes a program's lines: what names there are, of which kinds, and what may stand where."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from property_tests.generation.choices import Choices, one
from property_tests.generation.kinds import (
    Array,
    Bool,
    Complex,
    Dict,
    Element,
    Float,
    Function,
    Generator,
    Growing,
    Int,
    Kind,
    List,
    Maybe,
    Record,
    Sized,
    Text,
    Tuple,
)
from property_tests.generation.productions import Production, Productions

# Characters of an expression: nobody writes longer ones, which take as long to compile as ten programs.
LONGEST = 200
# How many expressions stand in one another; what is written in an inner function stands in the expression, too.
DEEPEST = 7
# How many times as often as others constructs of a program's subject are taken.
OFTEN = 5

PREFIXES: dict[type[Kind], str] = {
    Int: "k", Float: "y", Bool: "t", Text: "s", Element: "e",
    Array: "a", Sized: "z", Tuple: "p", List: "items", Growing: "found", Dict: "d", Record: "r",
    Complex: "q", Maybe: "maybe", Function: "g",
    Generator: "rng",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a program a statement is written.

    Attributes
    ----------
    depth : int
        How many more blocks may be put into one another here.
    loop : bool
        Whether `break` and `continue` may stand here.
    results : tuple of Kind, optional
        What a `return` gives here; None where there may be none.
    caught : frozenset of str
        The classes of exceptions that a `try` around here deals with.
    items : Kind, optional
        What a `yield` gives here; None outside of generators.
    functions : int
        How many functions stand around this place.
    """

    depth: int
    loop: bool = False
    results: tuple[Kind, ...] | None = None
    caught: frozenset[str] = frozenset()
    items: Kind | None = None
    functions: int = 1


class Writer:
    """Writes one program.

    Parameters
    ----------
    productions : Productions
        The ways to write statements and expressions.
    choices : Choices
    features : frozenset of str
        Those that the program may have.
    subject : str
        The module of constructs that the program has more of than others; "" for none.
    names : dict
        The kinds of the names that are there from the start.
    lines : int
        About how many lines may be written.
    """

    def __init__(
        self,
        productions: Productions,
        choices: Choices,
        features: frozenset[str],
        subject: str,
        names: dict[str, Kind],
        lines: int,
    ) -> None:
        self._productions = productions
        self.choices = choices
        self._subject = subject
        self.features = features
        self.names = names
        self.room = lines
        self.place = Place(depth=3)
        self.used: set[str] = set()
        # What stands before the function: classes, helpers, globals.
        self.prelude: list[str] = []
        # What the function begins with.
        self.head: list[str] = []
        self._needed: set[tuple[str, ...]] = set()
        # Functions of the module.
        self.helpers: dict[str, Function] = {}
        # Names of the module that functions assign to.
        self.globals: dict[str, Kind] = {}
        # Names that the function at this place declares to be those of another scope.
        self.declared: frozenset[str] = frozenset()
        self._fixed: set[str] = set()
        self._count = 0
        self._inside = 0

    # ---- choices ---------------------------------------------------------------------------------------------------

    def one(self, *options: Any) -> Any:
        """One of the options; the first is what a shrunk program has."""
        return one(self.choices, options)

    def number(self, first: int, last: int) -> int:
        """An int of a range, both ends included; a shrunk program has the first."""
        return first + self.choices.below(last - first + 1)

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases; a shrunk program has False."""
        return self.choices.below(100) >= 100 - percent

    def having(self, feature: str) -> bool:
        """Return whether the program may have a feature; it is counted as used if so."""
        if feature in self.features:
            self.used.add(feature)
            return True
        return False

    def need(self, *lines: str) -> None:
        """Put lines before the function if they are not there; imports come first."""
        if lines not in self._needed:
            self._needed.add(lines)
            at = 0 if lines[0].startswith(("import", "from")) else len(self.prelude)
            self.prelude[at:at] = lines

    # ---- names -------------------------------------------------------------------------------------------------------

    def fresh(self, kind: Kind | str) -> str:
        """A name that is not there yet; it is not yet in scope."""
        self._count += 1
        prefix = kind if isinstance(kind, str) else PREFIXES[type(kind)]
        return f"{prefix}{self._count}"

    def named(self, kind: Kind | type[Kind]) -> list[str]:
        """The names in scope of a kind, or of any kind of a class, the newest first."""
        fits = (lambda k: isinstance(k, kind)) if isinstance(kind, type) else (lambda k: k == kind)
        return [name for name, held in reversed(self.names.items()) if fits(held)]

    def pick(self, kind: Kind | type[Kind]) -> str | None:
        """One of the names of a kind, if there is one."""
        found = self.named(kind)
        return self.one(*found) if found else None

    def target(self, kind: Kind) -> str:
        """A name to assign a value of a kind to: one that may be changed, or a new one. It is in scope from then on."""
        found = [name for name in self.named(kind) if name not in self._fixed]
        name = self.one(*found) if found and not self.chance(20) else self.fresh(kind)
        self.names[name] = kind
        return str(name)

    def assign(self, kind: Kind, value: str) -> str:
        """An assignment of a value, which is written before its name is chosen: it must not read a new one."""
        return f"{self.target(kind)} = {value}"

    def changeable(self, kind: Kind | type[Kind]) -> str | None:
        """A name of a kind that statements may assign to or change."""
        found = [name for name in self.named(kind) if name not in self._fixed]
        return self.one(*found) if found else None

    @contextlib.contextmanager
    def fixed(self, *names: str) -> Iterator[None]:
        """Leave these names alone in what is written meanwhile: a loop counts with them."""
        before = self._fixed
        self._fixed = before | set(names)
        yield
        self._fixed = before

    @contextlib.contextmanager
    def at(self, **changes: Any) -> Iterator[None]:
        """Write at another place meanwhile; the names that this brings are not seen afterwards."""
        place, names = self.place, dict(self.names)
        self.place = replace(place, **changes)
        yield
        self.place, self.names = place, names

    @contextlib.contextmanager
    def inside(
        self, parameters: dict[str, Kind], seen: dict[str, Kind], outer: Sequence[str] = (), **changes: Any
    ) -> Iterator[None]:
        """Write the body of another function meanwhile.

        It may read the names of `seen` and assign to those of them that are `outer`, which it has to declare.
        """
        declared, fixed = self.declared, self._fixed
        place = {"loop": False, "caught": frozenset(), "items": None, "functions": self.place.functions + 1}
        with self.at(**{**place, **changes}):
            self.names = {**seen, **parameters}
            self.declared, self._fixed = frozenset(outer), set(seen) - set(outer) - set(parameters)
            yield
        self.declared, self._fixed = declared, fixed

    def apart(self, names: dict[str, Kind], without: frozenset[str]) -> Writer:
        """A writer of expressions of the same program that sees these names alone and leaves features out."""
        made = copy.copy(self)
        made.names, made.features, made.declared, made._fixed = names, self.features - without, frozenset(), set()
        made.place = Place(depth=0, functions=self.place.functions + 1)
        return made

    @property
    def free(self) -> list[str]:
        """The names that an inner function may assign to once it has declared them."""
        there = [name for name, kind in self.names.items() if not isinstance(kind, Function)]
        return [name for name in there if name not in self._fixed and name.isidentifier()]

    # ---- statements --------------------------------------------------------------------------------------------------

    def block(self, most: int = 4, **changes: Any) -> list[str]:
        """The lines of a block inside of the present one, indented."""
        with self.at(**{"depth": self.place.depth - 1, **changes}):
            return indented(self.statements(most))

    def statements(self, most: int = 4) -> list[str]:
        """One statement or more."""
        lines = self.statement()
        while most > 1 and self.room > 0 and self.chance(65) and not leaves(lines):
            lines += self.statement()
            most -= 1
        return lines

    def statement(self) -> list[str]:
        """The lines of one statement."""
        for _ in range(4):
            production = self._choose(self._productions.statements)
            lines: list[str] | None = production.write(self)
            if lines is not None:
                self.used.add(production.feature)
                self.room -= len(lines)
                return lines
        return ["pass"]

    # ---- expressions -------------------------------------------------------------------------------------------------

    def expression(self, kind: Kind, depth: int = 2) -> str:
        """An expression of a kind, in parentheses where it is more than an atom."""
        if self._inside == DEEPEST:
            return self.atom(kind)
        for _ in range(4):
            production = self._choose(self._productions.expressions[type(kind)])
            before = dict(self.names)
            self._inside += 1
            text: str | None = production.write(self, kind, depth)
            self._inside -= 1
            if text is not None and len(text) <= LONGEST:
                self.used.add(production.feature)
                return text
            # What was not taken has set no names.
            self.names.clear()
            self.names.update(before)
        return self.atom(kind)

    def atom(self, kind: Kind) -> str:
        """A name of a kind, or where there is none what a core production makes of nothing."""
        name = self.pick(kind)
        if name is not None:
            return name
        made = (p.write(self, kind, 0) for p in self._productions.expressions[type(kind)] if p.core)
        return str(next(text for text in made if text is not None))

    def _choose(self, productions: Sequence[Production]) -> Production:
        # What is always there, which is simple, comes first: a shrunk program has the first.
        there = [p for p in productions if p.core]
        there += [p for p in productions if not p.core and p.feature in self.features]
        weights = [p.weight * (OFTEN if p.construct == self._subject else 1) for p in there]
        at = self.choices.below(sum(weights))
        for production, weight in zip(there, weights, strict=True):
            at -= weight
            if at < 0:
                return production
        raise AssertionError("a choice beyond all productions")


def unquoted(text: str) -> str:
    """A number within an f-string: before Python 3.12 it may not use the quotes around it."""
    return "n" if "'" in text else text


def indented(lines: Sequence[str]) -> list[str]:
    """The lines of a block."""
    return [f"    {line}" for line in lines]


def leaves(lines: Sequence[str]) -> bool:
    """Return whether nothing after these lines is reached."""
    return bool(lines) and bool(re.match(r"(return|break|continue|raise)\b", lines[-1]))
