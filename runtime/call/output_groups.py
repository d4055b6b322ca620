"""The outputs of a traced Program in groups by what they are for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Atom


@frozen
class OutputGroups:
    """Where each group is among the outputs; the results come first."""

    # Leaves of the result and of new contents of objects, but for arrays that are an argument or occur twice; several
    # may be one output (`Plan.stacks`).
    results: slice
    writes: slice  # new contents of `Plan.mutated`
    conditions: slice  # what `Plan.returned_arguments` need
    effects: slice  # for each of `Plan.effects` an error code, and what it shows
    effect_count: slice  # how many effects were done, where they are done while the program runs
    failures: slice  # the error code and what `Plan.details` hold; empty where nothing can fail

    @staticmethod
    def joined(**groups: Sequence[Atom]) -> tuple[OutputGroups, list[Atom]]:
        """Return where these groups are, and all outputs."""
        ends = list(itertools.accumulate(map(len, groups.values()), initial=0))
        places = dict(zip(groups, map(slice, ends, ends[1:]), strict=True))
        return OutputGroups(**places), list(itertools.chain(*groups.values()))

    @property
    def others(self) -> slice:
        """All after the results: what the host reads."""
        return slice(self.results.stop, None)
