"""The rewriting of one function: blocks of statements into blocks of statements, construct by construct."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.block_values import Frame, Layout, UserFrame
from anabranch.transpile.blocks import Exit, Exits, Regions, Unit, Units, falls_through, may_only_propagate, units_of
from anabranch.transpile.control_flow_graph import EXIT
from anabranch.transpile.data_flow import Flow, Region, State
from anabranch.transpile.enclosing_functions import BoundNames
from anabranch.transpile.generator_functions import FreshNames, uses_push_iteration
from anabranch.transpile.names import Function, names_bound_here, usage_of
from anabranch.transpile.nodes import (
    Statement,
    assign,
    call,
    define,
    keyword,
    line,
    name,
    replace_children,
    string,
    tuple_of,
)
from anabranch.transpile.reader import Reader
from anabranch.transpile.self_calls import tail_calls


class Constructs(Protocol):
    """The passes, by construct."""

    def statement(self, work: Lowering, unit: Unit, here: Here, rest: Units) -> LoweredUnit:
        """One unit of a block, rewritten."""

    def expression(self, reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
        """One node of an expression, with all below it, rewritten."""


@dataclass(slots=True)
class Session:
    """The state that the rewriting of a function shares with that of the functions inside it.

    `headers` are the global names that the rewritten text binds anew, with the text that they are bound to, `modules`
    those among them that are modules; `native` are names of functions that need no rewriting; `pushed` is what
    generator functions use; `operators` are the kinds of operators that become calls, too.
    `reraising` are `raise` statements without anything in handlers of `except*`, `caught` the names in others that
    stand for what their handler has caught.
    `origin` leads from a new node to the user's node that it came from.
    """

    ab: str
    constructs: Constructs
    headers: Mapping[str, str]
    modules: Mapping[str, object]
    native: frozenset[str]
    taken: frozenset[str]
    pushed: FreshNames
    operators: frozenset[str] = frozenset()
    origin: dict[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)
    reraising: set[cst.Raise] = field(default_factory=set)
    caught: set[cst.BaseExpression] = field(default_factory=set)
    findings: list[tuple[str, cst.CSTNode]] = field(default_factory=list)

    def report(self, code: str, node: cst.CSTNode) -> None:
        """Note a construct that can't be rewritten."""
        self.findings.append((code, node))


@frozen
class Here:
    """Where a block stands: how it delivers, in which function, and what follows it in the user's code."""

    frame: Frame
    place: BoundNames
    after: frozenset[int]


@frozen
class LoweredUnit:
    """The statements that a unit became, and the units that are left; None where they went into it."""

    statements: list[Statement]
    rest: Units | None


@frozen
class Split:
    """How the names that a region assigns go in and out of it.

    `shared` are those that stay cells (declared nonlocal), the other masks are for parameters and results. `passed`
    says that one of the blocks only hands an exit on, so that all results must be there before.
    """

    region: Region
    own: int
    shared: frozenset[str]
    live_in: int
    live_out: int
    passed: bool = False


