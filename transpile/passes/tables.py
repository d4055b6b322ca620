"""Dicts and sets, in functions that turned out to have such as get keys known only at run time."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.nodes import call
from anabranch.transpile.passes.base import ExpressionPass
from anabranch.transpile.passes.comprehension import Comprehension
from anabranch.transpile.passes.generator_expression import each, is_plain
from anabranch.transpile.reader import Reader


class DictDisplay(ExpressionPass[cst.Dict]):
    """{k: v} stays; in a function with keys known only at run time it becomes ab.dict_display((k, v))."""

    handles = (cst.Dict,)

    def rewrite(self, reader: Reader, node: cst.Dict) -> cst.CSTNode:
        if "table" not in reader.work.session.operators:
            return reader.children(node)
        made = reader.staged("dict_display", *(reader.argument(_part(element)) for element in node.elements))
        return reader.work.derived(made, node)


def _part(element: cst.BaseDictElement) -> cst.Tuple:
    if isinstance(element, cst.DictElement):
        return pair(element.key, element.value)
    return cst.Tuple([cst.Element(element.value, comma=cst.Comma())])


def pair(key: cst.BaseExpression, value: cst.BaseExpression) -> cst.Tuple:
    """`(key, value)`."""
    return cst.Tuple([cst.Element(key), cst.Element(value)])


class SetDisplay(ExpressionPass[cst.Set]):
    """{a, b} stays; in a function with members known only at run time it becomes ab.set_display(a, b)."""

    handles = (cst.Set,)

    def rewrite(self, reader: Reader, node: cst.Set) -> cst.CSTNode:
        if "table" not in reader.work.session.operators:
            return reader.children(node)
        arguments = [
            cst.Arg(reader.argument(e.value), star="*" if isinstance(e, cst.StarredElement) else "")
            for e in node.elements
        ]
        return reader.work.derived(call(reader.constant("set_display"), *arguments), node)


class TableComprehension(ExpressionPass[cst.BaseComp]):
    """A dict or set comprehension stays; in such a function it goes over what a generator expression gives."""

    handles = (cst.SetComp, cst.DictComp)
    examples = Comprehension.examples

    def rewrite(self, reader: Reader, node: cst.BaseComp) -> cst.CSTNode:
        assert isinstance(node, (cst.SetComp, cst.DictComp))
        items = cst.ListComp(pair(node.key, node.value) if isinstance(node, cst.DictComp) else node.elt, node.for_in)
        if "table" not in reader.work.session.operators or not is_plain(items):
            return Comprehension().rewrite(reader, node)
        kind = "dict" if isinstance(node, cst.DictComp) else "set"
        return reader.work.derived(reader.staged(f"{kind}_comprehension", each(reader, items)), node)
