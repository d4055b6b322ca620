"""`break`, `continue` and `return`: one exit code, delivered by the block that they leave."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.block_values import UserFrame
from anabranch.transpile.blocks import SMALL_EXITS, Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.reader import Reader


class Leave(StatementPass[cst.SimpleStatementLine]):
    """break, continue and return become the result of the function that their block has become."""

    handles = (cst.Return, cst.Break, cst.Continue)
    examples = (
        Example(
            "def f(a, s):\n    for v in a:\n        if v < 0:\n            continue\n        s = s + v\n    return s\n",
            """def f(a, s):
    def for_body(v, s):
        def if_true(s):
            return s
        def if_false(s):
            s = s + v
            return s
        return ab.if_(v < 0, if_true, if_false, (s,))
    s = ab.for_(a, for_body, (s,), ("s",))
    return s
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.SimpleStatementLine, here: Here, rest: Units) -> LoweredUnit:
        (small,) = node.body
        value = small.value if isinstance(small, cst.Return) else None
        if value is not None:
            reader = Reader(work, work.flow.entry(small), here.place)
            assert isinstance(small, cst.Return)
            spaced = not isinstance(small.whitespace_after_return, cst.SimpleWhitespace) or (
                small.whitespace_after_return.value
            )
            value = reader.bare(value) if spaced else reader.rewrite(value)
        if isinstance(here.frame, UserFrame) and isinstance(small, cst.Return) and small.value is not None:
            # The user's own line stays, comment and all.
            changed = small.with_changes(value=value, semicolon=cst.MaybeSentinel.DEFAULT)
            return LoweredUnit([node.with_changes(body=[work.derived(changed, small)])], None)
        statements = here.frame.leave(SMALL_EXITS[type(small)], value)
        if len(statements) == 1 and isinstance(statements[0], cst.SimpleStatementLine):
            statements = [statements[0].with_changes(trailing_whitespace=node.trailing_whitespace)]
        return LoweredUnit(statements, None)
