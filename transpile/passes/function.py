"""Functions inside functions: rewritten in place, by the same rules."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.blocks import Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import replace_children
from anabranch.transpile.passes.base import Example, ExpressionPass, StatementPass
from anabranch.transpile.reader import Reader


class Lambda(ExpressionPass[cst.Lambda]):
    """The body of a lambda is rewritten in place."""

    handles = (cst.Lambda,)
    examples = (
        Example(
            "def f():\n    return lambda v: v if v > 0 else -v\n",
            "def f():\n    return lambda v: ab.ifexp(v > 0, lambda: v, lambda: -v)\n",
        ),
    )

    def rewrite(self, reader: Reader, node: cst.Lambda) -> cst.CSTNode:
        inner = reader.work.inner(node, reader.point)
        inner.outer_names |= reader.hidden
        inner.outer_unset -= reader.hidden
        parameters = replace_children(node.params, lambda p: _defaults(reader, p))
        new = inner.lambda_()
        return new if parameters is node.params else new.with_changes(params=parameters)


class Function(StatementPass[cst.FunctionDef]):
    """The body of an inner function is rewritten in place."""

    handles = (cst.FunctionDef,)
    examples = (
        Example(
            "def f(n):\n    def g(k):\n        return not k\n    return g(n)\n",
            "def f(n):\n    def g(k):\n        return ab.not_(k)\n    return ab.call(g, n)\n",
        ),
        Example(
            "def f(a):\n    def g(k):\n        for v in a:\n            yield v * k\n    return sum(g(2))\n",
            """def f(a):
    @ab.generator
    def g(yield_, k):
        def for_body(v):
            def if_true():
                return ab.RETURN, None
            def if_false():
                return ab.NEXT, ab.no_value
            return ab.if_(yield_(v * k), if_true, if_false)
        exit_, value_ = ab.for_(a, for_body, exits=("return",))
    return ab.call(sum, ab.call(g, 2))
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.FunctionDef, here: Here, rest: Units) -> LoweredUnit:
        if node.asynchronous is not None:
            work.session.report("AB101", node.name)
            return LoweredUnit([node], rest)
        return LoweredUnit([inner_function(Reader(work, work.flow.entry(node), here.place), node)], rest)


def inner_function(reader: Reader, node: cst.FunctionDef) -> cst.FunctionDef:
    """A function defined where `reader` is, rewritten."""
    work = reader.work
    inner = work.inner(node, reader.point)
    new = inner.function_def()
    parameters = replace_children(node.params, lambda p: _defaults(reader, p))
    if parameters is not node.params:
        new = work.derived(new.with_changes(params=parameters), node)
    if inner.is_generator:
        marked = [*new.decorators, cst.Decorator(work.layout.constant("generator"))]
        new = work.derived(new.with_changes(decorators=marked), node)
    return new


def _defaults(reader: Reader, node: cst.CSTNode) -> cst.CSTNode:
    """A parameter with its default rewritten: it belongs to the function around."""
    if not isinstance(node, cst.Param) or node.default is None:
        return node
    default = reader.rewrite(node.default)
    return node if default is node.default else node.with_changes(default=default)
