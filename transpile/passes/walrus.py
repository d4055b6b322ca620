"""Assignment expressions."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from anabranch.transpile.blocks import OF_LOOP, exits_of, units_of
from anabranch.transpile.names import assigns
from anabranch.transpile.nodes import Statement, assign, line, name
from anabranch.transpile.passes.base import Example, ExpressionPass, SimplificationPass
from anabranch.transpile.reader import Reader
from anabranch.transpile.simplify import Simplifier


class Named(ExpressionPass[cst.NamedExpr]):
    """An assignment expression stays; where it may not run, it stands in a function that shares its name."""

    handles = (cst.NamedExpr,)
    examples = (
        Example(
            "def f(x, y):\n    z = 0\n    return x and (z := y) + 1, z\n",
            """def f(x, y):
    z = 0
    def operand():
        nonlocal z
        return (z := y) + 1
    return ab.and_(x, operand), z
""",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.NamedExpr) -> cst.CSTNode:
        assert isinstance(node.target, cst.Name)
        value = reader.rewrite(node.value)
        reader.bound.add(node.target.value)
        return node if value is node.value else node.with_changes(value=value)


class LoopTest(SimplificationPass[cst.While]):
    """A while whose test assigns becomes an endless loop that asks the test and breaks."""

    handles = (cst.While,)
    examples = (
        Example(
            "def f(n):\n    while (m := n - 1) > 0:\n        n = m\n    return m\n",
            """def f(n):
    m = ab.Undefined("m")
    def while_test(n, m):
        return True
    def while_body(n, m):
        def if_true(n):
            n = m
            return ab.NEXT, n, m
        def if_false(n):
            return ab.BREAK, n, m
        return ab.if_((m := n - 1) > 0, if_true, if_false, (n,))
    exit_, n, m = ab.while_(while_test, while_body, (n, m), ("n", "m"), exits=("break",))
    return m
""",
        ),
    )

    def simplify(self, work: Simplifier, node: cst.While, written: cst.While) -> list[Statement] | None:
        if not assigns(node.test):
            return None
        orelse = units_of(node.orelse.body) if node.orelse is not None else ()
        found: list[Statement] = []
        after: list[Statement] = []
        ending: list[cst.CSTNode] = list(node.orelse.body.body) if node.orelse is not None else []
        if exits_of(orelse) & OF_LOOP:
            # What leaves in the else leaves the loop around: it must stay outside of this one.
            ended = work.fresh("ended")
            found = [assign([ended], name("False"))]
            ending = [assign([ended], name("True"))]
            after = [cst.If(name(ended), node.orelse.body)]  # type: ignore[union-attr]
        leave = cst.Else(cst.IndentedBlock([*_lines(ending), line(cst.Break())]))
        body = cst.IndentedBlock([cst.If(node.test, node.body, leave)])
        loop = node.with_changes(test=name("True"), body=body, orelse=None)
        return [work.derived(s, node.test) for s in (*found, loop, *after)]


def _lines(body: Sequence[cst.CSTNode]) -> list[cst.BaseStatement]:
    found: list[cst.BaseStatement] = []
    for statement in body:
        assert isinstance(statement, (cst.BaseSmallStatement, cst.BaseStatement))
        found.append(line(statement) if isinstance(statement, cst.BaseSmallStatement) else statement)
    return found
