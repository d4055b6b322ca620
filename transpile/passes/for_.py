"""`for`: the body becomes a function of the element and the carried names."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from anabranch.transpile.blocks import Units
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering
from anabranch.transpile.nodes import Statement, assign_to, name
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.loop_parts import LoopParts, element_place, finish, take_apart
from anabranch.transpile.reader import Reader


class For(StatementPass[cst.For]):
    """The body of a for becomes a function of the element and the names that the loop carries."""

    handles = (cst.For,)
    examples = (
        Example(
            "def f(n):\n    s = 0\n    for i in range(n):\n        s = s + i\n    return s\n",
            """def f(n):
    s = 0
    def for_body(i, s):
        s = s + i
        return s
    s = ab.for_(ab.call(range, n), for_body, (s,), ("s",))
    return s
""",
        ),
        Example(
            "def f(a):\n    for i, v in a:\n        if v > i:\n            return v\n    return 0\n",
            """def f(a):
    def for_body(item):
        i, v = item
        def if_true():
            return ab.RETURN, v
        def if_false():
            return ab.NEXT, ab.no_value
        return ab.if_(v > i, if_true, if_false)
    exit_, value_ = ab.for_(a, for_body, exits=("return",))
    def if_true():
        return ab.returned(value_)
    def if_false():
        return 0
    return ab.if_(exit_ == ab.RETURN, if_true, if_false)
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.For, here: Here, rest: Units) -> LoweredUnit:
        if node.asynchronous is not None:
            work.session.report("AB101", node.iter)
        iterable = work.argument(node.iter, node.iter, here.place)
        target = work.flow.entry(node.target)
        loop = take_apart(work, node, target - 1, target - 1, here)
        before = work.before(here, loop.split, loop.carries)
        (body,) = here.place.fresh("for_body")
        element, first = self._element(work, node, loop)
        inside = replace(loop.here, place=element_place(loop, element))
        function = work.generated(body, (element, *loop.carries), loop.body, inside, node.body, first=first)
        call = work.staged("for_", [iterable, cst.Name(body)], loop.carries, loop.carries)
        return finish(work, loop, call, [*before, function], here, rest, endless=False)

    def _element(self, work: Lowering, node: cst.For, loop: LoopParts) -> tuple[str, list[Statement]]:
        """The parameter for the element, and the assignment of the user's target from it where they differ."""
        target = node.target
        plain = isinstance(target, cst.Name) and target.value in work.names(loop.split.own)
        if isinstance(target, cst.Name) and plain and target.value not in loop.carries:
            return target.value, []
        (item,) = loop.here.place.fresh("item")
        reader = Reader(work, work.flow.entry(target), loop.here.place)
        statement = assign_to(work.target(reader, target), name(item))
        work.session.origin[statement.body[0]] = target
        return item, [statement]
