"""How statements and expressions are written: each module of constructs has a table of its own."""

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


StatementWriter = Callable[["Writer"], "list[str] | None"]
ExpressionWriter = Callable[["Writer", Any, int], "str | None"]


class Productions:
    """The ways to write statements and expressions that a module has, or those of several modules, in order.

    Attributes
    ----------
    statements : list of Production
    expressions : dict
        By the class of the kind.
    options : list of str
        Features that are no production, which writers ask for by `Writer.having`.
    """

    def __init__(self, *parts: Productions) -> None:
        self.statements: list[Production] = []
        self.expressions: dict[type[Kind], list[Production]] = {}
        self.options: list[str] = []
        for part in parts:
            self.statements += part.statements
            for kind, productions in part.expressions.items():
                self.expressions.setdefault(kind, []).extend(productions)
            self.options += part.options

    def statement(
        self, feature: str, weight: int = 2, *, core: bool = False
    ) -> Callable[[StatementWriter], StatementWriter]:
        """Add a writer of statements, which gives their lines."""

        def add(write: StatementWriter) -> StatementWriter:
            self.statements.append(Production(feature, weight, write, core))
            return write

        return add

    def expression(
        self, kind: type[Kind], feature: str, weight: int = 2, *, core: bool = False
    ) -> Callable[[ExpressionWriter], ExpressionWriter]:
        """Add a writer of expressions of a kind, which is given that kind and how deep it may go."""

        def add(write: ExpressionWriter) -> ExpressionWriter:
            self.expressions.setdefault(kind, []).append(Production(feature, weight, write, core))
            return write

        return add

    def option(self, *names: str) -> None:
        """Add features that a program has or has not, and that writers ask for by `Writer.having`."""
        self.options += names

    @property
    def every(self) -> list[Production]:
        """All statements and expressions."""
        return [*self.statements, *(p for ps in self.expressions.values() for p in ps)]

    def features_by_construct(self) -> dict[str, frozenset[str]]:
        """The features of each module of constructs."""
        found: dict[str, set[str]] = {}
        for p in self.every:
            found.setdefault(p.construct, set()).add(p.feature)
        return {name: frozenset(there) for name, there in found.items()}

    def features(self) -> tuple[str, ...]:
        """The features that a program may have or not, in order."""
        return tuple(dict.fromkeys([*(p.feature for p in self.every if not p.core), *self.options]))
