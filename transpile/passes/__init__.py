"""The passes, one file for each construct, and the one place that says which takes what."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.blocks import Unit, Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import are_same
from anabranch.transpile.passes.assert_ import Assert
from anabranch.transpile.passes.attribute import Attribute
from anabranch.transpile.passes.base import ExpressionPass, Pass, SimplificationPass, SmallPass, StatementPass
from anabranch.transpile.passes.boolean import Boolean, Not
from anabranch.transpile.passes.call import Call
from anabranch.transpile.passes.class_ import Class
from anabranch.transpile.passes.compare import Compare
from anabranch.transpile.passes.comprehension import Refused
from anabranch.transpile.passes.delete import Delete
from anabranch.transpile.passes.exits import Leave
from anabranch.transpile.passes.for_ import For
from anabranch.transpile.passes.function import Function, Lambda
from anabranch.transpile.passes.generator_expression import GeneratorExpression
from anabranch.transpile.passes.if_ import If, Propagation, SyntheticIf
from anabranch.transpile.passes.lists import Display, ListComprehension, TupleDisplay
from anabranch.transpile.passes.match import Match
from anabranch.transpile.passes.plain_statements import Annotated, Assign, Augmented, Declaration, Import
from anabranch.transpile.passes.raise_ import Raise
from anabranch.transpile.passes.subscript import Subscript
from anabranch.transpile.passes.tables import DictDisplay, SetDisplay, TableComprehension
from anabranch.transpile.passes.ternary import Ternary
from anabranch.transpile.passes.text import Formatted, Percent
from anabranch.transpile.passes.try_ import Try
from anabranch.transpile.passes.try_star import TryStar
from anabranch.transpile.passes.undefined import Undefined
from anabranch.transpile.passes.walrus import LoopTest, Named
from anabranch.transpile.passes.while_ import While
from anabranch.transpile.passes.with_ import Managers, With
from anabranch.transpile.reader import Reader

# Every pass. Node types do not overlap, so the order is only that of reading: what goes
# first, statements, lines, expressions.
PASSES: tuple[Pass, ...] = (
    Match(), LoopTest(), Managers(),
    If(), SyntheticIf(), Propagation(), While(), For(), Leave(), With(), Try(), TryStar(),
    Function(), Class(),
    Assign(), Annotated(), Augmented(), Delete(), Assert(), Raise(), Import(), Declaration(),
    Ternary(), Boolean(), Not(), Compare(), Subscript(), Call(), Lambda(), GeneratorExpression(), Named(),
    Display(), TupleDisplay(), ListComprehension(), DictDisplay(), SetDisplay(), TableComprehension(),
    Formatted(), Percent(), Attribute(), Undefined(), Refused(),
)  # fmt: skip

SIMPLIFICATIONS = {kind: p for p in PASSES if isinstance(p, SimplificationPass) for kind in p.handles}
_STATEMENTS = {kind: p for p in PASSES if isinstance(p, StatementPass) for kind in p.handles}
_SMALLS = {kind: p for p in PASSES if isinstance(p, SmallPass) for kind in p.handles}
_EXPRESSIONS = {kind: p for p in PASSES if isinstance(p, ExpressionPass) for kind in p.handles}


class Dispatch:
    """Hands each construct to its pass."""

    def statement(self, work: Lowering, unit: Unit, here: Here, rest: Units) -> LoweredUnit:
        """One unit of a block, rewritten."""
        kind: type[object] = type(unit)
        if isinstance(unit, cst.SimpleStatementLine):
            kind = type(unit.body[0])
            if kind not in _STATEMENTS:
                return LoweredUnit([self._line(work, unit, here)], rest)
        return _STATEMENTS[kind].lower(work, unit, here, rest)

    def expression(self, reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
        """One node of an expression, with all below it, rewritten."""
        found = _EXPRESSIONS.get(type(node))
        return reader.children(node) if found is None else found.rewrite(reader, node)

    def _line(self, work: Lowering, unit: cst.SimpleStatementLine, here: Here) -> cst.SimpleStatementLine:
        """A line of small statements."""
        smalls: list[cst.BaseSmallStatement] = []
        for small in unit.body:
            found = _SMALLS.get(type(small))
            new = [work.rewrite_children(small, small, here.place)] if found is None else found.lower(work, small, here)
            for part in new:
                work.derived_once(part, small)
            smalls += new
        if are_same(smalls, unit.body):
            return unit
        plain = [
            s if s.semicolon is cst.MaybeSentinel.DEFAULT
            else work.derived(s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT), s)
            for s in smalls
        ]  # fmt: skip
        return unit.with_changes(body=plain)
