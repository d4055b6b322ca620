"""Comparisons: chains, membership and identity."""

from __future__ import annotations

import functools

import libcst as cst

from anabranch.transpile.names import assigns
from anabranch.transpile.nodes import string, thunk
from anabranch.transpile.passes import sets
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader

_CALLS: dict[type[cst.BaseCompOp], str] = {cst.In: "in_", cst.NotIn: "not_in", cst.Is: "is_", cst.IsNot: "is_not"}
_SIGNS: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "<", cst.GreaterThan: ">", cst.Equal: "==", cst.NotEqual: "!=", cst.LessThanEqual: "<=",
    cst.GreaterThanEqual: ">=", cst.In: "in", cst.NotIn: "not in", cst.Is: "is", cst.IsNot: "is not",
}  # fmt: skip


class Compare(ExpressionPass[cst.Comparison]):
    """A chain, in and is become calls; each operand of a chain is evaluated at most once."""

    handles = (cst.Comparison,)
    examples = (
        Example(
            "def f(x):\n    return 0 < x < 10\n",
            'def f(x):\n    return ab.compare(0, "<", lambda: x, "<", lambda: 10)\n',
        ),
        Example("def f(x, y):\n    return x in y\n", "def f(x, y):\n    return ab.in_(x, y)\n"),
        Example("def f(x, y):\n    return x in {y, 1}\n", "def f(x, y):\n    return ab.in_(x, ab.members(y, 1))\n"),
        Example(
            "def f(x, y):\n    return x in {1, 2} - {*y}\n",
            'def f(x, y):\n    return ab.in_(x, ab.set_operation("-", {1, 2}, ab.members(*y)))\n',
        ),
        Example("def f(x, y):\n    return x is not y\n", "def f(x, y):\n    return ab.is_not(x, y)\n"),
    )

    def rewrite(self, reader: Reader, node: cst.Comparison) -> cst.CSTNode:
        if len(node.comparisons) > 1:
            parts: list[cst.BaseExpression] = []
            *links, last = node.comparisons
            for link in links:
                parts += [string(_SIGNS[type(link.operator)]), reader.thunk(link.comparator)]
            parts += [string(_SIGNS[type(last.operator)]), self._last(reader, last)]
            return reader.staged("compare", reader.argument(node.left), *parts)
        (link,) = node.comparisons
        function = _CALLS.get(type(link.operator))
        if function is None:
            if "compare" not in reader.work.session.operators:
                return reader.children(node)
            text = string(_SIGNS[type(link.operator)])
            return reader.staged("compare", reader.argument(node.left), text, reader.thunk(link.comparator))
        read = reader.argument if function in ("is_", "is_not") else functools.partial(sets.members, reader)
        return reader.staged(function, reader.argument(node.left), read(link.comparator))

    def _last(self, reader: Reader, link: cst.ComparisonTarget) -> cst.BaseExpression:
        """The operand that ends a chain, as a thunk: the only one that nothing but its own operator asks."""
        right = link.comparator
        asked = isinstance(link.operator, (cst.In, cst.NotIn)) and not assigns(right)
        if not asked or not sets.is_computed(reader, right):
            return reader.thunk(right)
        return thunk(sets.members(reader.deferred(), right))
