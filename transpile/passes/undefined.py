"""Reads of names that may be unset."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.nodes import name
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader


class Undefined(ExpressionPass[cst.Name]):
    """A read of a name that may be unset asks whether it is."""

    handles = (cst.Name,)
    examples = (
        Example(
            "def f(x):\n    if x > 0:\n        t = x\n    return t\n",
            """def f(x):
    t = ab.Undefined("t")
    def if_true(t):
        t = x
        return t
    def if_false(t):
        return t
    t = ab.if_(x > 0, if_true, if_false, (t,), ("t",))
    return ab.defined(t)
""",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.Name) -> cst.CSTNode:
        text = node.value
        if not reader.may_be_unset(text):
            return node
        if text in reader.work.flow.graph.bits:
            reader.place.read_unset(reader.work.flow, text, deferred=reader.late)
        return reader.staged("enclosed" if text in reader.work.flow.scope.free else "defined", name(text))
