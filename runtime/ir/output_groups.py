"""The outputs of a Program in groups by what they are for."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

from anabranch.base.frozen import frozen

T = TypeVar("T")


@frozen
class OutputGroups:
    """Where each group is among the outputs, in this order; a Program of which nothing is said has results only."""

    # Leaves of the result and of new contents of objects, but for arrays that are an argument or occur twice; several
    # may be one output (`Plan.stacks`).
    results: slice = slice(0, sys.maxsize)
    writes: slice = slice(0, 0)  # new contents of `Plan.mutated`
    draws: slice = slice(0, 0)  # states of `Plan.draws`, which stay after a failure, too
    conditions: slice = slice(0, 0)  # what `Plan.returned_arguments` need
    effects: slice = slice(0, 0)  # for each of `Plan.effects` an error code, and what it shows
    effect_count: slice = slice(0, 0)  # how many effects were done, where they are done while the program runs
    failures: slice = slice(0, 0)  # the error code and what `Plan.details` hold; empty where nothing can fail

    @staticmethod
    def joined(**groups: Sequence[T]) -> tuple[OutputGroups, list[T]]:
        """Return where these groups are, and all outputs."""
        ends = list(itertools.accumulate(map(len, groups.values()), initial=0))
        places = dict(zip(groups, map(slice, ends, ends[1:]), strict=True))
        return OutputGroups(**places), list(itertools.chain(*groups.values()))

    @property
    def others(self) -> slice:
        """All after the results: what the host reads."""
        return slice(self.results.stop, None)

    def named(self, outputs: Sequence[T]) -> Iterator[tuple[str, Sequence[T]]]:
        """Yield each group's name and outputs."""
        for field in dataclasses.fields(self):
            yield field.name, outputs[getattr(self, field.name)]
