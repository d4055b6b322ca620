"""Comprehensions: kept, with the expressions in them rewritten."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from anabranch.transpile.bindings import bound_names
from anabranch.transpile.names import assigns
from anabranch.transpile.nodes import are_same
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.reader import Reader


class Comprehension(ExpressionPass[cst.BaseComp]):
    """A comprehension stays; its element, iterables and conditions are rewritten."""

    handles = (cst.SetComp, cst.DictComp)
    examples = (
        Example(
            "def f(a, k):\n    return {v: v % k if k else v for v in a}\n",
            "def f(a, k):\n    return {v: ab.ifexp(k, lambda: v % k, lambda: v) for v in a}\n",
        ),
        Example(
            "def f(a):\n    return {v for v in a if v > 0}\n",
            "def f(a):\n    return {v for v in a if ab.kept(v > 0)}\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.BaseComp) -> cst.CSTNode:
        decides = isinstance(node, (cst.SetComp, cst.DictComp)) or assigns(node)
        loops, inside = self._loop(reader.deferred(), node.for_in, decides)
        names = ("key", "value") if isinstance(node, cst.DictComp) else ("elt",)
        changes: dict[str, cst.CSTNode] = {n: inside.rewrite(getattr(node, n)) for n in names}
        changes["for_in"] = loops
        if all(getattr(node, n) is new for n, new in changes.items()):
            return node
        return node.with_changes(**changes)

    def _loop(self, reader: Reader, node: cst.CompFor, decides: bool) -> tuple[cst.CompFor, Reader]:
        """The loop with the loops inside it, and the reader for what they produce.

        `decides` says that Python itself must know while tracing what is kept.
        """
        if node.asynchronous is not None:
            reader.work.session.report("AB101", node)
        iterable = reader.rewrite(node.iter)
        inside = replace(reader, hidden=reader.hidden | set(bound_names(node.target)))
        conditions = [self._condition(inside, condition, decides) for condition in node.ifs]
        inner, last = (None, inside) if node.inner_for_in is None else self._loop(inside, node.inner_for_in, decides)
        if iterable is node.iter and inner is node.inner_for_in and are_same(conditions, node.ifs):
            return node, last
        return node.with_changes(iter=iterable, ifs=conditions, inner_for_in=inner), last

    def _condition(self, reader: Reader, node: cst.CompIf, decides: bool) -> cst.CompIf:
        test = reader.staged("kept", reader.test(node.test)) if decides else reader.test(node.test)
        return node if test is node.test else node.with_changes(test=test)


class Refused(ExpressionPass[cst.CSTNode]):
    """await, and a yield inside of an expression or of what is compiled as a whole, can't be rewritten."""

    handles = (cst.Await, cst.Yield)

    def rewrite(self, reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
        code = "AB101" if isinstance(node, cst.Await) else "AB115" if reader.work.is_generator else "AB102"
        reader.work.session.report(code, node)
        return node
