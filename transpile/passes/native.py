"""Statements that stay and have their blocks rewritten in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import libcst as cst

from anabranch.transpile.block_values import Frame, InPlace, NotingFrame, ResultFrame
from anabranch.transpile.blocks import Exit, Propagate, ReadyIf, Units, exits_of, falls_through
from anabranch.transpile.enclosing_functions import BoundNames
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering, head_of
from anabranch.transpile.nodes import Statement, line


def frame_for(work: Lowering, here: Here, blocks: Sequence[Units]) -> Frame:
    """How the blocks of a statement leave: natively where each of them always does, else by noting the exit."""
    leaving = [block for block in blocks if exits_of(block)]
    if not leaving:
        return InPlace()
    if not isinstance(here.frame, NotingFrame) and not any(falls_through(block) for block in leaving):
        return here.frame
    code, value = here.place.fresh_outwards("exit_", "value_")
    valued = any(Exit.RETURN in exits_of(block) for block in leaving)
    return NotingFrame(replace(work.layout, coded=True, valued=valued), code, value if valued else None)


def block_in_place(
    work: Lowering, units: Units, suite: cst.BaseSuite, frame: Frame, here: Here, after: frozenset[int]
) -> cst.IndentedBlock:
    """A block that stays where it is, its units rewritten."""
    if not exits_of(units):
        frame = InPlace()
    with _inside(here.place):
        statements: list[Statement] = work.block(units, Here(frame, here.place, after))
    body = statements or [line(cst.Pass())]
    return suite.with_changes(body=body) if isinstance(suite, cst.IndentedBlock) else cst.IndentedBlock(body)


def followed(
    work: Lowering,
    statement: Statement,
    frame: Frame,
    here: Here,
    blocks: Sequence[Units],
    unit: cst.With,
    rest: Units,
) -> LoweredUnit:
    """The statement, and after it the rest of the block, which waits for an exit that was noted inside."""
    if not isinstance(frame, NotingFrame):
        return LoweredUnit([statement], rest)
    exits = frozenset().union(*(exits_of(block) for block in blocks))
    if not rest and isinstance(here.frame, ResultFrame) and not here.frame.layout.coded:
        # A loop body with nothing left to do: going on and `continue` give the same.
        return LoweredUnit([frame.start(), statement], rest)
    origin = head_of(unit)
    leave = Propagate(frame.code, frame.value, exits, origin)
    choice = ReadyIf(work.comparison(frame.code, Exit.NEXT), rest, (leave,), origin)
    # The test of the exit code is reached on every way, also on those that have not bound what the rest goes on with.
    region = work.regions.region([((unit,), frozenset())])
    assigned = work.flow.assigned(region) & work.flow.assigned(work.regions.region([(rest, frozenset())]))
    names = here.place.to_initialise(work.flow, region, work.names(assigned))
    return LoweredUnit([*work.undefined(names), frame.start(), statement], (choice,))


@contextmanager
def _inside(place: BoundNames) -> Iterator[None]:
    before = set(place.initialised)
    place.native_depth += 1
    yield
    place.native_depth -= 1
    if place.region is not None:
        place.initialised &= before  # the block may have been left before
