"""Lists and arrays that get a length known only at run time, where a loop or a branch cannot do without."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from anabranch.runtime.control.loops.loop_state import LoopStatement, LoopTypes
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure, capacity_of
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.dynamic_shapes.length_permission import may_grow
from anabranch.runtime.values.heap.snapshot import Attempt
from anabranch.runtime.values.pytrees import layout as layouts, layout_join
from anabranch.runtime.values.pytrees.padded_union import PaddedStructure

T = TypeVar("T")
# A loop whose number of steps is bounded gives its lists capacity for all of them, up to so many.
_MOST = 1 << 20
_MOST_BYTES = 1 << 26


def prefer_fixed_lengths(
    with_fixed_lengths: Callable[[], T], with_growable_lists: Callable[[], T], site: Hashable, *roots: object
) -> T:
    """`with_fixed_lengths()`, in which lists keep their lengths; where one must not, `with_growable_lists()`.

    Both are ways to stage one loop: `site` tells it from others, and `roots` lead to what its steps may change.
    """
    trace = current().trace
    grows, failed = trace.lists.grow_here, trace.loops.fixed_failures.get((site, None))
    if failed is not None and not grows:
        trace.lists.wants_growth = True
        raise failed
    if grows and (failed is not None or site in trace.loops.dynamic_list_sites):
        return with_growable_lists()
    trying = Attempt(*roots) if grows else None
    wanted = trace.lists.wants_growth, trace.lists.wants_known
    trace.lists.grow_here = trace.lists.wants_growth = trace.lists.wants_known = False
    try:
        return with_fixed_lengths()
    except AnabranchError as error:
        cannot = trace.lists.wants_growth and not trace.lists.wants_known
        if cannot:
            # Where a loop around this one tries to do without, it fails with this one, which is not to try again.
            trace.loops.fixed_failures[site, None] = error
        if trying is None or not cannot:
            raise
        trying.undo()
    finally:
        trace.lists.grow_here = grows
        if not grows:
            trace.lists.wants_growth, trace.lists.wants_known = (
                trace.lists.wants_growth or wanted[0],
                trace.lists.wants_known or wanted[1],
            )
    return with_growable_lists()


def with_capacity(
    before: layouts.Layout, after: layouts.Layout, entry: int, loop: LoopStatement, types: LoopTypes
) -> layouts.Layout:
    """The layout of a carry, where lists that get longer in a step have capacity for all steps."""
    numbers = itertools.count()

    def walk(old: layouts.Layout | None, new: layouts.Layout) -> layouts.Layout:
        if isinstance(new, layouts.Union):
            new = _of_one_rank(new)
        if isinstance(new, layouts.Union):
            return layouts.Union(tuple(walk(_alike(old, o), o) for o in new.options))
        if not isinstance(new, layouts.Node):
            return new
        if isinstance(new.structure, PaddedStructure):
            return _array_with_capacity(
                old, new, f"the array {types.name(entry)} ({entry}, {next(numbers)})", loop, types
            )
        if isinstance(new.structure, ItemsStructure):
            return _list_with_capacity(old, new, entry, next(numbers), loop, types)
        same = isinstance(old, layouts.Node) and len(old.children) == len(new.children)
        rows: Sequence[layouts.Layout | None] = (
            old.children if same and isinstance(old, layouts.Node) else [None] * len(new.children)
        )
        if isinstance(old, layouts.Node) and new.structure.keys == ("items",) and not old.structure.is_dynamic_list:
            rows = [old]
        return layouts.Node(new.structure, tuple(map(walk, rows, new.children)), new.source)

    return walk(before, after)


def _alike(old: layouts.Layout | None, option: layouts.Layout) -> layouts.Layout | None:
    """Of what was carried before, the array of as many axes as one of the alternatives after a step."""
    size = layouts.sizes(option)
    rest = old.options if isinstance(old, layouts.Union) else (old,)
    found = [(o, layouts.sizes(o)) for o in rest if o is not None]
    return next((o for o, s in found if s and size and len(s.run_time) == len(size.run_time)), None)


def _of_one_rank(new: layouts.Union) -> layouts.Layout:
    """Arrays of several shapes as one whose size is known only at run time."""
    options: list[layouts.Layout] = []
    for option in new.options:
        size = layouts.sizes(option)
        for i, other in enumerate(options):
            against = None if size is None else layouts.sizes(other)
            if size is None or against is None or len(size.run_time) != len(against.run_time) or not may_grow():
                continue
            both = layout_join.padded(against, size)
            if both is not None:
                options[i] = both
                break
        else:
            options.append(option)
    return options[0] if len(options) == 1 else layouts.Union(tuple(options))


def _array_with_capacity(
    old: layouts.Layout | None, new: layouts.Node, what: str, loop: LoopStatement, types: LoopTypes
) -> layouts.Layout:
    """The layout of an array that gets longer in a step, with capacity for all steps."""
    structure, before = new.structure, None if old is None else layouts.sizes(old)
    assert isinstance(structure, PaddedStructure)
    if any(structure.requests) or before is None or len(before.run_time) != len(structure.kinds):
        return new
    requests: list[Capacity | None] = []
    for axis, (start, size) in enumerate(zip(before.abstract.shape, structure.extra, strict=True)):
        if size <= start:
            requests.append(None)
            continue
        which, most = f"{what} along axis {axis}", start + loop.most * (size - start)
        asked = _capacity(which, most)
        requests.append(dataclasses.replace(asked, size=max(asked.size, size)))
    if not any(requests):
        return new
    types.requests += [r for r in requests if r is not None]
    capacity = tuple(n if r is None else r.size for n, r in zip(structure.extra, requests, strict=True))
    abstract = layouts.numeric(new.children[0])
    assert abstract is not None
    return layout_join.of_padded(dataclasses.replace(structure, extra=capacity, requests=tuple(requests)), abstract)


def _list_with_capacity(
    old: layouts.Layout | None, new: layouts.Node, entry: int, number: int, loop: LoopStatement, types: LoopTypes
) -> layouts.Layout:
    """The layout of a list that gets longer in a step, with capacity for all steps."""
    structure, what = new.structure, f"the list {types.name(entry)} ({entry}, {number})"
    assert isinstance(structure, ItemsStructure)
    if structure.request is not None or structure.fixed:
        return new
    start = capacity_of(old) if isinstance(old, layouts.Node) else 0
    gain = structure.capacity - start
    if gain <= 0 and isinstance(old, layouts.Node):
        return new
    most = start + loop.most * max(gain, 1)
    current().trace.loops.gains.setdefault((loop.site, entry, number), max(gain, 1))
    # A list that a step changes, and does not replace, is mostly appended to: with others, if there are any.
    size = sum(leaf.size * leaf.dtype.itemsize for kind in structure.variants for leaf in layouts.leaf_types(kind))
    asked = _capacity(what, most, size, grows_together=entry >= 2 + len(loop.init))
    # One that is dynamic before the loop may have places left; the same capacity is the same type in loop after loop.
    least = start if _is_of_dynamic_length(old) else structure.capacity
    request = dataclasses.replace(asked, size=max(asked.size, least))
    types.requests.append(request)
    return dataclasses.replace(structure, capacity=request.size, request=request).layout


def _capacity(what: str, most: int, size: int = 1, grows_together: bool = False) -> Capacity:
    place = dataclasses.replace(capacity_requests.place_of(what), grows_together=grows_together)
    is_small = most <= _MOST and most * size <= _MOST_BYTES
    return capacity_requests.bounded(place, most) if is_small else capacity_requests.at(what, place)


def _is_of_dynamic_length(layout: layouts.Layout | None) -> bool:
    structure = layout.structure if isinstance(layout, layouts.Node) else None
    return isinstance(structure, ItemsStructure) and not structure.fixed


def without_capacity_request(layout: layouts.Layout, requests: Sequence[Capacity]) -> layouts.Layout:
    """The layout after the loop that chose these capacities."""
    match layout:
        case layouts.Node(ItemsStructure() as structure):
            fixed = any(structure.request is r for r in requests)
            return dataclasses.replace(structure, request=None).layout if fixed else layout
        case layouts.Node(PaddedStructure() as structure, children):
            fixed = any(r is request for r in structure.requests if r is not None for request in requests)
            return layouts.Node(dataclasses.replace(structure, requests=()), children) if fixed else layout
    return layouts.mapped(layout, lambda part: without_capacity_request(part, requests))