class Lowering:
    """Rewrites one function; inner functions get a lowering of their own."""

    def __init__(self, session: Session, function: Function, outer: Lowering | None = None) -> None:
        self.session = session
        self.function = function
        self.flow = Flow(function)
        self.regions = Regions(self.flow)
        self.layout = Layout(session.ab)
        self.place = BoundNames(session.taken)
        self.globals = frozenset(n for u in self.flow.graph.usages for n in u.globals)
        self.declared = self.globals | {n for u in self.flow.graph.usages for n in u.nonlocals}
        self.is_lambda = isinstance(function, cst.Lambda)
        # Those `and` and `or` of which only the truth is asked for.
        self.tests: set[cst.CSTNode] = set()
        self.tail_calls = frozenset() if self.is_lambda else tail_calls(function, self.flow.scope)
        self.outer = outer
        self.outer_names: frozenset[str] = frozenset()
        self.outer_unset: frozenset[str] = frozenset()

    # The whole function

    def function_def(self) -> cst.FunctionDef:
        """The rewritten `def`; its decorators, defaults and annotations are left as they are."""
        node = self.function
        assert isinstance(node, cst.FunctionDef)
        here = Here(UserFrame(self.layout), self.place, frozenset({EXIT}))
        statements = self.block(units_of(node.body), here)
        body = self._with_initial_values(statements)
        if isinstance(node.body, cst.IndentedBlock):
            block = node.body.with_changes(body=body)
        else:
            block = cst.IndentedBlock(body)
        return self.derived(node.with_changes(body=block), node)

    def lambda_(self) -> cst.Lambda:
        """The rewritten lambda."""
        node = self.function
        assert isinstance(node, cst.Lambda)
        return self.derived(node.with_changes(body=self.expression(node.body, node.body, self.place)), node)

    @property
    def is_generator(self) -> bool:
        """Return whether the function is a generator, which pushes its values."""
        return uses_push_iteration(self.function, self.session.pushed)

    def inner(self, function: Function, point: int) -> Lowering:
        """The lowering of a function defined at `point`."""
        found = Lowering(self.session, function, self)
        found.outer_names = self.outer_names | self.flow.scope.locals
        unset = self.outer_unset - self.flow.scope.locals
        bits = self.flow.graph.bits
        for free in found.flow.scope.free:
            if free in bits and self._may_be_undefined(free, point):
                unset |= {free}
        found.outer_unset = unset
        return found

    def _may_be_undefined(self, name_: str, point: int) -> bool:
        """Return whether an inner function made at `point` may find the name holding an `Undefined`."""
        bit = self.flow.graph.bits[name_]
        if self.flow.deleted & bit:
            return True
        return self.flow.state(point, name_) is not State.SET

    def _with_initial_values(self, statements: list[Statement]) -> list[Statement]:
        """Names that may be unset start as undefined, below the docstring and the declarations."""
        start = 0
        while start < len(statements) and _is_preamble(statements[start], start == 0):
            start += 1
        needed = set(self.place.top)
        unbound = self.place.read_unset_names | self._never_bound()
        if unbound:
            needed |= unbound - names_bound_here(statements)
        names = [n for n in self.flow.graph.names if n in needed]
        return [*statements[:start], *self.undefined(names), *statements[start:]]

    def _never_bound(self) -> set[str]:
        """Names that only dead code binds and that inner functions read: they must stay this function's own."""
        graph = self.flow.graph
        read = graph.mask(n for inner in self.flow.inner for n in inner.reads) & ~graph.mask(self.flow.scope.parameters)
        for node, writes in enumerate(graph.writes):
            if self.flow.reached[node]:
                read &= ~writes
        return set(graph.listed(read))

    # Blocks

    def block(self, units: Units, here: Here) -> list[Statement]:
        """The units one after the other, with the delivery of the block at the end."""
        outside, here.place.pending = here.place.pending, []
        found = self._block(units, here)
        here.place.pending = outside
        return found

    def _block(self, units: Units, here: Here) -> list[Statement]:
        found: list[Statement] = []
        rest: Units | None = self.reached(units)
        while rest:
            unit, rest = rest[0], self.reached(rest[1:])
            step = self.session.constructs.statement(self, unit, here, rest)
            found += self._dressed([*here.place.pending, *step.statements], unit)
            here.place.pending.clear()
            rest = step.rest
            if rest is None or (isinstance(unit, cst.SimpleStatementLine) and not falls_through((unit,))):
                return found
        return found + here.frame.fall_through()

    def reached(self, units: Units) -> Units:
        """The units up to the first that control never comes to."""
        for count, unit in enumerate(units):
            if not isinstance(unit, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
                continue
            if not any(self.flow.reached[point] for point in self.regions.entries((unit,), frozenset())):
                return units[:count]
        return units

    def derived_once(self, part: cst.CSTNode, origin: cst.CSTNode) -> None:
        """Note where a part comes from, unless that is known; one that stays as it was comes from no other."""
        if part is not origin:
            self.session.origin.setdefault(part, origin)

    def _dressed(self, statements: list[Statement], unit: Unit) -> list[Statement]:
        """New statements know where they came from; the first takes over the comments above the unit."""
        origin = head_of(unit)
        for statement in statements:
            parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else (statement,)
            for part in parts:
                self.derived_once(part, origin)
        leading = unit.leading_lines if isinstance(unit, _WITH_COMMENTS) else ()
        if leading and statements and not statements[0].leading_lines:
            first = statements[0].with_changes(leading_lines=leading)
            self.session.origin[first] = self.session.origin.get(statements[0], origin)
            return [first, *statements[1:]]
        return statements

    def derived(self, new: cst.CSTNodeT, old: cst.CSTNode) -> cst.CSTNodeT:
        """`new`, known to stand for `old`."""
        if new is not old:
            self.session.origin[new] = old
        return new

    # Expressions

    def expression(self, node: cst.BaseExpression, home: cst.CSTNode, place: BoundNames) -> cst.BaseExpression:
        """An expression of the statement `home`, rewritten."""
        return Reader(self, self.flow.entry(home), place).rewrite(node)

    def argument(self, node: cst.BaseExpression, home: cst.CSTNode, place: BoundNames) -> cst.BaseExpression:
        """An expression that can do without parentheses around it, rewritten."""
        return Reader(self, self.flow.entry(home), place).argument(node)

    def test(self, node: cst.BaseExpression, place: BoundNames) -> cst.BaseExpression:
        """The test of a statement, rewritten."""
        return Reader(self, self.flow.entry(node), place).test(node)

    def target(self, reader: Reader, node: cst.CSTNodeT) -> cst.CSTNodeT:
        """An assignment target: names stay, the parts of subscripts and attributes are rewritten."""
        if isinstance(node, cst.Name):
            return node
        if isinstance(node, (cst.Tuple, cst.List, cst.StarredElement, cst.Element)):
            return self.derived(replace_children(node, lambda child: self.target(reader, child)), node)
        if isinstance(node, cst.Subscript) or (isinstance(node, cst.Attribute) and node.attr.value != "__class__"):
            return self.derived(self.session.constructs.expression(reader, node), node)  # type: ignore[return-value]
        return self.derived(reader.children(node), node)

    # Regions and names

    def split(self, parts: Sequence[tuple[Units, frozenset[int]]], place: BoundNames) -> Split:
        """How names go in and out of blocks that become functions side by side."""
        found = self.split_region(self.regions.region(parts), place)
        return replace(found, passed=any(may_only_propagate(units) for units, _ in parts))

    def split_region(self, region: Region, place: BoundNames) -> Split:
        """How names go in and out of a region in `place`; what is a cell there is one in it too."""
        flow = self.flow
        assigned = flow.assigned(region)
        shared = assigned & (flow.captured(region) | flow.live_in_handlers(region) | flow.graph.mask(place.shared))
        own = assigned & ~shared
        names = frozenset(flow.graph.listed(shared)) | self.declared_in(region.nodes)
        return Split(region, own, names, flow.live_at_entry(region), flow.live_at_exit(region))

    def declared_in(self, nodes: Iterable[int]) -> frozenset[str]:
        """The names declared nonlocal or global by the user that the nodes assign."""
        if not self.declared:
            return frozenset()
        usages = self.flow.graph.usages
        return frozenset(n for k in nodes for n in usages[k].all_writes | usages[k].deletes if n in self.declared)

    def names(self, mask: int) -> tuple[str, ...]:
        return self.flow.graph.listed(mask)

    def arguments(self, split: Split, outs: tuple[str, ...]) -> tuple[str, ...]:
        """Names that go in: live at the entry, or given out again without having been touched."""
        given = self.flow.graph.mask(outs) & split.own
        kept = given if split.passed else self.flow.unwritten_on_some_path(split.region, given)
        return self.names(split.own & split.live_in | kept)

    def before(self, here: Here, split: Split, arguments: Iterable[str]) -> list[Statement]:
        """Values for names that a construct needs and that have none yet."""
        own_cells = [n for n in self.flow.graph.names if n in split.shared]
        return self.undefined(here.place.to_initialise(self.flow, split.region, [*arguments, *own_cells]))

    def undefined(self, names: Iterable[str]) -> list[Statement]:
        return [assign([n], call(self.layout.constant("Undefined"), string(n))) for n in names]

    def generated(
        self,
        function: str,
        parameters: Sequence[str],
        units: Units,
        inside: Here,
        like: cst.BaseSuite | None = None,
        leading: Sequence[cst.EmptyLine] = (),
        first: Sequence[Statement] = (),
        ends: bool = True,
    ) -> cst.FunctionDef:
        """A generated function around `units`, after the statements `first`; those deliver themselves if not `ends`."""
        body = [*first, *(self.block(units, inside) if ends else [])]
        shared = inside.place.shared & self._assigned_names(units, first)
        if shared:
            body = [*self.declarations(sorted(shared)), *body]
        block = like if isinstance(like, cst.IndentedBlock) else None
        return define(function, parameters, body, block, leading)

    def _assigned_names(self, units: Units, first: Sequence[Statement]) -> frozenset[str]:
        nodes = self.regions.nodes(units)
        assigned = self.flow.assigned(Region(nodes, frozenset()))
        found = frozenset(self.names(assigned)) | self.declared_in(nodes)
        return found | usage_of(first).writes

    def declarations(self, names: Iterable[str]) -> list[Statement]:
        """`nonlocal` (or `global`) for names that a function inside this one assigns."""
        found: list[Statement] = []
        for kind, chosen in (
            (cst.Nonlocal, [n for n in names if n not in self.globals]),
            (cst.Global, [n for n in names if n in self.globals]),
        ):
            if chosen:
                found.append(line(kind([cst.NameItem(name(n)) for n in chosen])))
        return found

    def staged(
        self, function: str, heads: Sequence[cst.BaseExpression], arguments: Sequence[str], names: Sequence[str]
    ) -> cst.Call:
        """`ab.function(heads…, (arguments,), ("names",))`, without trailing empty tuples."""
        tail: list[cst.BaseExpression] = []
        if arguments or names:
            tail.append(tuple_of([name(a) for a in arguments]))
        if names:
            tail.append(tuple_of([string(n) for n in names]))
        return call(self.layout.constant(function), *heads, *tail)

    def comparison(self, code: str, exit_: Exit) -> cst.Comparison:
        """`code == ab.EXIT`."""
        target = cst.ComparisonTarget(cst.Equal(), self.layout.constant(exit_.value))
        return cst.Comparison(name(code), [target])

    def rewrite_children(self, node: cst.CSTNodeT, home: cst.CSTNode, place: BoundNames) -> cst.CSTNodeT:
        """`node` with its expressions rewritten."""
        reader = Reader(self, self.flow.entry(home), place)
        return self.derived(replace_children(node, reader.rewrite_node), node)


_WITH_COMMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


def exits_argument(exits: Exits) -> cst.Arg:
    """`exits=("break", "return")`."""
    return keyword("exits", tuple_of([string(e.name.lower()) for e in Exit if e in exits]))


def head_of(unit: Unit) -> cst.CSTNode:
    """The part of a unit that stands for it in tracebacks: the line where it begins."""
    if isinstance(unit, cst.SimpleStatementLine):
        return unit.body[0]
    if isinstance(unit, (cst.If, cst.While)):
        return unit.test
    if isinstance(unit, cst.For):
        return unit.iter
    if isinstance(unit, cst.With):
        return unit.items[0]
    return unit if isinstance(unit, cst.CSTNode) else unit.origin


def _is_preamble(statement: Statement, first: bool) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    small = statement.body[0]
    if isinstance(small, cst.Expr):
        return first and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))
    return isinstance(small, (cst.Nonlocal, cst.Global))
