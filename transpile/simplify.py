"""Constructs that simpler statements can say are written so first; everything after sees only those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import libcst as cst

from anabranch.transpile.names import Function
from anabranch.transpile.nodes import Statement, are_same, derive, replace_children


class Simplification(Protocol):
    """A construct that becomes simpler statements, where it applies."""

    def simplify(self, work: Simplifier, node: cst.CSTNode, written: cst.CSTNode) -> list[Statement] | None:
        """The statements that stand for `node`, whose parts are simple already; None where it can stay.

        `written` is the node as the user wrote it.
        """


@dataclass(slots=True)
class Simplifier:
    """Walks over a function, from the inside out.

    Parameters
    ----------
    ab : str
        The name of the vocabulary.
    taken : set of str
        Names of the source, to which those that are made up here are added.
    origin : dict
        Leads from new nodes to those of the user's that they stand for.
    kinds : dict
        The simplifications by node type.
    operators : frozenset of str
        The kinds of operators, and statements, that are staged.
    functions : list
        The functions around the node at hand, innermost last.
    """

    ab: str
    taken: set[str]
    origin: dict[cst.CSTNode, cst.CSTNode]
    kinds: Mapping[type[object], Simplification]
    operators: frozenset[str] = frozenset()
    functions: list[cst.CSTNode] = field(default_factory=list)

    def function(self, node: Function) -> Function:
        """The function in simpler statements; itself where there is nothing to do."""
        new = self._visit(node)
        assert isinstance(new, (cst.FunctionDef, cst.Lambda))
        return new

    def fresh(self, base: str) -> str:
        """A name that the source does not have."""
        count, text = 1, base
        while text in self.taken:
            count += 1
            text = f"{base}_{count}"
        self.taken.add(text)
        return text

    def derived(self, new: cst.CSTNodeT, old: cst.CSTNode) -> cst.CSTNodeT:
        """`new` and all in it that is new, known to stand for `old`."""
        return derive(new, old, self.origin)

    def _visit(self, node: cst.CSTNode) -> cst.CSTNode:
        if isinstance(node, cst.IndentedBlock):
            body = [new for statement in node.body for new in self._statement(statement)]
            return node if are_same(body, node.body) else self._derived(node.with_changes(body=body), node)
        scope = isinstance(node, (cst.FunctionDef, cst.Lambda))
        if scope:
            self.functions.append(node)
        new = replace_children(node, self._visit)
        if scope:
            self.functions.pop()
        return self._derived(new, node)

    def _statement(self, node: cst.BaseStatement) -> Sequence[cst.BaseStatement]:
        new = self._visit(node)
        assert isinstance(new, cst.BaseStatement)
        found = self.kinds.get(type(new))
        simpler = None if found is None else found.simplify(self, new, node)
        if simpler is None:
            return [new]
        leading = new.leading_lines if isinstance(new, Statement) else ()
        if leading and not simpler[0].leading_lines:
            simpler[0] = self._derived(simpler[0].with_changes(leading_lines=leading), simpler[0])
        return simpler

    def _derived(self, new: cst.CSTNodeT, old: cst.CSTNode) -> cst.CSTNodeT:
        if new is not old:
            self.origin[new] = old
        return new
