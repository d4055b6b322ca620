"""Comparisons: chains, membership and identity."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.nodes import string
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader

_CALLS: dict[type[cst.BaseCompOp], str] = {cst.In: "in_", cst.NotIn: "not_in", cst.Is: "is_", cst.IsNot: "is_not"}
_SIGNS: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "<", cst.GreaterThan: ">", cst.Equal: "==", cst.NotEqual: "!=", cst.LessThanEqual: "<=",
    cst.GreaterThanEqual: ">=", cst.In: "in", cst.NotIn: "not in", cst.Is: "is", cst.IsNot: "is not",
}  # fmt: skip


class Compare(ExpressionPass):
    """A chain, in and is become calls; each operand of a chain is evaluated at most once."""

    handles = (cst.Comparison,)
    examples = (
        Example(
            "def f(x):\n    return 0 < x < 10\n",
            'def f(x):\n    return ab.compare(0, "<", lambda: x, "<", lambda: 10)\n',
        ),
        Example("def f(x, y):\n    return x in y\n", "def f(x, y):\n    return ab.in_(x, y)\n"),
        Example("def f(x, y):\n    return x in {y, 1}\n", "def f(x, y):\n    return ab.in_(x, ab.members(y, 1))\n"),
        Example("def f(x, y):\n    return x is not y\n", "def f(x, y):\n    return ab.is_not(x, y)\n"),
    )

    def rewrite(self, reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Comparison)
        if len(node.comparisons) > 1:
            parts: list[cst.BaseExpression] = []
            for link in node.comparisons:
                sign = _SIGNS[type(link.operator)]
                parts += [string(sign), reader.thunk(link.comparator)]
            return reader.staged("compare", reader.argument(node.left), *parts)
        (link,) = node.comparisons
        function = _CALLS.get(type(link.operator))
        if function is None:
            if "compare" not in reader.work.session.operators:
                return reader.children(node)
            text = string(_SIGNS[type(link.operator)])
            return reader.staged("compare", reader.argument(node.left), text, reader.thunk(link.comparator))
        left = reader.argument(node.left)
        if function in ("in_", "not_in") and isinstance(link.comparator, cst.Set) and _is_computed(link.comparator):
            members = reader.staged("members", *(reader.argument(e.value) for e in link.comparator.elements))
            return reader.staged(function, left, members)
        return reader.staged(function, left, reader.argument(link.comparator))


def _is_computed(display: cst.Set) -> bool:
    """Whether a set display has elements that only the run may know, all written one by one."""
    values = [e.value for e in display.elements]
    plain = all(isinstance(e, cst.Element) for e in display.elements)
    return plain and not all(isinstance(v, (cst.BaseNumber, cst.BaseString, cst.UnaryOperation)) for v in values)
