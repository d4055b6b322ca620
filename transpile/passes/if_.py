"""`if`: each branch becomes a function that takes the names it needs and returns the names that it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.block_values import Frame, NotingFrame, ResultFrame, inside
from anabranch.transpile.blocks import Exit, Propagate, ReadyIf, Units, exits_of, falls_through, orelse_of, units_of
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering, Split
from anabranch.transpile.nodes import Statement, assign, line
from anabranch.transpile.passes.base import Example, StatementPass


@frozen
class Branch:
    """One side of an `if`: its units, and the layout around them."""

    units: Units
    like: cst.BaseSuite | None = None
    leading: Sequence[cst.EmptyLine] = ()


@frozen
class Fork:
    """An `if`, the user's or a synthetic one, with its test rewritten."""

    test: cst.BaseExpression
    true: Branch
    false: Branch
    origin: cst.CSTNode


class If(StatementPass[cst.If]):
    """The branches of an if become functions; where one leaves, the rest of the block moves into the other."""

    handles = (cst.If,)
    examples = (
        Example(
            "def f(x, y):\n    if x > 0:\n        y = y * 2  # twice\n    return y\n",
            """def f(x, y):
    def if_true(y):
        y = y * 2  # twice
        return y
    def if_false(y):
        return y
    y = ab.if_(x > 0, if_true, if_false, (y,), ("y",))
    return y
""",
        ),
        Example(
            "def f(x):\n    if x > 0:\n        return x * 2\n    return x - 1\n",
            """def f(x):
    def if_true():
        return x * 2
    def if_false():
        return x - 1
    return ab.if_(x > 0, if_true, if_false)
""",
        ),
        Example(
            "def f(x):\n    if x > 0:\n        if x > 10:\n            return 1\n        x = x + 1\n    return x\n",
            """def f(x):
    def if_true(x):
        def if_true(x):
            return ab.RETURN, 1, x
        def if_false(x):
            x = x + 1
            return ab.NEXT, ab.no_value, x
        return ab.if_(x > 10, if_true, if_false, (x,))
    def if_false(x):
        return ab.NEXT, ab.no_value, x
    exit_, value_, x = ab.if_(x > 0, if_true, if_false, (x,), ("exit_", "value_", "x"))
    def if_true_2():
        return x
    def if_false_2():
        return ab.returned(value_)
    return ab.if_(exit_ == ab.NEXT, if_true_2, if_false_2)
""",
        ),
    )

    def lower(self, work: Lowering, node: cst.If, here: Here, rest: Units) -> LoweredUnit:
        orelse = node.orelse
        false = Branch(orelse_of(orelse))
        if isinstance(orelse, cst.Else):
            false = Branch(units_of(orelse.body), orelse.body, orelse.leading_lines)
        test = work.test(node.test, here.place)
        fork = Fork(test, Branch(units_of(node.body), node.body), false, node.test)
        return lower_fork(work, fork, here, rest)


class SyntheticIf(StatementPass[ReadyIf]):
    """The rest of a block after an exit may have been taken stands in an if on the exit code."""

    handles = (ReadyIf,)

    def lower(self, work: Lowering, node: ReadyIf, here: Here, rest: Units) -> LoweredUnit:
        fork = Fork(node.test, Branch(node.body), Branch(node.orelse), node.origin)
        return lower_fork(work, fork, here, rest)


class Propagation(StatementPass[Propagate]):
    """An exit noted in a variable goes on outwards."""

    handles = (Propagate,)

    def lower(self, work: Lowering, node: Propagate, here: Here, rest: Units) -> LoweredUnit:
        return LoweredUnit(here.frame.propagate(node), None)


def lower_fork(work: Lowering, fork: Fork, here: Here, rest: Units) -> LoweredUnit:
    """Choose the form: flat, in tail position with the rest absorbed, or with an exit code."""
    true, false = fork.true, fork.false
    if not exits_of(true.units + false.units):
        return LoweredUnit(_flat(work, fork, here, work.regions.entries(rest, here.after)), rest)
    if rest and falls_through(true.units) and falls_through(false.units):
        return _coded(work, fork, here, rest)
    true = replace(true, units=true.units + rest) if falls_through(true.units) else true
    false = replace(false, units=false.units + rest) if falls_through(false.units) else false
    return LoweredUnit(_tail(work, replace(fork, true=true, false=false), here), None)


def _split(work: Lowering, fork: Fork, here: Here, after: frozenset[int]) -> Split:
    return work.split([(fork.true.units, after), (fork.false.units, after)], here.place)


def _flat(work: Lowering, fork: Fork, here: Here, after: frozenset[int]) -> list[Statement]:
    """No exits: `y = ab.if_(test, if_true, if_false, (y,), ("y",))`."""
    split = _split(work, fork, here, after)
    outs = work.names(split.own & split.live_out)
    frame = ResultFrame(replace(work.layout, outs=outs))
    return _assigned(work, fork, split, Here(frame, here.place, after), outs)


def _coded(work: Lowering, fork: Fork, here: Here, rest: Units) -> LoweredUnit:
    """Both branches may fall through and one may leave: the exit code says whether the rest is for us."""
    after = work.regions.entries(rest, here.after)
    exits = exits_of(fork.true.units + fork.false.units)
    split = _split(work, fork, here, after)
    layout = replace(work.layout, coded=True, valued=Exit.RETURN in exits, outs=work.names(split.own & split.live_out))
    code, value = here.place.fresh_outwards("exit_", "value_")
    targets = layout.targets(code, value if layout.valued else None)
    statements = _assigned(work, fork, split, Here(ResultFrame(layout), here.place, after), targets)
    leave = Propagate(code, value if layout.valued else None, exits, fork.origin)
    return LoweredUnit(statements, (ReadyIf(work.comparison(code, Exit.NEXT), rest, (leave,), fork.origin),))


def _tail(work: Lowering, fork: Fork, here: Here) -> list[Statement]:
    """Nothing follows in this block: the branches deliver for it."""
    split = _split(work, fork, here, here.after)
    frame = here.frame
    if isinstance(frame, NotingFrame):
        layout = replace(frame.layout, outs=work.names(split.own & split.live_out))
        targets = layout.targets(frame.code, frame.value)
        return _assigned(work, fork, split, Here(ResultFrame(layout), here.place, here.after), targets)
    before, call_ = _forked(work, fork, split, replace(here, frame=inside(frame)), ())
    return [*before, line(cst.Return(call_))]


def _assigned(work: Lowering, fork: Fork, split: Split, here: Here, targets: tuple[str, ...]) -> list[Statement]:
    before, call_ = _forked(work, fork, split, here, targets)
    return [*before, assign(targets, call_)]


def _forked(
    work: Lowering, fork: Fork, split: Split, here: Here, names: tuple[str, ...]
) -> tuple[list[Statement], cst.Call]:
    """The two functions, and the call; `here.frame` is what they deliver to."""
    frame: Frame = here.frame
    arguments = work.arguments(split, frame.outs)
    before = work.before(here, split, arguments)
    functions = here.place.fresh("if_true", "if_false")
    for function, branch in zip(functions, (fork.true, fork.false), strict=True):
        place = here.place.inner(split.region, arguments, split.shared)
        before.append(
            work.generated(
                function, arguments, branch.units, Here(frame, place, here.after), branch.like, branch.leading
            )
        )
        work.session.origin[before[-1]] = fork.origin
    heads = [fork.test, *(cst.Name(f) for f in functions)]
    return before, work.staged("if_", heads, arguments, names)
