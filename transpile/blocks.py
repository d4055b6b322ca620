"""Blocks of statements as the rewriting sees them: the user's units, and the few that the rewriting itself puts in."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.control_flow_graph import always
from anabranch.transpile.data_flow import Flow, Region


class Exit(Enum):
    """How control leaves a block."""

    NEXT = "NEXT"
    CONTINUE = "CONTINUE"
    BREAK = "BREAK"
    RETURN = "RETURN"


Exits = frozenset[Exit]
NO_EXITS: Exits = frozenset()
OF_LOOP = frozenset({Exit.BREAK, Exit.CONTINUE})


@frozen(eq=False)
class Propagate:
    """Leaves the block by an exit that was noted in the variables `code` and `value` before."""

    code: str
    value: str | None
    exits: Exits
    origin: cst.CSTNode


@frozen(eq=False)
class ReadyIf:
    """An `if` that is not in the user's source: its test is ready-made."""

    test: cst.BaseExpression
    body: tuple[Unit, ...]
    orelse: tuple[Unit, ...]
    origin: cst.CSTNode


Unit = cst.SimpleStatementLine | cst.BaseCompoundStatement | Propagate | ReadyIf
Units = tuple[Unit, ...]


def units_of(suite: cst.BaseSuite | None) -> Units:
    """The units of a suite; a line with an exit among several statements is split."""
    if suite is None:
        return ()
    if isinstance(suite, cst.SimpleStatementSuite):
        return tuple(cst.SimpleStatementLine([small]) for small in suite.body)
    found: list[Unit] = []
    for item in suite.body:
        if isinstance(item, cst.SimpleStatementLine) and len(item.body) > 1 and exits_of((item,)):
            found.append(item.with_changes(body=item.body[:1]))
            found += [cst.SimpleStatementLine([small]) for small in item.body[1:]]
            continue
        assert isinstance(item, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        found.append(item)
    return tuple(found)


def orelse_of(node: cst.If | cst.Else | None) -> Units:
    """The units of an `else`; an `elif` is one unit."""
    if node is None:
        return ()
    return (node,) if isinstance(node, cst.If) else units_of(node.body)


def exits_of(units: Sequence[Unit]) -> Exits:
    """Every way in which control may leave the units other than falling through (or an exception)."""
    return frozenset().union(*(_exits(unit) for unit in units))


def _exits(unit: Unit) -> Exits:
    if isinstance(unit, cst.SimpleStatementLine):
        return frozenset(SMALL_EXITS[type(small)] for small in unit.body if type(small) in SMALL_EXITS)
    if isinstance(unit, Propagate):
        return unit.exits
    if isinstance(unit, ReadyIf):
        return exits_of(unit.body) | exits_of(unit.orelse)
    if isinstance(unit, cst.If):
        return exits_of(units_of(unit.body)) | exits_of(orelse_of(unit.orelse))
    if isinstance(unit, (cst.While, cst.For)):
        return exits_of(units_of(unit.body)) - OF_LOOP | exits_of(orelse_of(unit.orelse))
    if isinstance(unit, cst.With):
        return exits_of(units_of(unit.body))
    if isinstance(unit, (cst.Try, cst.TryStar)):
        return exits_of([u for block in try_blocks(unit) for u in block])
    return NO_EXITS


SMALL_EXITS: dict[type[cst.CSTNode], Exit] = {
    cst.Return: Exit.RETURN,
    cst.Break: Exit.BREAK,
    cst.Continue: Exit.CONTINUE,
}


def try_blocks(node: cst.Try | cst.TryStar) -> list[Units]:
    """Body, handlers, else and finally of a try statement."""
    blocks = [units_of(node.body), *(units_of(h.body) for h in node.handlers), orelse_of(node.orelse)]
    return [*blocks, units_of(node.finalbody.body) if node.finalbody is not None else ()]


def falls_through(units: Sequence[Unit]) -> bool:
    """Return whether control may come to the end of the units."""
    return all(_falls(unit) for unit in units)


def _falls(unit: Unit) -> bool:
    if isinstance(unit, cst.SimpleStatementLine):
        return not any(type(small) in SMALL_EXITS or isinstance(small, cst.Raise) for small in unit.body)
    if isinstance(unit, Propagate):
        return False
    if isinstance(unit, ReadyIf):
        return falls_through(unit.body) or falls_through(unit.orelse)
    if isinstance(unit, cst.If):
        return falls_through(units_of(unit.body)) or falls_through(orelse_of(unit.orelse))
    if isinstance(unit, cst.While) and always(unit.test):
        return Exit.BREAK in exits_of(units_of(unit.body))
    if isinstance(unit, (cst.Try, cst.TryStar)):
        body, *others = try_blocks(unit)
        *handlers, orelse, final = others
        return falls_through(final) and (
            (falls_through(body) and falls_through(orelse)) or any(falls_through(h) for h in handlers)
        )
    return True


def may_only_propagate(units: Sequence[Unit]) -> bool:
    """Return whether some way through the units does nothing but propagate an exit that was noted before."""
    first = units[0] if units else None
    return isinstance(first, Propagate) or (
        isinstance(first, ReadyIf) and (may_only_propagate(first.body) or may_only_propagate(first.orelse))
    )


class Regions:
    """Regions of the graph for lists of units, the synthetic ones included."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow

    def nodes(self, units: Sequence[Unit]) -> frozenset[int]:
        """Graph nodes of the units."""
        found: set[int] = set()
        for unit in units:
            if isinstance(unit, ReadyIf):
                found |= self.nodes(unit.body) | self.nodes(unit.orelse)
            elif isinstance(unit, cst.SimpleStatementLine):
                for small in unit.body:
                    found.update(self.flow.nodes(small))
            elif not isinstance(unit, Propagate):
                found.update(self.flow.nodes(unit))
        return frozenset(found)

    def entries(self, units: Sequence[Unit], after: frozenset[int]) -> frozenset[int]:
        """Where control enters the units, or what follows them where they are none."""
        if not units:
            return after
        first = units[0]
        if isinstance(first, Propagate):
            return frozenset()
        if isinstance(first, ReadyIf):
            following = self.entries(units[1:], after)
            return self.entries(first.body, following) | self.entries(first.orelse, following)
        return frozenset({self.flow.entry(first.body[0] if isinstance(first, cst.SimpleStatementLine) else first)})

    def region(self, parts: Sequence[tuple[Units, frozenset[int]]]) -> Region:
        """The region of several blocks, each with what follows it."""
        nodes: frozenset[int] = frozenset()
        entries: frozenset[int] = frozenset()
        for units, after in parts:
            nodes |= self.nodes(units)
            entries |= self.entries(units, after)
        return Region(nodes, entries)
