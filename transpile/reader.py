"""The rewriting of expressions: what it needs to know of the place where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.data_flow import State
from anabranch.transpile.enclosing_functions import BoundNames
from anabranch.transpile.names import assigns, usage_of
from anabranch.transpile.nodes import call, define, line, name, parenthesised, replace_children, thunk

if TYPE_CHECKING:
    from anabranch.transpile.lowering import Lowering


@frozen
class Reader:
    """Rewrites the expressions of one point of the code.

    `hidden` are names of comprehensions around; `late` says that the expression may stand in a function of its own;
    `bound` are the names that the expression has assigned so far.
    """

    work: Lowering
    point: int
    place: BoundNames
    hidden: frozenset[str] = frozenset()
    late: bool = False
    bound: set[str] = field(default_factory=set)

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
        new = self.rewrite(node)
        if isinstance(new, cst.Tuple) and not new.lpar:
            return self.work.derived(parenthesised(new), new)
        return self._bare(new)

    def test(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The truth of an expression, as an argument of a call: what it consists of is asked only once."""
        self.work.tests.update(_tested(node))
        return self.argument(node)

    def bare(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A value of a statement: a call that it became needs no parentheses."""
        new = self.rewrite(node)
        # What stays an expression may go on over several lines only within its parentheses.
        became_call = isinstance(new, cst.Call) and not isinstance(node, cst.Call)
        return self._bare(new) if became_call else new

    def thunk(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """`lambda: node`, for an operand that may not be evaluated; a function where it assigns names."""
        if assigns(node):
            return self._operand(node)
        return thunk(self._bare(self.deferred().rewrite(node)))

    def _operand(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """The name of a function, defined right before the statement, that evaluates `node` and shares its names."""
        if self.work.is_lambda:
            self.work.session.report("AB107", node)
            return node
        (function,) = self.place.fresh_outwards("operand")
        usage = usage_of([node])
        names = sorted((usage.all_writes | usage.apart) - self.hidden)
        outside, self.place.pending = self.place.pending, []
        value = self._bare(self.deferred().rewrite(node))
        shared = self.work.declarations(names)
        body = [*shared, *self.place.pending, line(cst.Return(value))]
        self.place.pending = outside
        for text in names:
            if text in self.work.flow.graph.bits and self.may_be_unset(text):
                self.place.read_unset(self.work.flow, text, deferred=True)
        given = sorted(usage.reads & self.hidden)
        self.place.pending.append(self.work.derived(define(function, given, body), node))
        return name(function) if not given else thunk(call(name(function), *map(name, given)))

    def _bare(self, node: cst.BaseExpression) -> cst.BaseExpression:
        if not node.lpar or not isinstance(node, _PLAIN):
            return node
        return self.work.derived(node.with_changes(lpar=[], rpar=[]), node)

    def deferred(self) -> Reader:
        """Inside something that runs never, once or often."""
        return replace(self, late=True, bound=set(self.bound))

    def constant(self, text: str) -> cst.Attribute:
        return self.work.layout.constant(text)

    def staged(self, function: str, *arguments: cst.BaseExpression) -> cst.Call:
        """`ab.function(arguments…)`."""
        return call(self.constant(function), *arguments)

    def is_local(self, text: str) -> bool:
        """Return whether a name belongs to this function, to one around it, or to a comprehension."""
        return text in self.hidden or text in self.work.flow.scope.locals or text in self.work.outer_names

    def may_be_unset(self, text: str) -> bool:
        """Return whether a read of a name here may find it unset."""
        if text in self.hidden or text in self.bound:
            return False
        if text in self.work.flow.graph.bits:
            return self.work.flow.state(self.point, text) is not State.SET
        return text in self.work.outer_unset


def _tested(node: cst.BaseExpression) -> Iterator[cst.BooleanOperation]:
    """Yield each `and` and `or` whose operands Python's jumps ask, and of which nothing is asked any more then."""
    if isinstance(node, cst.BooleanOperation):
        yield node
        yield from (*_tested(node.left), *_tested(node.right))
    elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        yield from _tested(node.expression)
    elif isinstance(node, cst.IfExp):
        yield from (*_tested(node.body), *_tested(node.orelse))


# Expressions that need no parentheses as an argument of a call.
_PLAIN = (
    cst.Comparison, cst.BinaryOperation, cst.BooleanOperation, cst.UnaryOperation, cst.Call, cst.IfExp, cst.Name,
    cst.Attribute, cst.Subscript, cst.BaseNumber,
)  # fmt: skip
