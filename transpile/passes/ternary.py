"""The conditional expression."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader


class Ternary(ExpressionPass[cst.IfExp]):
    """a if c else b becomes a call with both values as lambdas."""

    handles = (cst.IfExp,)
    examples = (
        Example(
            "def f(x):\n    return x * 2 if x > 3 else (x + 1 if x > 0 else -x)\n",
            "def f(x):\n    return ab.ifexp(x > 3, lambda: x * 2, lambda: "
            "ab.ifexp(x > 0, lambda: x + 1, lambda: -x))\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.IfExp) -> cst.CSTNode:
        return reader.staged("ifexp", reader.test(node.test), reader.thunk(node.body), reader.thunk(node.orelse))
