"""`and`, `or` and `not`, with their values."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader


class Boolean(ExpressionPass[cst.BooleanOperation]):
    """and/or become calls with the later operands as lambdas, which run only where Python would run them.

    In a test the calls give a truth value, not an operand, whose truth would be asked a second time.
    """

    handles = (cst.BooleanOperation,)
    examples = (
        Example(
            "def f(a, b, c):\n    return a and b and c\n",
            "def f(a, b, c):\n    return ab.and_(a, lambda: b, lambda: c)\n",
        ),
        Example(
            "def f(x):\n    return x > 0 or x < -5 and x\n",
            "def f(x):\n    return ab.or_(x > 0, lambda: ab.and_(x < -5, lambda: x))\n",
        ),
        Example(
            "def f(a, b):\n    assert a and not b\n",
            "def f(a, b):\n    ab.assert_(ab.all_true(a, lambda: ab.not_(b)))\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.BooleanOperation) -> cst.CSTNode:
        first, *others = self._operands(node, type(node.operator))
        functions = ("all_true", "any_true") if node in reader.work.tests else ("and_", "or_")
        function = functions[isinstance(node.operator, cst.Or)]
        return reader.staged(function, reader.argument(first), *(reader.thunk(other) for other in others))

    def _operands(self, node: cst.BooleanOperation, kind: type[cst.BaseBooleanOp]) -> list[cst.BaseExpression]:
        left = node.left
        same = isinstance(left, cst.BooleanOperation) and isinstance(left.operator, kind)
        return [*(self._operands(left, kind) if same else [left]), node.right]  # type: ignore[arg-type]


class Not(ExpressionPass[cst.UnaryOperation]):
    """not becomes a call."""

    handles = (cst.UnaryOperation,)
    examples = (Example("def f(x):\n    return not x\n", "def f(x):\n    return ab.not_(x)\n"),)

    def rewrite(self, reader: Reader, node: cst.UnaryOperation) -> cst.CSTNode:
        if not isinstance(node.operator, cst.Not):
            return reader.children(node)
        return reader.staged("not_", reader.argument(node.expression))
