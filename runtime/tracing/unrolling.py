"""The cost of the unrolled loops of one trace, and the limits on it."""

from __future__ import annotations

import sys
from dataclasses import field

from anabranch.base.frozen import frozen, mutable


@frozen(eq=False)
class UnrollLimit:
    """How many equations and steps unrolled loops may have come to, where that is to be cheap."""

    equations: int
    steps: int
    made: int = sys.maxsize  # equations, those that are computed at once among them

    def is_passed(self, unrolling: Unrolling) -> bool:
        """Return whether the loops of a trace have come to more."""
        return unrolling.equations > self.equations or unrolling.steps > self.steps or unrolling.made > self.made


@mutable
class Unrolling:
    """The equations that unrolled loops have added, and how many they may add."""

    reason: str | None  # why loops with lists that grow are unrolled rather than staged
    equations: int = 0  # how many equations they have added
    steps: int = 0  # how many steps have run, those of attempts that were given up among them
    # How many equations were made at all, those that were computed at once among them, and those of attempts. What
    # takes as long as to make some, such as to begin and end a loop, counts for so many.
    made: int = 0
    limits: list[UnrollLimit] = field(default_factory=list)  # those of the attempts that are under way
    plain: UnrollLimit | None = None  # that on loops run as Python's, where nothing is known only at run time
    is_plain: bool = True  # as far as is known, it may pay to run loops so
    too_costly: str = ""  # what an error says of a loop that could not be unrolled; "" where there is none
