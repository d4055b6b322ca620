"""Program to Program, between tracing and lowering."""

from __future__ import annotations

from anabranch._deep import deep
from anabranch.runtime.ir import Program
from anabranch.runtime.optimise.branches import select_small_branches
from anabranch.runtime.optimise.common import compute_once
from anabranch.runtime.optimise.constants import compute_constants
from anabranch.runtime.optimise.dead_code import drop_dead_code
from anabranch.runtime.optimise.folds import fold_reductions
from anabranch.runtime.optimise.overlaps import keep_blocks_apart
from anabranch.runtime.optimise.selects import shorten_selects
from anabranch.runtime.optimise.unspecified import hand_on_unspecified

# In this order: each pass leaves work for the next.
PASSES = (
    hand_on_unspecified,
    select_small_branches,
    shorten_selects,
    compute_constants,
    compute_once,
    fold_reductions,
    drop_dead_code,
    keep_blocks_apart,
)


def optimise(program: Program) -> Program:
    """The Program that is lowered; it computes the same."""
    with deep():
        for run in PASSES:
            program = run(program)
    return program
