"""The lists that the user's code makes, which may lie in arenas."""

from __future__ import annotations

import collections
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists import dynamic_list, growable_deque
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import demand
from anabranch.runtime.tracing.source_frames import place


def growing(values: object) -> Value:
    """The list (or deque) as one that may grow, in the arena of the place that makes it; outside of tracing, itself."""
    made = growable_deque.growing(values)
    return dynamic_list.placed(made) if tracing() else made


class GrowingFactory:
    """The factory of a defaultdict's lists or deques, which may grow."""

    def __init__(self, native: type[Any]) -> None:
        self.native = native

    def __call__(self) -> Value:
        return growing(self.native())


class SharedFactory(GrowingFactory):
    """That of lists which are the same objects in the dict and elsewhere, after the call, too: they lie in an arena."""

    def __call__(self) -> Value:
        demand(current().trace.lists.arena_sites, {place()})
        return super().__call__()


GROWING: dict[Any, GrowingFactory] = {kind: GrowingFactory(kind) for kind in (list, collections.deque)}
