"""`assert`."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.lowering import Here, Lowering
from anabranch.transpile.passes.base import Example, SmallPass
from anabranch.transpile.reader import Reader


class Assert(SmallPass[cst.Assert]):
    """assert becomes a call; the message is computed only where it is needed."""

    handles = (cst.Assert,)
    examples = (
        Example(
            'def f(x):\n    assert x > 0, "neg"\n    assert x\n',
            'def f(x):\n    ab.assert_(x > 0, lambda: "neg")\n    ab.assert_(x)\n',
        ),
    )

    def lower(self, work: Lowering, node: cst.Assert, here: Here) -> list[cst.BaseSmallStatement]:
        reader = Reader(work, work.flow.entry(node), here.place)
        message = [] if node.msg is None else [reader.thunk(node.msg)]
        return [cst.Expr(reader.staged("assert_", reader.test(node.test), *message))]
