"""Attributes that look behind the values: `__class__`."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader


class Attribute(ExpressionPass):
    """x.__class__ becomes a call: it asks for the class that the value has at run time."""

    handles = (cst.Attribute,)
    examples = (
        Example("def f(x):\n    return x.__class__ is int\n", "def f(x):\n    return ab.is_(ab.class_(x), int)\n"),
    )

    def rewrite(self, reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Attribute)
        if node.attr.value != "__class__":
            return reader.children(node)
        return reader.staged("class_", reader.argument(node.value))
