"""The control-flow graph of one function: nodes with reads, writes and deletes, edges for every way to go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from anabranch.transpile.bindings import bound_names
from anabranch.transpile.names import Function, Inner, NameUsage, scope_of, usage_of

EXIT = 0


@dataclass(slots=True)
class Graph:
    """Nodes in source order (node 0 is the exit), so the nodes of a statement are one span of numbers.

    Names are bits: bit `k` of a mask stands for `names[k]`. Nodes in `calm` can't raise; those
    in `unbinding` stand for what Python itself unbinds (at the end of a handler).
    """

    names: list[str]
    reads: list[int] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)
    sometimes: list[int] = field(default_factory=list)
    deletes: list[int] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    raising: list[list[int]] = field(default_factory=list)
    calm: set[int] = field(default_factory=set)
    unbinding: set[int] = field(default_factory=set)
    usages: list[NameUsage] = field(default_factory=list)
    spans: dict[cst.CSTNode, tuple[int, int]] = field(default_factory=dict)
    bits: dict[str, int] = field(default_factory=dict)

    def mask(self, names: Iterable[str]) -> int:
        """The mask of those of `names` that are this function's own."""
        found = 0
        for name in names:
            found |= self.bits.get(name, 0)
        return found

    def listed(self, mask: int) -> tuple[str, ...]:
        """The names of a mask, in the order of their first occurrence in the source."""
        return tuple(name for name in self.names if self.bits[name] & mask)


@dataclass(slots=True)
class _Jumps:
    """Where `break` and `continue` collect until the loop's ends are known; a `finally` takes all jumps first."""

    breaks: list[int] = field(default_factory=list)
    continues: list[int] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)

    def all(self) -> list[int]:
        return [*self.breaks, *self.continues, *self.returns]


