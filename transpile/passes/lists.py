"""Lists, and tuples with starred parts, where lists turned out to get a length known only at run time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import libcst as cst

from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.passes.comprehension import Comprehension
from anabranch.transpile.passes.generator_expression import each, is_plain
from anabranch.transpile.reader import Reader


class Display(ExpressionPass[cst.List]):
    """[a, b] stays; in a function whose lists grow at run time it becomes ab.growing([a, b])."""

    handles = (cst.List,)

    def rewrite(self, reader: Reader, node: cst.List) -> cst.CSTNode:
        if "list" not in reader.work.session.operators:
            return reader.children(node)
        if not any(isinstance(element, cst.StarredElement) for element in node.elements):
            return reader.staged("growing", reader.children(node))
        return reader.work.derived(_extended(reader, node.elements), node)


def _extended(reader: Reader, elements: Sequence[cst.BaseElement]) -> cst.BaseExpression:
    """The list of elements of which some are starred.

    [a, *b, c] is ab.extended(ab.extended(ab.growing([a]), b), [c]): b is gone over before c is evaluated.
    """
    made = None
    for starred, group in itertools.groupby(elements, lambda e: isinstance(e, cst.StarredElement)):
        if not starred:
            part = cst.List([cst.Element(reader.argument(element.value)) for element in group])
            made = reader.staged("growing", part) if made is None else reader.staged("extended", made, part)
            continue
        for element in group:
            made = reader.staged("growing", cst.List([])) if made is None else made
            made = reader.staged("extended", made, reader.argument(element.value))
    assert made is not None
    return made


class TupleDisplay(ExpressionPass[cst.Tuple]):
    """(*a, b) stays; in a function whose lists grow at run time it becomes the tuple of the list [*a, b]."""

    handles = (cst.Tuple,)

    def rewrite(self, reader: Reader, node: cst.Tuple) -> cst.CSTNode:
        starred = any(isinstance(element, cst.StarredElement) for element in node.elements)
        if not starred or "list" not in reader.work.session.operators:
            return reader.children(node)
        return reader.work.derived(reader.staged("tupled", _extended(reader, node.elements)), node)


class ListComprehension(ExpressionPass[cst.ListComp]):
    """A list comprehension becomes the list of what a generator expression gives."""

    handles = (cst.ListComp,)
    examples = (
        Example(
            "def f(a):\n    return [v if v > 0 else -v for v in a if 0 < v < 9]\n",
            "def f(a):\n    return ab.comprehension(ab.each(a, lambda v: ab.ifexp(v > 0, lambda: v, lambda: -v), "
            'lambda v: ab.compare(0, "<", lambda: v, "<", lambda: 9)))\n',
        ),
        Example(
            "def f(a, k):\n    return [lambda: v if k else -v for v in a]\n",
            "def f(a, k):\n    return [lambda: ab.ifexp(k, lambda: v, lambda: -v) for v in a]\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.ListComp) -> cst.CSTNode:
        if not is_plain(node):
            return Comprehension().rewrite(reader, node)
        return reader.staged("comprehension", each(reader, node))
