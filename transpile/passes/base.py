"""The base of every pass: the constructs that it handles, its words for them, and its examples."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.blocks import Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import Statement
from anabranch.transpile.reader import Reader
from anabranch.transpile.simplify import Simplifier

N = TypeVar("N")
C = TypeVar("C", bound=cst.CSTNode)


@frozen
class Example:
    """Source of a function before and after; the tests are made from these."""

    before: str
    after: str


class Pass:
    """One construct; the docstring says in a line what becomes of it, `handles` are the node types that it takes.

    They are what its kind of pass is a pass of: `StatementPass[cst.For]`.
    """

    handles: ClassVar[tuple[type[object], ...]]
    examples: ClassVar[tuple[Example, ...]] = ()

    @property
    def message(self) -> str:
        """Words for what becomes of the construct."""
        return (type(self).__doc__ or "").strip()


class SimplificationPass(Pass, Generic[C]):
    """A compound statement that becomes simpler statements before anything else is done."""

    def simplify(self, work: Simplifier, node: C, written: C) -> list[Statement] | None:
        raise NotImplementedError


class StatementPass(Pass, Generic[N]):
    """A construct that is a compound statement, or a unit that the rewriting itself put in."""

    def lower(self, work: Lowering, node: N, here: Here, rest: Units) -> LoweredUnit:
        raise NotImplementedError


class SmallPass(Pass, Generic[C]):
    """A construct that is one small statement and stays in its line."""

    def lower(self, work: Lowering, node: C, here: Here) -> list[cst.BaseSmallStatement]:
        raise NotImplementedError


class ExpressionPass(Pass, Generic[C]):
    """A construct that is an expression."""

    def rewrite(self, reader: Reader, node: C) -> cst.CSTNode:
        raise NotImplementedError
