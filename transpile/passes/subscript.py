"""Subscripts by an index known only at run time, in functions that turned out to have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from anabranch.transpile.passes.base import ExpressionPass
from anabranch.transpile.reader import Reader


class Subscript(ExpressionPass[cst.Subscript]):
    """x[i] stays; in a function that indexes lists or dicts by run-time values it becomes ab.at(x)[i]."""

    handles = (cst.Subscript,)

    def rewrite(self, reader: Reader, node: cst.Subscript) -> cst.CSTNode:
        new = reader.children(node)
        if "subscript" not in reader.work.session.operators or _is_constant(node.slice):
            return new
        return new.with_changes(value=reader.staged("at", new.value))


def _is_constant(slices: Sequence[cst.SubscriptElement]) -> bool:
    """Return whether what stands in the brackets has no index and no bound but literals."""
    return all(map(_is_literal, _parts(slices)))


def _parts(slices: Sequence[cst.SubscriptElement]) -> Iterator[cst.BaseExpression]:
    for element in slices:
        index = element.slice
        if isinstance(index, cst.Index):
            yield index.value
        elif isinstance(index, cst.Slice):
            yield from (bound for bound in (index.lower, index.upper, index.step) if bound is not None)


def _is_literal(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.UnaryOperation):
        value = value.expression
    if isinstance(value, cst.Tuple):
        return all(_is_literal(element.value) for element in value.elements)
    return isinstance(value, (cst.BaseNumber, cst.SimpleString, cst.Ellipsis))
