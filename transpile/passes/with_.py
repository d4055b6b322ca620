"""`with`: the statement stays native, but for `suppress`, which is a try statement."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.blocks import Units, units_of
from anabranch.transpile.known_parts import breaks
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import Statement, assign, assign_to, call, dotted, line, name
from anabranch.transpile.passes.base import Example, SimplificationPass, StatementPass
from anabranch.transpile.passes.native import block_in_place, followed, frame_for
from anabranch.transpile.passes.try_ import lower_suppress
from anabranch.transpile.reader import Reader
from anabranch.transpile.simplify import Simplifier


class With(StatementPass[cst.With]):
    """A with statement stays, its block rewritten in place; one of suppress becomes a try."""

    handles = (cst.With,)
    examples = (
        Example(
            "def f(m, x):\n    with m:\n        if x > 0:\n            x = x * 2\n    with m:\n        return x\n",
            """def f(m, x):
    with ab.managed(m):
        def if_true(x):
            x = x * 2
            return x
        def if_false(x):
            return x
        x = ab.if_(x > 0, if_true, if_false, (x,), ("x",))
    with ab.managed(m):
        return x
""",
        ),
        Example(
            "def f(a, i, y):\n    with suppress(IndexError):\n        y = a[i]\n    return y\n",
            """def f(a, i, y):
    def with_body():
        nonlocal y
        y = a[i]
    def suppressed():
        pass
    ab.try_(with_body, (ab.suppressed(ab.call(suppress, IndexError)), suppressed))
    return y
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.With, here: Here, rest: Units) -> LoweredUnit:
        if node.asynchronous is not None:
            work.session.report("AB101", node.items[0])
        if _suppresses(node):
            return lower_suppress(work, node, here, rest)
        items = [self._item(work, item, here) for item in node.items]
        units = units_of(node.body)
        frame = frame_for(work, here, [units])
        end = work.flow.nodes(node)[-1]
        block = block_in_place(work, units, node.body, frame, here, frozenset({end}))
        statement = work.derived(node.with_changes(items=items, body=block), node)
        return followed(work, statement, frame, here, [units], node, rest)

    def _item(self, work: Lowering, node: cst.WithItem, here: Here) -> cst.WithItem:
        reader = Reader(work, work.flow.entry(node), here.place)
        value = reader.argument(node.item)
        bound = node.asname
        if bound is not None:
            target = work.target(reader, bound.name)
            bound = bound if target is bound.name else bound.with_changes(name=target)
        value = reader.staged("managed", value)
        return work.derived(node.with_changes(item=value, asname=bound), node)


class Managers(SimplificationPass[cst.With]):
    """A with statement with one manager, whose leaving is a `try` where it may end exceptions of the run."""

    handles = (cst.With,)
    examples = (
        Example(
            "def f(m, a, i, y):\n    with suppress(IndexError) as s, m:\n        y = a[i]\n    return y, s\n",
            """def f(m, a, i, y):
    s = ab.Undefined("s")
    def with_body():
        nonlocal s, y
        s = None
        with ab.managed(m):
            y = a[i]
    def suppressed():
        pass
    ab.try_(with_body, (ab.suppressed(ab.call(suppress, IndexError)), suppressed))
    return y, ab.defined(s)
""",
        ),
    )

    def simplify(self, work: Simplifier, node: cst.With, written: cst.With) -> list[Statement] | None:
        item = node.items[0]
        is_of_suppress = any(_is_suppress(i) for i in node.items)
        staged = "with" in work.operators
        if node.asynchronous is not None or not (is_of_suppress or staged):
            return None
        if len(node.items) > 1:
            last = node.items[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            inner = node.with_changes(items=[*node.items[1:-1], last], leading_lines=[])
            body = cst.IndentedBlock(self.simplify(work, inner, written) or [inner])
            node = node.with_changes(items=[item.with_changes(comma=cst.MaybeSentinel.DEFAULT)], body=body)
            return [work.derived(new, written) for new in self.simplify(work, node, written) or [node]]
        if _is_suppress(item):
            if item.asname is None:
                return None
            # What `__enter__` of suppress returns.
            bound = assign_to(item.asname.name, name("None"))
            body = cst.IndentedBlock([bound, *_statements(node.body)])
            bare = item.with_changes(asname=None)
            return [work.derived(node.with_changes(items=[bare], body=body), written)]
        return [work.derived(new, written) for new in self._try(work, node)] if staged else None

    def _try(self, work: Simplifier, node: cst.With) -> list[Statement]:
        manager, failed, error = work.fresh("manager_"), work.fresh("failed_"), work.fresh("error_")

        def left(value: str) -> cst.Call:
            return call(dotted(f"{work.ab}.left"), name(manager), name(value))

        def unless(test: cst.BaseExpression, statement: Statement) -> Statement:
            return cst.If(cst.UnaryOperation(cst.Not(), test), cst.IndentedBlock([statement]))

        caught = [assign([failed], name("True")), unless(left(error), line(cst.Raise()))]
        handler = cst.ExceptHandler(cst.IndentedBlock(caught), name("BaseException"), cst.AsName(name(error)))
        inner = cst.Try(node.body, [handler])
        final = cst.Finally(cst.IndentedBlock([unless(name(failed), line(cst.Expr(left("None"))))]))
        outer = cst.Try(cst.IndentedBlock([inner]), finalbody=final)
        entered = [] if breaks([node.body]) else [work.fresh("entered_")]
        leaving = call(dotted(f"{work.ab}.leaving"), name(manager), *map(name, entered))
        item = node.items[0].with_changes(item=leaving)
        statements: list[Statement] = [
            assign([failed], name("False")),
            node.with_changes(items=[item], body=cst.IndentedBlock([outer])),
        ]
        if entered:
            # The block of a generator runs where that yields, as the step of a loop over it does.
            once = call(dotted(f"{work.ab}.entered"), name(manager))
            statements = [cst.For(name(entered[0]), once, cst.IndentedBlock(statements))]
        return [assign([manager], node.items[0].item), *statements]


def _statements(suite: cst.BaseSuite) -> list[cst.BaseStatement]:
    return [s if isinstance(s, cst.BaseStatement) else cst.SimpleStatementLine([s]) for s in suite.body]


def _suppresses(node: cst.With) -> bool:
    """Return whether the only manager is what a call of something named `suppress` gives."""
    return len(node.items) == 1 and node.items[0].asname is None and _is_suppress(node.items[0])


def _is_suppress(item: cst.WithItem) -> bool:
    value = item.item
    if not isinstance(value, cst.Call):
        return False
    function = value.func.attr if isinstance(value.func, cst.Attribute) else value.func
    return isinstance(function, cst.Name) and function.value == "suppress"
