"""The common part of `while` and `for`: the carries, the exits, and what follows the loop."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from anabranch.base.frozen import frozen
from anabranch.transpile.block_values import Layout, ResultFrame, UserFrame
from anabranch.transpile.blocks import Exit, Exits, Propagate, ReadyIf, Unit, Units, exits_of, units_of
from anabranch.transpile.data_flow import Region
from anabranch.transpile.enclosing_functions import BoundNames
from anabranch.transpile.lowering import Here, LoweredUnit, Lowering, Split, exits_argument
from anabranch.transpile.nodes import Statement, assign, children


@frozen
class LoopParts:
    """A loop taken apart: the names it carries, the exits it has beside its own end, and its body's surroundings."""

    node: cst.While | cst.For
    split: Split
    carries: tuple[str, ...]
    exits: Exits
    layout: Layout
    here: Here

    @property
    def body(self) -> Units:
        return units_of(self.node.body)


def take_apart(work: Lowering, node: cst.While | cst.For, head: int, first: int, here: Here) -> LoopParts:
    """Carries are names that the loop assigns and that are live at its head or where it is left."""
    last = max((n for u in units_of(node.body) for n in work.regions.nodes([u])), default=head)
    split = work.split_region(Region(frozenset(range(first, last + 1)), frozenset({head})), here.place)
    carries = work.names(split.own & (split.live_in | split.live_out))
    exits = exits_of(units_of(node.body)) & {Exit.BREAK, Exit.RETURN}
    layout = replace(work.layout, coded=bool(exits), valued=Exit.RETURN in exits, outs=carries)
    place = here.place.inner(split.region, carries, split.shared)
    return LoopParts(node, split, carries, exits, layout, Here(ResultFrame(layout), place, frozenset({head})))


def element_place(loop: LoopParts, element: str) -> BoundNames:
    """The body's function with one more parameter."""
    place = loop.here.place
    return replace(place, parameters=place.parameters | {element})


def finish(
    work: Lowering, loop: LoopParts, call: cst.Call, before: list[Statement], here: Here, rest: Units, endless: bool
) -> LoweredUnit:
    """The call of the loop, and what becomes of the units after it."""
    origin = loop.node.test if isinstance(loop.node, cst.While) else loop.node.iter
    orelse = work.reached(units_of(loop.node.orelse.body)) if loop.node.orelse is not None else ()
    if not loop.exits:
        return LoweredUnit([*before, assign(loop.carries, call)], () if endless else orelse + rest)
    code, value = here.place.fresh_outwards("exit_", "value_")
    noted = value if loop.layout.valued else None
    call = call.with_changes(args=[*call.args, exits_argument(loop.exits)])
    statements = [*before, assign(loop.layout.targets(code, noted), call)]
    following: list[Unit] = list(orelse)
    if orelse and Exit.BREAK in loop.exits:
        following = [ReadyIf(work.comparison(code, Exit.NEXT), orelse, (), origin)]
    following += rest
    if isinstance(here.frame, UserFrame) and not following and work.is_generator and not _returns_value(loop.node):
        # The last statement of a generator, which returns nothing by either way.
        return LoweredUnit(statements, ())
    if Exit.RETURN in loop.exits:
        leave = Propagate(code, noted, frozenset({Exit.RETURN}), origin)
        if endless and Exit.BREAK not in loop.exits:
            return LoweredUnit(statements, (leave,))
        following = [ReadyIf(work.comparison(code, Exit.RETURN), (leave,), tuple(following), origin)]
    return LoweredUnit(statements, tuple(following))


def _returns_value(node: cst.CSTNode) -> bool:
    """Return whether a `return` in a loop, those of functions inside it left out, has a value."""
    if isinstance(node, cst.Return):
        return node.value is not None
    return any(
        _returns_value(child)
        for child in children(node)
        if not isinstance(child, (cst.FunctionDef, cst.Lambda, cst.ClassDef))
    )
