"""Which places in the user's code make lists that lie in an arena."""

from __future__ import annotations

import collections
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.columnar import arena_sites
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.control.list_arenas.arena import ListArena
from anabranch.runtime.control.list_arenas.arena_list import placed
from anabranch.runtime.tracing.builder import Trace, tracing
from anabranch.runtime.tracing.source_frames import place


def growing(values: object) -> Value:
    """The list (or deque) as one that may grow, in the arena of the place that makes it; outside of tracing, itself."""
    made = dynamic_list.growing(values)
    return placed(made) if tracing() else made


class GrowingFactory:
    """The factory of a defaultdict's lists or deques, which may grow."""

    def __init__(self, native: type[Any]) -> None:
        self.native = native

    def __call__(self) -> Value:
        return growing(self.native())


class SharedFactory(GrowingFactory):
    """That of lists which are the same objects in the dict and elsewhere, after the call, too: they lie in an arena."""

    def __call__(self) -> Value:
        arena_sites.need({place()})
        return super().__call__()


GROWING: dict[Any, GrowingFactory] = {kind: GrowingFactory(kind) for kind in (list, collections.deque)}


def make_arenas(trace: Trace) -> None:
    """Make the arenas before anything is traced: branches and loops change what was there before them."""
    for site in trace.lists.arena_sites or ():
        arena = trace.lists.arenas[site] = ListArena()
        trace.heap.roots += arena.parts
