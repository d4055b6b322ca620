"""The rewriting of expressions: what it needs to know of the place where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import libcst as cst

from anabranch.transpile.flow import State
from anabranch.transpile.nodes import call, replace_children, thunk
from anabranch.transpile.places import Place

if TYPE_CHECKING:
    from anabranch.transpile.lowering import Lowering


@dataclass(frozen=True, slots=True)
class Reader:
    """Rewrites the expressions of one point of the code.

    `hidden` are names of comprehensions around; `once` is the code to report an assignment expression with where it
    would not run exactly once in this function; names in `standing_for` are read as those expressions.
    """

    work: Lowering
    point: int
    place: Place
    hidden: frozenset[str] = frozenset()
    once: str | None = None
    standing_for: Mapping[str, cst.BaseExpression] = field(default_factory=dict)

    def rewrite(self, node: cst.BaseExpression) -> cst.BaseExpression:
        new = self.rewrite_node(node)
        assert isinstance(new, cst.BaseExpression)
        return new

    def rewrite_node(self, node: cst.CSTNode) -> cst.CSTNode:
        """`node` rewritten; where it had parentheses it keeps them."""
        new = self.work.session.constructs.expression(self, node)
        if new is node:
            return node
        if isinstance(node, cst.BaseExpression) and isinstance(new, cst.BaseExpression) and node.lpar and not new.lpar:
            new = new.with_changes(lpar=node.lpar, rpar=node.rpar)
        return self.work.derived(new, node)

    def children(self, node: cst.CSTNodeT) -> cst.CSTNodeT:
        return replace_children(node, self.rewrite_node)

    def argument(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An operand that becomes an argument of a call."""
        return self._bare(self.rewrite(node))

    def bare(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A value of a statement: a call that it became needs no parentheses."""
        new = self.rewrite(node)
        # What stays an expression may go on over several lines only within its parentheses.
        became_call = isinstance(new, cst.Call) and not isinstance(node, cst.Call)
        return self._bare(new) if became_call else new

    def thunk(self, node: cst.BaseExpression) -> cst.Lambda:
        """`lambda: node`, for an operand that may not be evaluated."""
        return thunk(self._bare(self.deferred("AB107").rewrite(node)))

    def thunk_of(self, node: cst.BaseExpression) -> cst.Lambda:
        """`lambda: node`, for what is rewritten already."""
        return thunk(node)

    def _bare(self, node: cst.BaseExpression) -> cst.BaseExpression:
        if not node.lpar or not isinstance(node, _PLAIN):
            return node
        return self.work.derived(node.with_changes(lpar=[], rpar=[]), node)

    def deferred(self, code: str) -> Reader:
        """Inside something that runs never, once or often."""
        return replace(self, once=self.once or code)

    def constant(self, text: str) -> cst.Attribute:
        return self.work.layout.constant(text)

    def staged(self, function: str, *arguments: cst.BaseExpression) -> cst.Call:
        """`ab.function(arguments…)`."""
        return call(self.constant(function), *arguments)

    def is_local(self, text: str) -> bool:
        """Whether a name belongs to this function, to one around it, or to a comprehension."""
        return text in self.hidden or text in self.work.flow.scope.locals or text in self.work.outer_names

    def may_be_unset(self, text: str) -> bool:
        """Whether a read of a name here may find it unset."""
        if text in self.hidden:
            return False
        if text in self.work.flow.graph.bits:
            return self.work.flow.state(self.point, text) is not State.SET
        return text in self.work.outer_unset


# Expressions that need no parentheses as an argument of a call.
_PLAIN = (
    cst.Comparison, cst.BinaryOperation, cst.BooleanOperation, cst.UnaryOperation, cst.Call, cst.IfExp, cst.Name,
    cst.Attribute, cst.Subscript, cst.BaseNumber,
)  # fmt: skip
