"""A generator function as plain functions, each of which runs from one yield to the next.

The first runs from the call to the first yield, one more for each yield goes on behind it. Each returns the number of
the yield that it came to (0 for the end of the function), the value, and the names that are needed behind that yield.
What goes on behind a yield inside a loop is the rest of the loop's body, and then the loop: a loop that yields becomes
a `while` first, so that what it goes over is among the names.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.blocks import OF_LOOP, exits_of, falls_through, orelse_of, units_of
from anabranch.transpile.control_flow_graph import always
from anabranch.transpile.data_flow import Flow, State
from anabranch.transpile.generator_functions import yields
from anabranch.transpile.kept_names import KeptNames
from anabranch.transpile.nodes import (
    Statement,
    assign,
    call,
    define,
    derive,
    descendants,
    line,
    name,
    parenthesised,
    replace_children,
    tuple_of,
)
from anabranch.transpile.result import KnownNames, Resumed
from anabranch.transpile.yielding_loops import LoopNames, plain_loop
from anabranch.transpile.yielding_match import plain_match

Report = Callable[[str, cst.CSTNode], None]


@frozen
class StepNames:
    """Names, found nowhere else in the source, of what the steps call and of what they are told.

    The step is told the value that was sent in, and whether the iterator that was asked for it has ended.
    """

    deliver: str
    delegate: str
    sent: str
    ended: str
    loops: LoopNames

    @property
    def outside(self) -> tuple[str, ...]:
        """Those that the steps have from outside."""
        return (self.deliver, self.delegate, *self.loops.outside)


@frozen
class Step:
    """The code from one yield, or the beginning, to the next.

    `parameters` are its names for the values that it takes; the first `told` of them are what it is told, the last are
    `gives`, whose values it gets from the step before it. `kind` says what it begins behind.
    """

    node: cst.FunctionDef
    parameters: tuple[str, ...]
    gives: tuple[str, ...]
    told: int
    kind: Resumed


def steps_of(
    function: cst.FunctionDef,
    names: StepNames,
    known: KnownNames,
    origin: dict[cst.CSTNode, cst.CSTNode],
    report: Report,
) -> list[Step]:
    """The steps of a generator function.

    Parameters
    ----------
    known : KnownNames
        What names of the source stand for.
    origin : dict
        Gets, for each new node, the node that it stands for.
    report : callable
        Takes the code and the place of what can't be rewritten.
    """
    taken = {n.value for n in descendants(function) if isinstance(n, cst.Name)} | {
        *names.outside,
        names.sent,
        names.ended,
    }
    return _Stepper(names, known, origin, report, taken).steps(function)


@frozen
class _Point:
    """A yield."""

    node: cst.Yield
    small: cst.Expr  # the statement that it is now
    number: int
    told: tuple[str, ...]
    kind: Resumed


@dataclass(slots=True)
class _Stepper:
    names: StepNames
    known: KnownNames
    origin: dict[cst.CSTNode, cst.CSTNode]
    report: Report
    taken: set[str]
    points: list[_Point] = field(default_factory=list)
    numbers: dict[cst.CSTNode, int] = field(default_factory=dict)  # of the lines of points
    gives: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def steps(self, function: cst.FunctionDef) -> list[Step]:
        body = self.block(function.body)
        plain = function.with_changes(body=cst.IndentedBlock(body), decorators=[])
        flow = Flow(plain)
        kept = KeptNames(flow, body)
        wanted = {p.number: self._wanted(flow, kept, p) for p in self.points}
        parameters = flow.scope.parameters
        made = [self._step(function, parameters, body, (), 0, Resumed.YIELD)]
        for point in self.points:
            live = wanted[point.number]
            given = tuple(n for n in live if n in kept.constant)
            rest = self._behind(body, point.number)
            assert rest is not None
            whole = [*(self._copied(s) for s in kept.again(live, body)), *rest]
            gives = self.gives[point.number]
            names = (*point.told, *given, *gives)
            made.append(self._step(function, names, whole, gives, len(point.told), point.kind))
        return made

    def _step(
        self,
        function: cst.FunctionDef,
        parameters: Sequence[str],
        body: Iterable[Statement],
        gives: tuple[str, ...],
        told: int,
        kind: Resumed,
    ) -> Step:
        end = self._derived(line(cst.Return(self._delivery(0, name("None")))), function.name)
        statements = [*map(self._delivering, body), end]
        made = self._derived(define(function.name.value, parameters, statements), function)
        return Step(made, tuple(parameters), gives, told, kind)

    # Names

    def _wanted(self, flow: Flow, kept: KeptNames, point: _Point) -> tuple[str, ...]:
        """The names that are needed behind a yield; those that have to be given on are noted."""
        at = flow.entry(point.small)
        mask = 0
        for following in flow.graph.after[at]:
            mask |= flow.live_in[following]
        live = kept.with_reads(flow.graph.listed(mask))
        gives = tuple(n for n in live if n not in kept.constant and n not in kept.definitions)
        for one in gives:
            if one in kept.functions:
                self.report("AB119", point.node)
            elif flow.state(at, one) is not State.SET:
                self.report("AB118", point.node)
        self.gives[point.number] = gives
        return live

    # Loops and yields in simpler statements

    def block(self, suite: cst.BaseSuite) -> list[Statement]:
        """The statements of a suite, yields being statements of their own."""
        found: list[Statement] = []
        for item in suite.body:
            if isinstance(item, cst.BaseSmallStatement):
                found += self._small(item)
            elif isinstance(item, cst.SimpleStatementLine) and any(True for _ in yields(item)):
                found += [new for small in item.body for new in self._small(small)]
            else:
                assert isinstance(item, Statement)
                found += self._compound(item)
        return found

    def _small(self, small: cst.BaseSmallStatement) -> list[Statement]:
        inside = list(yields(small))
        if not inside:
            return [line(small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))]
        value = getattr(small, "value", None)
        if len(inside) > 1 or value is not inside[0] or not isinstance(small, _YIELDING):
            self.report("AB115", inside[0])
            return []
        receives = not isinstance(small, cst.Expr)
        kind = Resumed.YIELD_FROM if isinstance(inside[0].value, cst.From) else Resumed.YIELD
        made: list[Statement] = [self._point(inside[0], (self.names.sent,) * receives, kind, small)]
        if receives:
            changed = small.with_changes(value=name(self.names.sent), semicolon=cst.MaybeSentinel.DEFAULT)
            made.append(line(self._derived(changed, small)))
        return made

    def _point(self, node: cst.Yield, told: tuple[str, ...], kind: Resumed, origin: cst.CSTNode) -> Statement:
        statement = self._derived(cst.Expr(node), origin)
        made = line(statement)
        self.points.append(_Point(node, statement, len(self.points) + 1, told, kind))
        self.numbers[made] = len(self.points)
        return made

    def _compound(self, node: Statement) -> list[Statement]:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)) or not any(True for _ in yields(node)):
            return [node]
        if isinstance(node, (cst.If, cst.While)) and not any(True for _ in yields(node.test)):
            return [self._with_blocks(node)]
        if isinstance(node, cst.For) and not any(True for _ in yields(node.iter)):
            if self._makes_generator(node.iter) and not exits_of(orelse_of(node.orelse)) & OF_LOOP:
                return self._asking_loop(node)
            before, loop = plain_loop(self._with_blocks(node), self.names.loops, self._fresh, self.known.builtin)
            return [self._derived(new, node) for new in (*before, loop)]
        if isinstance(node, cst.Match):
            if any(True for part in (node.subject, *(c.guard for c in node.cases)) if part for _ in yields(part)):
                self.report("AB115", next(iter(yields(node))))
                return []
            return [new for made in plain_match(node, self._fresh) for new in self._compound(self._derived(made, node))]
        in_test = isinstance(node, (cst.If, cst.While, cst.For))
        self.report("AB115" if in_test else "AB117", next(iter(yields(node))))
        return []

    def _makes_generator(self, node: cst.BaseExpression) -> bool:
        return (
            isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in self.known.generators
        )

    def _asking_loop(self, node: cst.For) -> list[Statement]:
        """A loop over a generator, which is asked for each item between two steps."""
        made = self._point(cst.Yield(cst.From(node.iter)), (), Resumed.ITERATOR, node.iter)
        ask = self._point(cst.Yield(), (self.names.sent, self.names.ended), Resumed.ITEM, node.iter)
        loop = self._with_blocks(node)
        assert isinstance(loop, cst.For)
        after = [] if loop.orelse is None else [s for s in loop.orelse.body.body if isinstance(s, Statement)]
        ended = cst.If(name(self.names.ended), cst.IndentedBlock([*after, line(cst.Break())]))
        target = line(cst.Assign([cst.AssignTarget(loop.target)], name(self.names.sent)))
        rest = [s for s in loop.body.body if isinstance(s, Statement)]
        whole = cst.While(name("True"), cst.IndentedBlock([ask, ended, target, *rest]))
        return [made, self._derived(whole, node)]

    def _with_blocks(self, node: cst.If | cst.While | cst.For) -> cst.If | cst.While | cst.For:
        body = cst.IndentedBlock(self.block(node.body))
        orelse: cst.CSTNode | None = node.orelse
        if isinstance(orelse, cst.If):
            if any(True for _ in yields(orelse)):
                below = self._compound(orelse)
                orelse = below[0] if below else None
        elif isinstance(orelse, cst.Else):
            orelse = self._derived(orelse.with_changes(body=cst.IndentedBlock(self.block(orelse.body))), orelse)
        return self._derived(node.with_changes(body=body, orelse=orelse), node)

    # What comes behind a yield

    def _behind(self, body: Sequence[cst.CSTNode], number: int) -> list[Statement] | None:
        """The statements that run behind a yield in these; None where it is not among them."""
        for place, statement in enumerate(body):
            rest = [s for s in body[place + 1 :] if isinstance(s, Statement)]
            if self.numbers.get(statement) == number:
                return rest
            found = self._behind_in(statement, number)
            if found is not None:
                return [*found, *rest]
        return None

    def _behind_in(self, node: cst.CSTNode | None, number: int) -> list[Statement] | None:
        if not isinstance(node, (cst.If, cst.While, cst.Else)):
            return None
        found = self._behind(node.body.body, number)
        if found is not None and isinstance(node, cst.While):
            return self._round(node, [self._copied(s) for s in found])
        if found is None and not isinstance(node, cst.Else):
            return self._behind_in(node.orelse, number)
        return found

    def _round(self, loop: cst.While, found: list[Statement]) -> list[Statement]:
        """The loop from the middle of its body on, of which `found` is left."""
        if not exits_of(found) & OF_LOOP:
            return [*found, loop]
        first = self._fresh("first_")
        test = loop.test if always(loop.test) else cst.BooleanOperation(name(first), cst.Or(), parenthesised(loop.test))
        branch = cst.If(
            name(first),
            cst.IndentedBlock([assign([first], name("False")), *found]),
            cst.Else(loop.body),
        )
        whole = loop.with_changes(test=test, body=cst.IndentedBlock([branch]))
        return [self._derived(assign([first], name("True")), loop), self._derived(whole, loop)]

    # What the steps return

    def _delivering(self, node: cst.CSTNode) -> Statement:
        """The statement, whose yields and returns are those of a step."""
        new = self._changed(node)
        assert isinstance(new, Statement)
        return new

    def _changed(self, node: cst.CSTNode) -> cst.CSTNode:
        number = self.numbers.get(node)
        if number is not None:
            assert isinstance(node, cst.SimpleStatementLine)
            small = node.body[0]
            assert isinstance(small, cst.Expr)
            assert isinstance(small.value, cst.Yield)
            value = small.value.value
            if isinstance(value, cst.From):
                made = self._delivery(number, value.item, self.names.delegate)
            else:
                made = self._delivery(number, value or name("None"))
            return self._derived(line(cst.Return(made)), small)
        if isinstance(node, cst.Return):
            made = self._delivery(0, node.value or name("None"))
            # A bare `return` has no space behind it.
            return self._derived(node.with_changes(value=made, whitespace_after_return=cst.SimpleWhitespace(" ")), node)
        if isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            return node
        new = replace_children(node, self._changed)
        if new is not node:
            self.origin.setdefault(new, node)
            if isinstance(new, cst.While):
                return self._derived(_once(new), new)
        return new

    def _delivery(self, number: int, value: cst.BaseExpression, function: str | None = None) -> cst.Call:
        value = parenthesised(value) if isinstance(value, cst.Tuple) else value
        names = tuple_of([name(n) for n in self.gives.get(number, ())])
        return call(name(function or self.names.deliver), cst.Integer(str(number)), value, names)

    # Nodes

    def _fresh(self, base: str) -> str:
        found = itertools.chain([base], (f"{base}_{k}" for k in itertools.count(2)))
        text = next(t for t in found if t not in self.taken)
        self.taken.add(text)
        return text

    def _derived(self, new: cst.CSTNodeT, old: cst.CSTNode) -> cst.CSTNodeT:
        return derive(new, old, self.origin) if new is not old else new

    def _copied(self, node: Statement) -> Statement:
        """A copy of a statement: no node may stand in a function twice."""
        new = node.deep_clone()
        for made, old in zip(descendants(new), descendants(node), strict=True):
            self.origin[made] = old
            if old in self.numbers:
                self.numbers[made] = self.numbers[old]
        return new


def _once(loop: cst.While) -> cst.While | cst.If:
    """A loop whose body always returns as an `if`."""
    units = units_of(loop.body)
    if falls_through(units) or exits_of(units) & OF_LOOP:
        return loop
    return cst.If(loop.test, loop.body, loop.orelse, leading_lines=loop.leading_lines)


# Statements that may have a yield for a value.
_YIELDING = (cst.Expr, cst.Assign, cst.AnnAssign, cst.Return)
