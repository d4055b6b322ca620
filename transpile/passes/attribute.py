"""Attributes that look behind the values: `__class__`, and names that stand-ins of values have for themselves."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.hidden_attributes import HIDDEN
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader


class Attribute(ExpressionPass[cst.Attribute]):
    """x.__class__ becomes a call; x.tag is that of ab.attributes(x), since what stands for x has a `tag` of its own."""

    handles = (cst.Attribute,)
    examples = (
        Example("def f(x):\n    return x.__class__ is int\n", "def f(x):\n    return ab.is_(ab.class_(x), int)\n"),
        Example(
            "def f(x):\n    x.tag, x.name = x.tag + 1, x.name\n",
            "def f(x):\n    ab.attributes(x).tag, x.name = ab.attributes(x).tag + 1, x.name\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.Attribute) -> cst.CSTNode:
        if node.attr.value == "__class__":
            return reader.staged("class_", reader.argument(node.value))
        return self._visible(reader, node)

    def _visible(self, reader: Reader, node: cst.Attribute) -> cst.Attribute:
        """The same attribute, of what shows the user's attributes alone; it can be assigned and deleted, too."""
        if node.attr.value not in HIDDEN or _is_module(reader, node.value):
            return reader.children(node)
        return node.with_changes(value=reader.staged("attributes", reader.argument(node.value)))


def _is_module(reader: Reader, node: cst.BaseExpression) -> bool:
    """Return whether an expression is a module that the rewritten text binds, or one in it."""
    while isinstance(node, cst.Attribute):
        node = node.value
    if not isinstance(node, cst.Name):
        return False
    session = reader.work.session
    return node.value == session.ab or (node.value in session.modules and not reader.is_local(node.value))
