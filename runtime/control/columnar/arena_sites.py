"""The places in the user's code whose lists had better lie in an arena."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import demand
from anabranch.runtime.values.dynamic_lists.growable_list import Growable


def prefer(options: Sequence[Value]) -> None:
    """Have lists of which a run-time value chooses one lie in an arena, where they grow.

    As alternatives each would take equations of its own for all that is done to the one.
    """
    if len(options) < _FEW or not all(isinstance(o, Growable) and o.native is list for o in options):
        return
    if any(o.row_binding is not None or not o.origins for o in options):
        return
    lengths = {None if o.is_dynamic else o.native.__len__(o) for o in options}
    if len(lengths) > 1 or lengths & {None, 0}:
        demand(current().trace.lists.arena_sites, {site for o in options for site in o.origins})


_FEW = 3
