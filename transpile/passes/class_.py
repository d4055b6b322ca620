"""Classes inside functions: made while tracing, their methods rewritten in place."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from anabranch.transpile.blocks import Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.names import assigns, usage_of
from anabranch.transpile.nodes import replace_children
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.function import inner_function
from anabranch.transpile.reader import Reader

_PLAIN = (cst.Assign, cst.AnnAssign, cst.Expr, cst.Pass)


class Class(StatementPass[cst.ClassDef]):
    """A class statement stays; its methods are rewritten, and so are the values of its attributes."""

    handles = (cst.ClassDef,)
    examples = (
        Example(
            "def f(n):\n    class Sign:\n        start = not n\n        def of(self, x):\n"
            "            return 1 if x > 0 else -1\n    return Sign().of(n)\n",
            """def f(n):
    class Sign:
        start = ab.not_(n)
        def of(self, x):
            return ab.ifexp(x > 0, lambda: 1, lambda: -1)
    return ab.call(ab.call(Sign).of, n)
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.ClassDef, here: Here, rest: Units) -> LoweredUnit:
        return LoweredUnit([_class(Reader(work, work.flow.entry(node), here.place), node)], rest)


def _class(reader: Reader, node: cst.ClassDef) -> cst.ClassDef:
    inside = replace(reader, hidden=reader.hidden | usage_of([node.body]).all_writes, late=True)
    bases = [replace_children(a, reader.rewrite_node) for a in node.bases]
    keywords = [replace_children(a, reader.rewrite_node) for a in node.keywords]
    body = replace_children(node.body, lambda child: _member(inside, child))
    return reader.work.derived(node.with_changes(bases=bases, keywords=keywords, body=body), node)


def _member(reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
    """A statement of a class's body: there are no branches and loops in it."""
    if not isinstance(node, (cst.BaseStatement, cst.BaseSmallStatement)):
        return node
    if isinstance(node, cst.FunctionDef) and node.asynchronous is None:
        return inner_function(reader, node)
    if isinstance(node, cst.ClassDef):
        return _class(reader, node)
    if isinstance(node, cst.SimpleStatementLine):
        line = replace_children(node, lambda small: _member(reader, small))
        return reader.work.derived(line, node)
    if isinstance(node, _PLAIN) and not assigns(node):
        target = node.target if isinstance(node, cst.AnnAssign) else None
        small: cst.CSTNode = replace_children(node, lambda part: part if part is target else _part(reader, part))
        return reader.work.derived(small, node)
    reader.work.session.report("AB104", node)
    return node


def _part(reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
    """A part of a plain statement: targets stay as they are."""
    return node if isinstance(node, cst.AssignTarget) else reader.rewrite_node(node)
