"""Program to Program, between tracing and lowering."""

from __future__ import annotations

from collections.abc import Callable, Collection

from anabranch.base.deep_stack import deep
from anabranch.base.frozen import frozen
from anabranch.runtime.ir.program import Program
from anabranch.runtime.passes.block_materialization import materialize_blocks
from anabranch.runtime.passes.check_discharge import discharge_checks
from anabranch.runtime.passes.check_elimination import eliminate_checks
from anabranch.runtime.passes.check_hoisting import hoist_checks
from anabranch.runtime.passes.check_proofs import prove_checks
from anabranch.runtime.passes.column_storage import store_columns
from anabranch.runtime.passes.constant_folding import fold_constants
from anabranch.runtime.passes.copy_insertion import insert_copies
from anabranch.runtime.passes.cse import eliminate_common_subexpressions
from anabranch.runtime.passes.dce import eliminate_dead_code
from anabranch.runtime.passes.if_conversion import convert_small_branches
from anabranch.runtime.passes.invariant_forwarding import forward_invariants
from anabranch.runtime.passes.invariant_hoisting import hoist_invariants
from anabranch.runtime.passes.load_forwarding import forward_loads
from anabranch.runtime.passes.load_ordering import order_loads
from anabranch.runtime.passes.lookup_tables import compute_tables
from anabranch.runtime.passes.loop_batching import batch_loops
from anabranch.runtime.passes.loop_sinking import sink_carries
from anabranch.runtime.passes.loop_unrolling import unroll_loops
from anabranch.runtime.passes.loop_unswitching import unswitch_loops
from anabranch.runtime.passes.overwritten_fills import drop_overwritten_fills
from anabranch.runtime.passes.rank_inversion import invert_rankings
from anabranch.runtime.passes.reduction_fusion import fuse_reductions
from anabranch.runtime.passes.sealed_loops import outside_element_loops
from anabranch.runtime.passes.search_sinking import sink_searches
from anabranch.runtime.passes.select_simplify import simplify_selects
from anabranch.runtime.passes.slice_composition import compose_slices
from anabranch.runtime.passes.undef_propagation import propagate_undef


@frozen
class Pass:
    """A pass: the Program that it returns computes the same as the one it is given."""

    run: Callable[[Program], Program]  # leaves nothing to do for itself
    # It makes up for what XLA cannot do and LLVM can: loops over single elements need it only without machine code.
    serves_xla: bool = False

    @property
    def name(self) -> str:
        """The name of the pass's module, by which it is disabled."""
        return self.run.__module__.rpartition(".")[2]


@frozen
class Legalization(Pass):
    """A pass without which the result could be wrong; it cannot be disabled."""


# In this order: each pass leaves work for the next. None of those that can be disabled needs another one to have run.
PASSES = (
    Pass(eliminate_checks),
    Pass(prove_checks),
    Pass(hoist_checks),
    Pass(forward_invariants),
    Legalization(discharge_checks),  # what follows a check in a Program relies on it, whether it has failed or not
    Pass(sink_carries),
    Pass(propagate_undef),
    Pass(convert_small_branches, serves_xla=True),
    Pass(simplify_selects, serves_xla=True),
    Pass(hoist_invariants),
    Pass(unroll_loops),
    Pass(invert_rankings),
    Pass(fold_constants),
    Pass(eliminate_common_subexpressions),
    Pass(compose_slices),
    Pass(batch_loops),
    Pass(forward_loads),
    Pass(unswitch_loops),
    Pass(store_columns),
    Pass(compute_tables),
    Pass(fuse_reductions),
    Pass(sink_searches),
    Pass(eliminate_dead_code),
    Pass(drop_overwritten_fills),
    Pass(order_loads, serves_xla=True),
    Pass(materialize_blocks),
    Legalization(insert_copies),  # for XLA
)
OPTIONAL = tuple(one for one in PASSES if not isinstance(one, Legalization))


def optimise(program: Program, disabled: Collection[str] = (), native_loops: bool = False) -> Program:
    """The Program that is lowered; it computes the same.

    Parameters
    ----------
    program
    disabled
        The names of passes that are left out.
    native_loops
        Whether loops over single elements will be machine code.

    Raises
    ------
    ValueError
        For a name that no pass has.
    """
    names = [one.name for one in OPTIONAL]
    for name in disabled:
        if name not in names:
            raise ValueError(f"there is no pass '{name}' to disable; there are {', '.join(names)}")
    with deep():
        for one in PASSES:
            if one.name not in disabled:
                sealed = native_loops and one.serves_xla
                program = (outside_element_loops(one.run) if sealed else one.run)(program)
        return program
