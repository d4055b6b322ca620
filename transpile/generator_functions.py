"""Generator functions as functions that push each value to a consumer.

`yield value` becomes `if yield_(value): return`: what takes the values says when it wants no more of them, so that a
generator is staged together with the loop that goes over it, and its values never have to exist side by side. What is
sent in is `yield_.sent` then.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.names import Function
from anabranch.transpile.nodes import assign, call, children, line, name, parenthesised, replace_children
from anabranch.transpile.positions import Span


@frozen
class FreshNames:
    """Names that occur nowhere else in the source."""

    consume: str
    item: str
    items: str


def yields(node: cst.CSTNode) -> Iterator[cst.Yield]:
    """The yields of a function's own body, those of functions inside it left out."""
    if isinstance(node, cst.Yield):
        yield node
    for child in children(node):
        if not isinstance(child, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            yield from yields(child)


def with_push_iteration(node: Function, names: FreshNames, spans: dict[cst.CSTNode, Span], outermost: bool) -> Function:
    """`node` with the generator functions in it (and itself, if `outermost`) pushing their values to a parameter.

    `spans` gets the places of the new nodes.
    """
    work = _PushRewriter(names, spans)
    if outermost:
        new = work.change(node, inside=False)
    else:
        new = work.derived(replace_children(node, lambda child: work.change(child, inside=False)), node)
    assert isinstance(new, (cst.FunctionDef, cst.Lambda))
    return new


def uses_push_iteration(node: Function, names: FreshNames) -> bool:
    """Return whether a function has been made to push its values."""
    first = (*node.params.posonly_params, *node.params.params)[:1]
    return bool(first) and first[0].name.value == names.consume


@frozen
class _PushRewriter:
    names: FreshNames
    spans: dict[cst.CSTNode, Span]

    def derived(self, new: cst.CSTNodeT, old: cst.CSTNode) -> cst.CSTNodeT:
        if new is not old and old in self.spans:
            self.spans[new] = self.spans[old]
        return new

    def change(self, node: cst.CSTNode, inside: bool) -> cst.CSTNode:
        """A node below; `inside` a generator function its statements may yield."""
        if isinstance(node, cst.FunctionDef):
            makes = any(True for _ in yields(node.body))
            new = replace_children(node, lambda child: self.change(child, makes))
            return self.derived(self._with_consumer(new) if makes else new, node)
        if isinstance(node, (cst.Lambda, cst.ClassDef)):
            inside = False
        if inside and isinstance(node, (cst.IndentedBlock, cst.SimpleStatementSuite)):
            return self.derived(self._block(node), node)
        return self.derived(replace_children(node, lambda child: self.change(child, inside)), node)

    def _with_consumer(self, node: cst.FunctionDef) -> cst.FunctionDef:
        consumer = cst.Param(name(self.names.consume))
        params = node.params
        if params.posonly_params:
            return node.with_changes(params=params.with_changes(posonly_params=[consumer, *params.posonly_params]))
        return node.with_changes(params=params.with_changes(params=[consumer, *params.params]))

    def _block(self, node: cst.IndentedBlock | cst.SimpleStatementSuite) -> cst.BaseSuite:
        if isinstance(node, cst.SimpleStatementSuite):
            if not any(map(_yielded, node.body)):
                return node
            return cst.IndentedBlock([s for small in node.body for s in self._statement(line(small), small)])
        statements: list[cst.BaseStatement] = []
        for statement in node.body:
            if isinstance(statement, cst.SimpleStatementLine) and any(map(_yielded, statement.body)):
                made = [s for small in statement.body for s in self._statement(line(small), small)]
                statements += [self._dressed(made[0], statement), *made[1:]]
            else:
                new = self.change(statement, inside=True)
                assert isinstance(new, cst.BaseStatement)
                statements.append(new)
        return node.with_changes(body=statements)

    def _dressed(
        self, new: cst.SimpleStatementLine | cst.BaseCompoundStatement, old: cst.SimpleStatementLine
    ) -> cst.BaseStatement:
        """The first statement keeps the comments of the line."""
        kept = new.with_changes(leading_lines=old.leading_lines)
        if isinstance(kept, (cst.If, cst.For)) and isinstance(kept.body, cst.IndentedBlock):
            kept = kept.with_changes(body=kept.body.with_changes(header=old.trailing_whitespace))
        return self.derived(kept, new)

    def _statement(
        self, alone: cst.SimpleStatementLine, small: cst.BaseSmallStatement
    ) -> list[cst.SimpleStatementLine | cst.BaseCompoundStatement]:
        """Return the statements that one small statement becomes."""
        found = _yielded(small)
        if found is None:
            return [alone.with_changes(body=[self._bare(small)])]
        is_used = not isinstance(small, cst.Expr)
        if not isinstance(found.value, cst.From):
            test = self.derived(self._yield_test(found.value or name("None"), small), small)
            sent = cst.Attribute(name(self.names.consume), name("sent"))
            return [test, *([line(self._with_value(small, sent))] if is_used else ())]
        body = cst.IndentedBlock([self._yield_test(name(self.names.item), small)])
        delegated = call(cst.Attribute(name(self.names.consume), name("delegate")), found.value.item)
        if not is_used:
            return [self.derived(cst.For(name(self.names.item), delegated, body), small)]
        items = self.derived(assign([self.names.items], delegated).body[0], small)
        loop = self.derived(cst.For(name(self.names.item), name(self.names.items), body), small)
        result = call(cst.Attribute(name(self.names.consume), name("result_of")), name(self.names.items))
        return [line(items), loop, line(self._with_value(small, result))]

    def _with_value(self, small: cst.BaseSmallStatement, value: cst.BaseExpression) -> cst.BaseSmallStatement:
        """The statement with another value than that of its yield."""
        new = small.with_changes(value=value, semicolon=cst.MaybeSentinel.DEFAULT)
        return self.derived(new, small)

    def _bare(self, small: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
        return self.derived(small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT), small)

    def _yield_test(self, value: cst.BaseExpression, small: cst.BaseSmallStatement) -> cst.If:
        """`if yield_(value): return`."""
        bare = isinstance(value, cst.Tuple) and not value.lpar
        test = self.derived(call(name(self.names.consume), parenthesised(value) if bare else value), small)
        leave = self.derived(cst.Return(), small)
        return self.derived(cst.If(test, cst.IndentedBlock([line(leave)])), small)


def _yielded(small: cst.CSTNode) -> cst.Yield | None:
    """The yield that a statement is, or whose value it assigns or returns."""
    if isinstance(small, (cst.Expr, cst.Assign, cst.AnnAssign, cst.Return)) and isinstance(small.value, cst.Yield):
        return small.value
    return None
