"""`while`: test and body become functions of the carried names."""

from __future__ import annotations

import libcst as cst

from anabranch.transpile.blocks import Units
from anabranch.transpile.control_flow_graph import always
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import Statement, line
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.loop_parts import finish, take_apart
from anabranch.transpile.reader import Reader


class While(StatementPass[cst.While]):
    """The test and the body of a while become functions of the names that the loop carries."""

    handles = (cst.While,)
    examples = (
        Example(
            "def f(n):\n    s = 0\n    while n > 0:\n        s = s + n\n        n = n - 1\n    return s\n",
            """def f(n):
    s = 0
    def while_test(n, s):
        return n > 0
    def while_body(n, s):
        s = s + n
        n = n - 1
        return n, s
    n, s = ab.while_(while_test, while_body, (n, s), ("n", "s"))
    return s
""",
        ),
        Example(
            "def f(n):\n    while True:\n        if n > 9:\n            break\n        n = n * 2\n    return n\n",
            """def f(n):
    def while_test(n):
        return True
    def while_body(n):
        def if_true(n):
            return ab.BREAK, n
        def if_false(n):
            n = n * 2
            return ab.NEXT, n
        return ab.if_(n > 9, if_true, if_false, (n,))
    exit_, n = ab.while_(while_test, while_body, (n,), ("n",), exits=("break",))
    return n
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.While, here: Here, rest: Units) -> LoweredUnit:
        head = work.flow.entry(node.test)
        loop = take_apart(work, node, head, head, here)
        before = work.before(here, loop.split, loop.carries)
        test, body = here.place.fresh("while_test", "while_body")
        reader = Reader(work, head, loop.here.place)
        result = line(cst.Return(reader.test(node.test)))
        functions: list[Statement] = [
            work.generated(test, loop.carries, (), loop.here, first=[result], ends=False),
            work.generated(body, loop.carries, loop.body, loop.here, node.body),
        ]
        call = work.staged("while_", [cst.Name(test), cst.Name(body)], loop.carries, loop.carries)
        return finish(work, loop, call, [*before, *functions], here, rest, always(node.test))
