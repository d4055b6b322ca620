"""Generator expressions, and list comprehensions that a reduction uses up at once."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from anabranch.transpile import captures
from anabranch.transpile.bindings import bound_names
from anabranch.transpile.nodes import descendants, keyword, name, thunk, tuple_of
from anabranch.transpile.passes.base import Example, ExpressionPass
from anabranch.transpile.passes.comprehension import Comprehension
from anabranch.transpile.reader import Reader

# Built-in functions that need no more of a list than its items one after the other.
_REDUCTIONS = {f"ab.builtins.{f}_" for f in ("sum", "any", "all", "min", "max")}


class GeneratorExpression(ExpressionPass[cst.GeneratorExp]):
    """A generator expression becomes a call with its element, and its condition, as functions of the item."""

    handles = (cst.GeneratorExp,)
    examples = (
        Example(
            "def f(a, k):\n    return sum(v * k for v in a if v > 0)\n",
            "def f(a, k):\n    return ab.call(sum, ab.each(a, lambda v: v * k, lambda v: v > 0))\n",
        ),
        Example(
            "def f(a):\n    return any(v > i for i, (v, w) in a)\n",
            "def f(a):\n    return ab.call(any, ab.each(a, lambda i, v, w: v > i, width=(0, 2)))\n",
        ),
        Example(
            "def f(a, b):\n    return max(i * w for i, v in a for w in b[v])\n",
            "def f(a, b):\n    return ab.call(max, "
            "ab.each(a, lambda i, v: ab.each(b[v], lambda w: i * w), width=2, nested=True))\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.GeneratorExp) -> cst.CSTNode:
        if not is_plain(node):
            return Comprehension().rewrite(reader, node)
        return each(reader, node)


def of_list(reader: Reader, node: cst.Call) -> cst.Call | None:
    """`sum([…])` and its like as the same call of a generator; None for any other call."""
    function, first = node.func, node.args[0].value if node.args else None
    if not isinstance(function, cst.Name) or not isinstance(first, cst.ListComp) or reader.is_local(function.value):
        return None
    text = reader.work.session.headers.get(function.value, "").replace(reader.work.session.ab, "ab", 1)
    if not is_plain(first):
        return None
    if function.value == "len" and "len" in reader.work.session.native and len(node.args) == 1:
        return reader.staged("count", each(reader, first))
    if text not in _REDUCTIONS:
        return None
    items = each(reader, first, [keyword("whole", name("True"))] if text.endswith(("any_", "all_")) else [])
    others = [reader.children(a) for a in node.args[1:]]
    return node.with_changes(args=[node.args[0].with_changes(value=items), *others])


def each(reader: Reader, node: cst.GeneratorExp | cst.ListComp, last: list[cst.Arg] | None = None) -> cst.Call:
    """`ab.each(items, lambda item: element, lambda item: condition)`, one in the other for several loops."""
    made = _each(reader.deferred(), node.for_in, node.elt, last or [])
    return reader.work.derived(made, node)


def _each(reader: Reader, loop: cst.CompFor, element: cst.BaseExpression, last: list[cst.Arg]) -> cst.Call:
    names = _apart(reader, bound_names(loop.target))
    inside = replace(reader, hidden=reader.hidden | set(names))
    inner = loop.inner_for_in
    value = inside.argument(element) if inner is None else _each(inside, inner, element, [])
    arguments = [reader.argument(loop.iter), _function(names, value)]
    if loop.ifs:
        first, *others = (inside.test(c.test) for c in loop.ifs)
        test = inside.staged("all_true", first, *map(thunk, others)) if others else first
        arguments.append(_function(names, test))
    options = [keyword("width", _width(loop.target))] if isinstance(loop.target, (cst.Tuple, cst.List)) else []
    if inner is not None:
        options.append(keyword("nested", name("True")))
    call = reader.staged("each", *arguments)
    return call.with_changes(args=[*call.args, *options, *last])


def _apart(reader: Reader, names: list[str]) -> list[str]:
    """The names of a row, each once: of those that are the same the last is that of the item."""
    return [reader.place.fresh(n)[0] if n in names[k + 1 :] else n for k, n in enumerate(names)]


def _function(names: list[str], value: cst.BaseExpression) -> cst.Lambda:
    return cst.Lambda(cst.Parameters([cst.Param(name(n)) for n in names]), value)


def _width(target: cst.Tuple | cst.List) -> cst.BaseExpression:
    """The number of the names of a row; where rows are in it, a tuple with a width for each of them, 0 for a name.

    A starred name has None.
    """
    if all(isinstance(e, cst.Element) and isinstance(e.value, cst.Name) for e in target.elements):
        return cst.Integer(str(len(target.elements)))
    return tuple_of([_width_of(e) for e in target.elements])


def _width_of(element: cst.BaseElement) -> cst.BaseExpression:
    if isinstance(element, cst.StarredElement):
        return name("None")
    return _width(element.value) if isinstance(element.value, (cst.Tuple, cst.List)) else cst.Integer("0")


def _is_row(target: cst.CSTNode) -> bool:
    """Return whether a target is a name, or a row of such, of which one may be starred."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return bool(target.elements) and all(
            _is_row(e.value) if isinstance(e, cst.Element) else isinstance(e.value, cst.Name) for e in target.elements
        )
    return isinstance(target, cst.Name)


def is_plain(node: cst.GeneratorExp | cst.ListComp) -> bool:
    """Return whether its targets are names or rows of such, it binds nothing else, and no step outlives its end."""
    loop: cst.CompFor | None = node.for_in
    while loop is not None:
        if loop.asynchronous is not None or not _is_row(loop.target):
            return False
        loop = loop.inner_for_in
    if any(isinstance(n, (cst.NamedExpr, cst.Await, cst.Yield)) for n in descendants(node)):
        return False
    return not captures.outlives_step(node)
