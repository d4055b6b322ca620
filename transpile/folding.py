"""Expressions with what is known in them folded."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from dataclasses import dataclass
from typing import overload

import libcst as cst

from anabranch.transpile.bindings import bound_names, pattern_names
from anabranch.transpile.constants import UNKNOWN, NameValues, literal, value_of
from anabranch.transpile.names import Function, usage_of
from anabranch.transpile.nodes import children, derive, descendants, parenthesised, replace_children


@dataclass(slots=True)
class Folding(abc.ABC):
    """One walk over a function's body.

    Parameters
    ----------
    names : Names
        What is known where the walk stands.
    origin : dict
        Gets, for each new node, the node that it stands for.
    needed : frozenset of str
        Names that must stay assigned somewhere.
    """

    names: NameValues
    origin: dict[cst.CSTNode, cst.CSTNode]
    needed: frozenset[str]

    @abc.abstractmethod
    def inside(self, function: Function) -> Function:
        """A function inside this one, folded."""

    def derived(self, new: cst.CSTNodeT, old: cst.CSTNode) -> cst.CSTNodeT:
        """`new` and what is new in it, known to stand for `old`."""
        return new if new is old else derive(new, old, self.origin)

    def may_go(self, nodes: Iterable[cst.CSTNode]) -> bool:
        """Return whether code that never runs can be left out: the names that it binds are bound elsewhere."""
        return all(map(self._is_free, nodes))

    def _is_free(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            return node.name.value not in self.needed
        if isinstance(node, cst.Lambda):
            return True
        if isinstance(node, (cst.Yield, cst.Await, cst.Global, cst.Nonlocal)):
            return False
        if isinstance(node, cst.MatchCase) and not self.needed.isdisjoint(pattern_names(node.pattern)):
            return False
        own = usage_of([node]).all_writes if isinstance(node, (cst.BaseSmallStatement, cst.NamedExpr)) else set()
        if isinstance(node, (cst.For, cst.CompFor)):
            own = set(bound_names(node.target))
        return own.isdisjoint(self.needed) and all(map(self._is_free, children(node)))

    def test(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An expression of which only the truth matters."""
        made = self.expression(node)
        while isinstance(made, cst.BooleanOperation):
            right = value_of(made.right, self.names)
            passes = decided(right) is isinstance(made.operator, cst.And)
            if right is UNKNOWN or not passes:
                break
            made = self._in_parentheses_of(made.left, made)
        return made

    @overload
    def expression(self, node: cst.BaseExpression) -> cst.BaseExpression: ...

    @overload
    def expression(self, node: cst.CSTNode) -> cst.CSTNode: ...

    def expression(self, node: cst.CSTNode) -> cst.CSTNode:
        """An expression with what is known in it folded."""
        if isinstance(node, cst.BaseExpression) and not isinstance(node, _LITERALS):
            value = value_of(node, self.names)
            shown = None if value is UNKNOWN or not self._has_known(node) or not self.may_go([node]) else literal(value)
            if shown is not None:
                return self._in_parentheses_of(self.derived(shown, node), node)
        match node:
            case cst.FormattedString():
                return node
            case cst.Lambda():
                return self.inside(node)
            case cst.BaseComp():
                return self._comprehension(node)
            case cst.NamedExpr():
                value = self.expression(node.value)
                return node if value is node.value else self.derived(node.with_changes(value=value), node)
            case cst.IfExp():
                return self._ternary(node)
            case cst.BooleanOperation():
                return self._boolean(node)
        return self._fenced(self.derived(replace_children(node, self.expression), node), node)

    def _has_known(self, node: cst.CSTNode) -> bool:
        """Return whether a known name, and not the user's own constants alone, makes an expression known."""
        return any(isinstance(n, cst.Name) and n.value in self.names.known for n in descendants(node))

    def _ternary(self, node: cst.IfExp) -> cst.BaseExpression:
        test = self.test(node.test)
        answer = decided(value_of(test, self.names))
        chosen, other = (node.body, node.orelse) if answer else (node.orelse, node.body)
        if answer is not None and self.may_go([node.test, other]):
            return self._in_parentheses_of(self.expression(chosen), node)
        parts: dict[str, cst.BaseExpression] = {
            "test": test,
            "body": self.expression(node.body),
            "orelse": self.expression(node.orelse),
        }
        same = all(getattr(node, k) is v for k, v in parts.items())
        return node if same else self.derived(node.with_changes(**parts), node)

    def _boolean(self, node: cst.BooleanOperation) -> cst.BaseExpression:
        answer = decided(value_of(node.left, self.names))
        if answer is not None and answer is isinstance(node.operator, cst.And) and self.may_go([node.left]):
            return self._in_parentheses_of(self.expression(node.right), node)
        return self._fenced(self.derived(replace_children(node, self.expression), node), node)

    def _comprehension(self, node: cst.BaseComp) -> cst.BaseComp:
        """Its first iterable stands outside; the names of its loops hide others from the rest."""
        outside, loop = self.names, node.for_in
        first = self.expression(loop.iter)
        hidden: list[str] = []
        inner: cst.CompFor | None = loop
        while inner is not None:
            hidden += bound_names(inner.target)
            inner = inner.inner_for_in
        self.names = outside.without(hidden)
        made = replace_children(node, self._comprehended)
        self.names = outside
        if first is not loop.iter:
            made = made.with_changes(for_in=made.for_in.with_changes(iter=first))
        return self.derived(made, node)

    def _comprehended(self, node: cst.CSTNode) -> cst.CSTNode:
        if isinstance(node, cst.CompFor):
            return self.derived(
                replace_children(node, lambda p: p if p is node.target else self._comprehended(p)), node
            )
        if isinstance(node, cst.CompIf):
            return self.derived(replace_children(node, self.expression), node)
        return self.expression(node)

    def _in_parentheses_of(self, new: cst.BaseExpression, old: cst.BaseExpression) -> cst.BaseExpression:
        """The new expression, with the parentheses that the old one had."""
        if old.lpar and not new.lpar:
            return self.derived(new.with_changes(lpar=old.lpar, rpar=old.rpar), new)
        return new

    def _fenced(self, made: cst.CSTNodeT, old: cst.CSTNode) -> cst.CSTNodeT:
        """Parentheses around operands that came to be signed, or to be numbers before a dot."""
        is_tight = isinstance(made, _TIGHT)
        if made is old or not is_tight:
            return made
        changes = {}
        for part in ("left", "right", "value", "expression", "func"):
            operand, was = getattr(made, part, None), getattr(old, part, None)
            loose = isinstance(operand, (cst.UnaryOperation, cst.BooleanOperation, cst.Comparison, cst.BinaryOperation))
            number = isinstance(operand, (cst.Integer, cst.Float)) and isinstance(made, (cst.Attribute, cst.Call))
            if type(operand) is not type(was) and isinstance(operand, cst.BaseExpression) and (loose or number):
                changes[part] = self.derived(parenthesised(operand), operand)
        return self.derived(made.with_changes(**changes), made) if changes else made


_LITERALS = (cst.BaseNumber, cst.SimpleString, cst.ConcatenatedString)
_TIGHT = (
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.Attribute,
    cst.Subscript,
    cst.Call,
    cst.Await,
    cst.BooleanOperation,
)


def decided(value: object) -> bool | None:
    """The truth of a known value; None of one that is not known."""
    return None if value is UNKNOWN or (literal(value) is None and value is not None) else bool(value)
