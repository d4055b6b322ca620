"""The conditional expression `a if test else b`."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.truth import truth
from anabranch.runtime.control.if_ import where


def ifexp(test: object, then: Callable[[], object], orelse: Callable[[], object]) -> Value:
    """The value of one of two expressions, each evaluated only when it is chosen."""
    decided = truth(test)
    if isinstance(decided, bool):
        return then() if decided else orelse()
    return stage_branches.stage(decided, (orelse, then), f"the conditional expression at {where(then)}")