def statements(suite: cst.BaseSuite | Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    """Small and compound statements of a suite, in order."""
    body: Sequence[cst.CSTNode]
    if isinstance(suite, cst.BaseSuite):
        body = [suite] if isinstance(suite, cst.SimpleStatementSuite) else suite.body
    else:
        body = suite
    found: list[cst.CSTNode] = []
    for item in body:
        if isinstance(item, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            found += item.body
        else:
            found.append(item)
    return found


def build_graph(function: Function) -> tuple[Graph, list[Inner]]:
    """The graph of `function`, and its inner functions (each in the `usages` of the node where it stands too)."""
    scope = scope_of(function)
    builder = _Builder(scope.parameters, scope.locals)
    if isinstance(function, cst.Lambda):
        ends = builder.simple(function.body, [])
    else:
        ends = builder.block(statements(function.body), [])
    builder.link([*ends, *builder.jumps.returns], EXIT)
    graph = builder.graph
    return graph, [inner for usage in graph.usages for inner in usage.inner]


class _Builder:
    """Builds the graph front to back: each method takes the open ends before a statement and gives those after it."""

    def __init__(self, parameters: Sequence[str], own: frozenset[str]) -> None:
        self.own = own
        self.graph = Graph([])
        self.jumps = _Jumps()
        for name in parameters:
            self._bit(name)
        self.node([], NameUsage())

    def _bit(self, name: str) -> None:
        if name in self.own and name not in self.graph.bits:
            self.graph.bits[name] = 1 << len(self.graph.names)
            self.graph.names.append(name)

    def node(self, ends: list[int], usage: NameUsage) -> int:
        """A new node after `ends`."""
        graph = self.graph
        for group in (usage.reads, usage.writes, usage.sometimes, usage.deletes):
            for name in sorted(group):
                self._bit(name)
        number = len(graph.after)
        graph.reads.append(graph.mask(usage.reads))
        graph.writes.append(graph.mask(usage.writes))
        graph.sometimes.append(graph.mask(usage.sometimes))
        graph.deletes.append(graph.mask(usage.deletes))
        graph.after.append([])
        graph.raising.append([])
        graph.usages.append(usage)
        self.link(ends, number)
        return number

    def link(self, ends: list[int], target: int) -> None:
        for end in ends:
            self.graph.after[end].append(target)

    def simple(self, node: cst.CSTNode, ends: list[int]) -> list[int]:
        """One node for a small statement or an expression."""
        start = self.node(ends, usage_of([node]))
        self.graph.spans[node] = (start, start + 1)
        if isinstance(node, _CALM) or (isinstance(node, cst.Assign) and isinstance(node.value, cst.BaseNumber)):
            self.graph.calm.add(start)
        return [start]

    def block(self, nodes: Sequence[cst.CSTNode], ends: list[int]) -> list[int]:
        for node in nodes:
            start = len(self.graph.after)
            ends = self.statement(node, ends)
            self.graph.spans[node] = (start, len(self.graph.after))
        return ends

    def statement(self, node: cst.CSTNode, ends: list[int]) -> list[int]:
        if isinstance(node, cst.If):
            return self.if_(node, ends)
        if isinstance(node, cst.While):
            return self.while_(node, ends)
        if isinstance(node, cst.For):
            return self.for_(node, ends)
        if isinstance(node, (cst.Try, cst.TryStar)):
            return self.try_(node, ends)
        if isinstance(node, cst.With):
            return self.with_(node, ends)
        ends = self.simple(node, ends)
        if isinstance(node, (cst.Return, cst.Break, cst.Continue)):
            jumps = self.jumps
            {cst.Return: jumps.returns, cst.Break: jumps.breaks, cst.Continue: jumps.continues}[type(node)] += ends
            return []
        return [] if isinstance(node, cst.Raise) else ends

    def else_(self, node: cst.Else | cst.If | None, ends: list[int]) -> list[int]:
        if node is None:
            return ends
        return self.block([node] if isinstance(node, cst.If) else statements(node.body), ends)

    def if_(self, node: cst.If, ends: list[int]) -> list[int]:
        test = self.simple(node.test, ends)
        return self.block(statements(node.body), test) + self.else_(node.orelse, test)

    def _loop_body(self, body: cst.BaseSuite, ends: list[int], head: int) -> list[int]:
        """The body, back to the head; gives the ends of `break`."""
        outer, self.jumps = self.jumps, _Jumps(returns=self.jumps.returns)
        ends = self.block(statements(body), ends)
        self.link(ends + self.jumps.continues, head)
        breaks = self.jumps.breaks
        self.jumps = outer
        return breaks

    def while_(self, node: cst.While, ends: list[int]) -> list[int]:
        head = self.simple(node.test, ends)
        breaks = self._loop_body(node.body, head, head[0])
        return self.else_(node.orelse, [] if always(node.test) else head) + breaks

    def for_(self, node: cst.For, ends: list[int]) -> list[int]:
        ends = self.simple(node.iter, ends)
        head = self.node(ends, NameUsage())
        # The target is bound on the way into the body only: a loop over nothing leaves it as it was.
        target = _target_reads(node.target)
        target.writes.update(bound_names(node.target))
        self.graph.spans[node.target] = (head + 1, head + 2)
        breaks = self._loop_body(node.body, [self.node([head], target)], head)
        return self.else_(node.orelse, [head]) + breaks

    def _raise_to(self, first: int, last: int, handler: int) -> None:
        for number in range(first, last):
            self.graph.raising[number].append(handler)

    def with_(self, node: cst.With, ends: list[int]) -> list[int]:
        for item in node.items:
            ends = self.simple(item, ends)
        first = len(self.graph.after)
        ends = self.block(statements(node.body), ends)
        # A context manager may swallow an exception: every node of the block can be followed by what comes after.
        end = self.node(ends, NameUsage())
        self._raise_to(first, end, end)
        return [end]

    def try_(self, node: cst.Try | cst.TryStar, ends: list[int]) -> list[int]:
        outer = self.jumps
        if node.finalbody is not None:
            self.jumps = _Jumps()
        start = len(self.graph.after)
        ends = self.block(statements(node.body), ends)
        dispatch = self.node([], NameUsage())
        self._raise_to(start, dispatch, dispatch)
        ends = self.else_(node.orelse, ends)
        for handler in node.handlers:
            first = len(self.graph.after)
            done = self.handler(handler, dispatch)
            if isinstance(node, cst.TryStar):  # the next handler may run after this one, however it has ended
                last = len(self.graph.after)
                dispatch = self.node([dispatch, *done], NameUsage())
                self._raise_to(first, last, dispatch)
                done = [dispatch]
            ends = ends + done
        if node.finalbody is None:
            return ends
        inner, self.jumps = self.jumps, outer
        final = self.node(ends + inner.all(), NameUsage())
        self.graph.spans[node.finalbody] = (final, final + 1)
        self._raise_to(start, final, final)
        done = self.block(statements(node.finalbody.body), [final])
        self._pass_on(inner, done)
        return done if ends else []

    def _pass_on(self, inner: _Jumps, ends: list[int]) -> None:
        """Jumps that had something to run first go on from its ends."""
        if inner.breaks:
            self.jumps.breaks += ends
        if inner.continues:
            self.jumps.continues += ends
        if inner.returns:
            self.jumps.returns += ends

    def handler(self, node: cst.ExceptHandler | cst.ExceptStarHandler, dispatch: int) -> list[int]:
        usage = usage_of([node.type] if node.type is not None else [])
        names = bound_names(node.name.name) if node.name is not None else []
        usage.writes.update(names)
        outer = self.jumps
        if names:
            self.jumps = _Jumps()
        start = self.node([dispatch], usage)
        ends = self.block(statements(node.body), [start])
        inner, self.jumps = self.jumps, outer
        if names and (ends or inner.all()):
            # Python unbinds the name when the handler ends, in whatever way.
            end = self.node([*ends, *inner.all()], NameUsage(deletes=set(names)))
            self.graph.unbinding.add(end)
            self._pass_on(inner, [end])
            ends = [end] if ends else []
        self.graph.spans[node] = (start, len(self.graph.after))
        return ends


# Statements that never raise (nor does binding a number to names).
_CALM = (cst.Pass, cst.Break, cst.Continue, cst.Global, cst.Nonlocal)


def _target_reads(target: cst.CSTNode) -> NameUsage:
    """Return what a target reads: the parts of its subscripts and attributes."""
    usage = usage_of([cst.Del(target)]) if isinstance(target, cst.BaseDelTargetExpression) else NameUsage()
    return NameUsage(
        reads=usage.reads - set(bound_names(target)), calls=usage.calls, escapes=usage.escapes, inner=usage.inner
    )


def always(test: cst.BaseExpression) -> bool:
    """Return whether a loop test is a literal that is true."""
    if isinstance(test, cst.Name):
        return test.value == "True"
    return isinstance(test, cst.Integer) and int(test.value, 0) != 0
