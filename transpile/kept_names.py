"""The names of a generator function that none of its steps has to give on to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from anabranch.transpile.data_flow import Flow
from anabranch.transpile.names import usage_of
from anabranch.transpile.nodes import Statement


class KeptNames:
    """The names of a generator function that no step has to give on.

    `constant` are parameters that are never bound anew, `definitions` those of functions and imports that each step
    can make again, `functions` all names of functions and classes that the generator makes.
    """

    def __init__(self, flow: Flow, body: Sequence[Statement]) -> None:
        graph = flow.graph
        bound: list[str] = []
        for masks in (graph.writes, graph.sometimes, graph.deletes):
            bound += [n for mask in masks for n in graph.listed(mask)]
        for inner in flow.inner:
            bound += inner.writes | inner.deletes
        self.constant = frozenset(flow.scope.parameters) - frozenset(bound)
        self.functions = frozenset(inner.name for inner in flow.inner if inner.name is not None)
        self.reads: dict[str, set[str]] = {}
        for inner in flow.inner:
            if inner.name is not None:
                self.reads.setdefault(inner.name, set()).update(inner.reads | inner.writes)
        self.definitions: dict[str, Statement] = {}
        for statement in body:
            for defined in _defined(statement):
                if bound.count(defined) == 1:
                    self.definitions[defined] = statement
        self.declarations = [s for s in body if _is_line_of(s, (cst.Global, cst.Nonlocal))]
        self.names = graph.names

    def with_reads(self, live: Iterable[str]) -> tuple[str, ...]:
        """These names and those that the functions among them read."""
        found = set(live)
        pending = list(found)
        while pending:
            for read in self.reads.get(pending.pop(), ()):
                if read in self.names and read not in found:
                    found.add(read)
                    pending.append(read)
        return tuple(n for n in self.names if n in found)

    def again(self, live: Iterable[str], body: Sequence[Statement]) -> list[Statement]:
        """The statements that each step begins with: declarations, imports and functions that are needed."""
        needed = [self.definitions[n] for n in live if n in self.definitions]
        return [s for s in body if any(s is d for d in (*self.declarations, *needed))]


def _defined(statement: Statement) -> list[str]:
    """The names that a statement binds to what can be made again at any time."""
    if isinstance(statement, cst.FunctionDef):
        plain = not statement.decorators and all(p.default is None for p in _all_parameters(statement.params))
        return [statement.name.value] if plain else []
    if _is_line_of(statement, (cst.Import, cst.ImportFrom)):
        return sorted(usage_of([statement]).writes)
    return []


def _all_parameters(node: cst.Parameters) -> Sequence[cst.Param]:
    return (*node.posonly_params, *node.params, *node.kwonly_params)


def _is_line_of(statement: cst.CSTNode, kinds: tuple[type[cst.CSTNode], ...]) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and all(isinstance(s, kinds) for s in statement.body)
