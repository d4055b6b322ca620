"""The registry of what programs are made of: each construct says how it is written, and under which feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from property_tests.generation.kinds import Kind
    from property_tests.generation.writer import Writer


@dataclass(frozen=True, slots=True)
class Production:
    """One way to write a statement or an expression.

    `write` gives None where there is nothing to make it of. `core` ones are always there; the others are a feature that
    a program has or has not.
    """

    feature: str
    weight: int
    write: Callable[..., Any]
    core: bool

    @property
    def construct(self) -> str:
        """The module that it stands in."""
        return str(self.write.__module__)


STATEMENTS: list[Production] = []
EXPRESSIONS: dict[type[Kind], list[Production]] = {}
# Features that are no production, which writers ask for by `having`.
OPTIONS: list[str] = []

StatementWriter = Callable[["Writer"], "list[str] | None"]
ExpressionWriter = Callable[["Writer", Any, int], "str | None"]


def statement(feature: str, weight: int = 2, *, core: bool = False) -> Callable[[StatementWriter], StatementWriter]:
    """Register a writer of statements, which gives their lines."""

    def add(write: StatementWriter) -> StatementWriter:
        STATEMENTS.append(Production(feature, weight, write, core))
        return write

    return add


def expression(
    kind: type[Kind], feature: str, weight: int = 2, *, core: bool = False
) -> Callable[[ExpressionWriter], ExpressionWriter]:
    """Register a writer of expressions of a kind, which is given that kind and how deep it may go."""

    def add(write: ExpressionWriter) -> ExpressionWriter:
        EXPRESSIONS.setdefault(kind, []).append(Production(feature, weight, write, core))
        return write

    return add


def options(*names: str) -> None:
    """Register features that a program has or has not, and that writers ask for by `Writer.having`."""
    OPTIONS.extend(names)


def features_by_construct() -> dict[str, frozenset[str]]:
    """The features of each module of constructs."""
    found: dict[str, set[str]] = {}
    for p in (*STATEMENTS, *(p for ps in EXPRESSIONS.values() for p in ps)):
        found.setdefault(p.construct, set()).add(p.feature)
    return {name: frozenset(there) for name, there in found.items()}


def features() -> tuple[str, ...]:
    """The features that a program may have or not, in order."""
    every = [*STATEMENTS, *(p for ps in EXPRESSIONS.values() for p in ps)]
    return tuple(dict.fromkeys([*(p.feature for p in every if not p.core), *OPTIONS]))
