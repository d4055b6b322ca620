"""Program to Program, between tracing and lowering."""

from __future__ import annotations

from collections.abc import Callable, Collection

from anabranch.base.deep_stack import deep
from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Program
from anabranch.runtime.passes.check_discharge import discharge_checks, has_no_checks
from anabranch.runtime.passes.check_elimination import eliminate_checks, has_no_needless_checks
from anabranch.runtime.passes.check_proofs import has_no_impossible_failures, prove_checks
from anabranch.runtime.passes.constant_folding import fold_constants, has_no_constant_work
from anabranch.runtime.passes.copy_insertion import has_no_overlaps, insert_copies
from anabranch.runtime.passes.cse import eliminate_common_subexpressions, has_no_repeats
from anabranch.runtime.passes.dce import eliminate_dead_code, has_no_dead_code
from anabranch.runtime.passes.if_conversion import convert_small_branches, has_no_small_branches
from anabranch.runtime.passes.invariant_forwarding import forward_invariants, has_no_invariants
from anabranch.runtime.passes.load_forwarding import forward_loads, has_no_loads_to_forward
from anabranch.runtime.passes.load_ordering import has_no_loads_to_order, order_loads
from anabranch.runtime.passes.loop_sinking import has_no_carries_to_sink, sink_carries
from anabranch.runtime.passes.reduction_fusion import fuse_reductions, has_no_fusible_reductions
from anabranch.runtime.passes.select_simplify import has_simple_selects, simplify_selects
from anabranch.runtime.passes.undef_propagation import has_no_undef_to_fill, propagate_undef


@frozen
class Pass:
    """A pass: the Program that it returns computes the same as the one it is given.

    Attributes
    ----------
    run : callable
    holds : callable
        Returns whether a Program is as `run` leaves it.
    """

    run: Callable[[Program], Program]
    holds: Callable[[Program], bool]

    @property
    def name(self) -> str:
        """The name of the pass's module, by which it is disabled."""
        return self.run.__module__.rpartition(".")[2]


# In this order: each pass leaves work for the next. No pass needs another one to have run.
PASSES = (
    Pass(eliminate_checks, has_no_needless_checks),
    Pass(prove_checks, has_no_impossible_failures),
    Pass(forward_invariants, has_no_invariants),
    Pass(discharge_checks, has_no_checks),
    Pass(sink_carries, has_no_carries_to_sink),
    Pass(propagate_undef, has_no_undef_to_fill),
    Pass(convert_small_branches, has_no_small_branches),
    Pass(simplify_selects, has_simple_selects),
    Pass(fold_constants, has_no_constant_work),
    Pass(eliminate_common_subexpressions, has_no_repeats),
    Pass(forward_loads, has_no_loads_to_forward),
    Pass(fuse_reductions, has_no_fusible_reductions),
    Pass(eliminate_dead_code, has_no_dead_code),
    Pass(order_loads, has_no_loads_to_order),
)
# What XLA needs for a right result, after all others.
LEGALIZATION = Pass(insert_copies, has_no_overlaps)


def optimise(program: Program, disabled: Collection[str] = ()) -> Program:
    """The Program that is lowered; it computes the same.

    Parameters
    ----------
    program
    disabled
        The names of passes that are left out.

    Raises
    ------
    ValueError
        For a name that no pass has.
    """
    names = [one.name for one in PASSES]
    for name in disabled:
        if name not in names:
            raise ValueError(f"there is no pass '{name}' to disable; there are {', '.join(names)}")
    with deep():
        for one in PASSES:
            if one.name not in disabled:
                program = one.run(program)
        return LEGALIZATION.run(program)
