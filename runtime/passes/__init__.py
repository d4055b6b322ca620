"""Program to Program, between tracing and lowering."""

from __future__ import annotations

from anabranch.base.deep_stack import deep
from anabranch.runtime.ir.program import Program
from anabranch.runtime.passes.constant_folding import compute_constants
from anabranch.runtime.passes.copy_insertion import keep_blocks_apart
from anabranch.runtime.passes.cse import compute_once
from anabranch.runtime.passes.dce import drop_dead_code
from anabranch.runtime.passes.if_conversion import select_small_branches
from anabranch.runtime.passes.reduction_fusion import fold_reductions
from anabranch.runtime.passes.select_simplify import shorten_selects
from anabranch.runtime.passes.undef_propagation import hand_on_unspecified

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
