"""The base of every pass: the constructs that it handles, its words for them, and its examples."""

from __future__ import annotations

from typing import ClassVar

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.blocks import Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import Statement
from anabranch.transpile.reader import Reader
from anabranch.transpile.simplify import Simplifier


@frozen
class Example:
    """Source of a function before and after; the tests are made from these."""

    before: str
    after: str


class Pass:
    """One construct; the docstring says in a line what becomes of it, `handles` are the node types that it takes."""

    handles: ClassVar[tuple[type[object], ...]]
    examples: ClassVar[tuple[Example, ...]] = ()

    @property
    def message(self) -> str:
        """Words for what becomes of the construct."""
        return (type(self).__doc__ or "").strip()


class SimplificationPass(Pass):
    """A compound statement that becomes simpler statements before anything else is done."""

    def simplify(self, work: Simplifier, node: cst.CSTNode, written: cst.CSTNode) -> list[Statement] | None:
        raise NotImplementedError


class StatementPass(Pass):
    """A construct that is a compound statement, or a unit that the rewriting itself put in."""

    def lower(self, work: Lowering, node: object, here: Here, rest: Units) -> LoweredUnit:
        raise NotImplementedError


class SmallPass(Pass):
    """A construct that is one small statement and stays in its line."""

    def lower(self, work: Lowering, node: cst.CSTNode, here: Here) -> list[cst.BaseSmallStatement]:
        raise NotImplementedError


class ExpressionPass(Pass):
    """A construct that is an expression."""

    def rewrite(self, reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
        raise NotImplementedError
