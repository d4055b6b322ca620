"""Program to Program, between tracing and lowering."""

from __future__ import annotations

from anabranch.base.deep_stack import deep
from anabranch.runtime.ir.program import Program
from anabranch.runtime.passes.constant_folding import fold_constants
from anabranch.runtime.passes.copy_insertion import insert_copies
from anabranch.runtime.passes.cse import eliminate_common_subexpressions
from anabranch.runtime.passes.dce import eliminate_dead_code
from anabranch.runtime.passes.if_conversion import convert_small_branches
from anabranch.runtime.passes.reduction_fusion import fuse_reductions
from anabranch.runtime.passes.select_simplify import simplify_selects
from anabranch.runtime.passes.undef_propagation import propagate_undef

# In this order: each pass leaves work for the next.
PASSES = (
    propagate_undef,
    convert_small_branches,
    simplify_selects,
    fold_constants,
    eliminate_common_subexpressions,
    fuse_reductions,
    eliminate_dead_code,
    insert_copies,
)


def optimise(program: Program) -> Program:
    """The Program that is lowered; it computes the same."""
    with deep():
        for run in PASSES:
            program = run(program)
    return program
