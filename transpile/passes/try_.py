"""`try`: the statement stays native."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from anabranch.transpile.blocks import Choice, Exit, Propagate, Units, exits_of, falls, orelse_of, try_blocks, units_of
from anabranch.transpile.frames import Frame, NotingFrame
from anabranch.transpile.lowering import Here, Lowering, Step
from anabranch.transpile.names import bound_names
from anabranch.transpile.nodes import assign, name
from anabranch.transpile.passes.base import Example, StatementPass
from anabranch.transpile.passes.native import block_in_place, followed, frame_for
from anabranch.transpile.reader import Reader


@dataclass(frozen=True, slots=True)
class _Around:
    """What the blocks of one try statement share."""

    frame: Frame
    here: Here
    after: frozenset[int]


class Try(StatementPass):
    """A try statement stays; its blocks are rewritten in place, its body is marked where it has handlers."""

    handles = (cst.Try,)
    examples = (
        Example(
            "def f(x):\n    try:\n        y = not x\n    except ValueError:\n        y = x\n    return y\n",
            """def f(x):
    try:
        with ab.try_block():
            y = ab.not_(x)
    except ValueError:
        y = x
    return y
""",
        ),
        Example(
            "def f(n, s):\n    for i in n:\n        try:\n            if i:\n                continue\n"
            "            s = s + i\n        finally:\n            s = s + 1\n    return s\n",
            """def f(n, s):
    def for_body(i, s):
        exit_ = ab.NEXT
        try:
            def if_true(s):
                return ab.CONTINUE, s
            def if_false(s):
                s = s + i
                return ab.NEXT, s
            exit_, s = ab.if_(i, if_true, if_false, (s,), ("exit_", "s"))
        finally:
            s = s + 1
        return s
    s = ab.for_(n, for_body, (s,), ("s",))
    return s
""",
        ),
    )

    def lower(self, work: Lowering, node: object, here: Here, rest: Units) -> Step:
        assert isinstance(node, cst.Try)
        blocks = try_blocks(node)
        if exits_of(blocks[-1]):
            work.session.report("AB111", node.finalbody or node)
            return Step([node], rest)
        unbound = {n for h in node.handlers if h.name is not None for n in bound_names(h.name.name)}
        changing = node.finalbody is not None or bool(unbound & set(here.frame.outs))
        frame = frame_for(work, here, blocks, changing)
        after = work.regions.entries(rest, here.after)
        if node.finalbody is not None:
            after = frozenset({work.flow.entry(node.finalbody)})
        around = _Around(frame, here, after)
        handlers = [self._handler(work, handler, around) for handler in node.handlers]
        changed = node.with_changes(
            body=self._body(work, node, around),
            handlers=handlers,
            orelse=self._else(work, node, around),
            finalbody=self._finally(work, node, here, rest),
        )
        step = followed(work, work.derived(changed, node), frame, here, blocks, node, rest)
        ended = not isinstance(frame, NotingFrame) and not falls((node,))
        return Step(step.statements, None) if ended else step

    def _body(self, work: Lowering, node: cst.Try, around: _Around) -> cst.IndentedBlock:
        after = around.after if node.orelse is None else work.regions.entries(orelse_of(node.orelse), around.after)
        block = block_in_place(work, units_of(node.body), node.body, around.frame, around.here, after)
        if not node.handlers:
            return block
        marker = cst.WithItem(cst.Call(work.layout.constant("try_block")))
        marked = cst.With([marker], block)
        return cst.IndentedBlock([work.derived(marked, node)])

    def _else(self, work: Lowering, node: cst.Try, around: _Around) -> cst.Else | None:
        orelse = node.orelse
        if orelse is None:
            return None
        units = work.reached(units_of(orelse.body))
        if not units:
            return None
        if isinstance(around.frame, NotingFrame) and exits_of(units_of(node.body)):
            # An exit that the body has noted would have left before the else.
            frame = around.frame
            noted = Propagate(frame.code, frame.value, exits_of(units_of(node.body)), node)
            units = (Choice(work.comparison(frame.code, Exit.NEXT), units, (noted,), node),)
        body = block_in_place(work, units, orelse.body, around.frame, around.here, around.after)
        return orelse.with_changes(body=body)

    def _finally(self, work: Lowering, node: cst.Try, here: Here, rest: Units) -> cst.Finally | None:
        final = node.finalbody
        if final is None:
            return None
        after = work.regions.entries(rest, here.after)
        body = block_in_place(work, units_of(final.body), final.body, here.frame, here, after)
        return final.with_changes(body=body)

    def _handler(self, work: Lowering, node: cst.ExceptHandler, around: _Around) -> cst.ExceptHandler:
        entry, last = work.flow.nodes(node)[0], work.flow.nodes(node)[-1]
        units = units_of(node.body)
        after = frozenset({last}) if node.name is not None and last in work.flow.graph.unbinding else around.after
        body = block_in_place(work, units, node.body, around.frame, around.here, after)
        kind = node.type
        if kind is not None:
            kind = Reader(work, entry, around.here.place).rewrite(kind)
        changed = work.derived(node.with_changes(type=kind, body=body), node)
        return changed if node.name is None else self._kept_name(work, node.name, changed, last, around)

    def _kept_name(
        self, work: Lowering, asname: cst.AsName, node: cst.ExceptHandler, last: int, around: _Around
    ) -> cst.ExceptHandler:
        """Python unbinds the handler's name at its end; where the name is wanted later it becomes undefined instead."""
        (own,) = bound_names(asname.name)
        bit = work.flow.graph.mask([own])
        graph = work.flow.graph
        wanted = any(work.flow.live_in[after] & bit for after in (*graph.after[last], *graph.raising[last]))
        # A generated function, or the test of a noted exit, may pass the name on although nobody reads it then.
        passed_on = around.here.place.region is not None or isinstance(around.frame, NotingFrame)
        if not bit or not (wanted or passed_on):
            return node
        (error,) = around.here.place.fresh("error")
        assert isinstance(node.body, cst.IndentedBlock)
        unset = work.undefined([own])
        body: list[cst.BaseStatement] = [*node.body.body, *unset]
        if any(work.flow.live_in[target] & bit for target in graph.raising[last]):
            # The name is looked for where an exception out of the handler goes: it must be unset there too.
            body = [cst.Try(node.body, finalbody=cst.Finally(cst.IndentedBlock(unset)))]
        body = [assign([own], name(error)), *body]
        changed = node.with_changes(name=asname.with_changes(name=name(error)), body=node.body.with_changes(body=body))
        return work.derived(changed, node)


class TryStar(StatementPass):
    """except* can't be rewritten."""

    handles = (cst.TryStar,)

    def lower(self, work: Lowering, node: object, here: Here, rest: Units) -> Step:
        assert isinstance(node, cst.TryStar)
        work.session.report("AB110", node.handlers[0])
        return Step([node], rest)
