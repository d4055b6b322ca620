"""`with`: the statement stays native, but for `suppress`, which is a try statement."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.blocks import Units, units_of
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.native import block_in_place, followed, frame_for
from anabranch.transpile.passes.try_ import lower_suppress
from anabranch.transpile.reader import Reader


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
        name = node.asname
        if name is not None:
            target = work.target(reader, name.name)
            name = name if target is name.name else name.with_changes(name=target)
        value = reader.staged("managed", value)
        return work.derived(node.with_changes(item=value, asname=name), node)


def _suppresses(node: cst.With) -> bool:
    """Return whether the only manager is what a call of something named `suppress` gives."""
    value = node.items[0].item
    if len(node.items) > 1 or node.items[0].asname is not None or not isinstance(value, cst.Call):
        return False
    function = value.func.attr if isinstance(value.func, cst.Attribute) else value.func
    return isinstance(function, cst.Name) and function.value == "suppress"
