"""When a list gets a length known only at run time: where a loop, or a branch outside of all, cannot do without."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from anabranch.runtime.control.loop_state import Loop, LoopTypes
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.trace import current
from anabranch.runtime.values import capacities, layout as layouts
from anabranch.runtime.values.heap import Heap
from anabranch.runtime.values.items import ItemsStructure, capacity_of, may_grow

T = TypeVar("T")
# A loop whose number of steps is bounded gives its lists room for all of them, up to so many.
_MOST = 1 << 20


def unless(without: Callable[[], T], grown: Callable[[], T], body: Callable[..., Any], state: tuple[Any, ...]) -> T:
    """`without()`, in which lists keep their lengths; where one must not, `grown()`.

    `body` and `state` are the loop's, which both are ways to stage.
    """
    builder = current()
    trace = builder.trace
    if not trace.lists_grow:
        return without()
    if body.__code__ in trace.growing_sites:
        return grown()
    before, heap = builder.checkpoint(), Heap((body, state, *trace.roots))
    trace.lists_grow = trace.wants_growth = trace.wants_known = False
    try:
        return without()
    except AnabranchError:
        if trace.wants_known or not trace.wants_growth:
            raise
    finally:
        trace.lists_grow = True
    builder.rollback(before)
    heap.restore()
    after = grown()
    trace.growing_sites.add(body.__code__)
    return after


def of_one_rank(layout: layouts.Layout) -> layouts.Layout:
    """Arrays of different shapes that a loop carries as one whose size is known only at run time, where it must be."""
    if not isinstance(layout, layouts.Choice):
        return layout
    made = layouts.of_run_time_size(layout)
    return made if made is not None and may_grow() else layout


def with_room(
    before: layouts.Layout, after: layouts.Layout, entry: int, loop: Loop, types: LoopTypes
) -> layouts.Layout:
    """What a loop carries, where lists that get longer in a step have room for all steps."""
    numbers = itertools.count()

    def walk(old: layouts.Layout | None, new: layouts.Layout) -> layouts.Layout:
        if isinstance(new, layouts.Choice):
            return layouts.Choice(tuple(walk(None, o) for o in new.options))
        if not isinstance(new, layouts.Node):
            return new
        if isinstance(new.structure, ItemsStructure):
            return _roomy(old, new, f"the list {types.name(entry)} ({entry}, {next(numbers)})", loop, types)
        same = isinstance(old, layouts.Node) and len(old.children) == len(new.children)
        rows: Sequence[layouts.Layout | None] = (
            old.children if same and isinstance(old, layouts.Node) else [None] * len(new.children)
        )
        if isinstance(old, layouts.Node) and new.structure.keys == ("items",) and old.structure.keys != ("items",):
            rows = [old]
        return layouts.Node(new.structure, tuple(map(walk, rows, new.children)), new.source)

    return walk(before, after)


def _roomy(old: layouts.Layout | None, new: layouts.Node, what: str, loop: Loop, types: LoopTypes) -> layouts.Layout:
    structure = new.structure
    assert isinstance(structure, ItemsStructure)
    if structure.room is not None:
        return new
    start = capacity_of(old) if isinstance(old, layouts.Node) else 0
    gain = structure.capacity - start
    if gain <= 0 and isinstance(old, layouts.Node):
        return new
    most = start + loop.most * max(gain, 1)
    asked = capacities.bounded(what, most) if most <= _MOST else capacities.at(what)
    room = dataclasses.replace(asked, size=max(asked.size, structure.capacity))
    types.rooms.append(room)
    return dataclasses.replace(structure, capacity=room.size, room=room).layout


def without_room(layout: layouts.Layout, rooms: list[Any]) -> layouts.Layout:
    """The layout after the loop that gave this room."""
    match layout:
        case layouts.Node(structure, children, source):
            if isinstance(structure, ItemsStructure):
                fixed = any(structure.room is r for r in rooms)
                return dataclasses.replace(structure, room=None).layout if fixed else layout
            return layouts.Node(structure, tuple(without_room(c, rooms) for c in children), source)
        case layouts.Choice(options):
            return layouts.Choice(tuple(without_room(o, rooms) for o in options))
    return layout
