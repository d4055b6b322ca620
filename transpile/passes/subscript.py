"""Subscripts by an index known only at run time, in functions that turned out to have them."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from anabranch.transpile.passes.base import ExpressionPass
from anabranch.transpile.reader import Reader


class Subscript(ExpressionPass):
    """x[i] stays; in a function that indexes lists or dicts by run-time values it becomes ab.at(x)[i]."""

    handles = (cst.Subscript,)

    def rewrite(self, reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Subscript)
        new = reader.children(node)
        if "subscript" not in reader.work.session.operators or _is_constant(node.slice):
            return new
        return new.with_changes(value=reader.staged("at", new.value))


def _is_constant(slices: Sequence[cst.SubscriptElement]) -> bool:
    """Whether what stands in the brackets has no index but slices and literals."""
    return all(_is_literal(element.slice) for element in slices)


def _is_literal(index: cst.BaseSlice) -> bool:
    if not isinstance(index, cst.Index):
        return True
    value = index.value
    if isinstance(value, cst.UnaryOperation):
        value = value.expression
    return isinstance(value, (cst.BaseNumber, cst.BaseString, cst.Tuple, cst.Ellipsis))
