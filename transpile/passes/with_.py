"""`with`: the statement stays native."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.blocks import Units, units_of
from anabranch.transpile.lowering import Here, Lowering, Step
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.native import block_in_place, followed, frame_for
from anabranch.transpile.reader import Reader


class With(StatementPass):
    """A with statement stays; its block is rewritten in place and notes the exit that it takes."""

    handles = (cst.With,)
    examples = (
        Example(
            "def f(m, x):\n    with m:\n        if x > 0:\n            x = x * 2\n    with m:\n        return x\n",
            """def f(m, x):
    with m:
        def if_true(x):
            x = x * 2
            return x
        def if_false(x):
            return x
        x = ab.if_(x > 0, if_true, if_false, (x,), ("x",))
    with m:
        return x
""",
        ),
    )

    def lower(self, work: Lowering, node: object, here: Here, rest: Units) -> Step:
        assert isinstance(node, cst.With)
        if node.asynchronous is not None:
            work.session.report("AB101", node.items[0])
        items = [self._item(work, item, here) for item in node.items]
        units = units_of(node.body)
        frame = frame_for(work, here, [units])
        end = work.flow.nodes(node)[-1]
        block = block_in_place(work, units, node.body, frame, here, frozenset({end}))
        statement = work.derived(node.with_changes(items=items, body=block), node)
        return followed(work, statement, frame, here, [units], node, rest)

    def _item(self, work: Lowering, node: cst.WithItem, here: Here) -> cst.WithItem:
        reader = Reader(work, work.flow.entry(node), here.place)
        value = reader.rewrite(node.item)
        name = node.asname
        if name is not None:
            target = work.target(reader, name.name)
            name = name if target is name.name else name.with_changes(name=target)
        if value is node.item and name is node.asname:
            return node
        return work.derived(node.with_changes(item=value, asname=name), node)
