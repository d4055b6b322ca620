"""The places in the user's code whose lists had better lie in an arena."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.restarts import Restart
from anabranch.runtime.values.dynamic_lists.growable_list import Growable


def need(sites: set[Hashable]) -> None:
    """Have the lists that these places make lie in an arena; nothing where they do, or may not.

    Raises
    ------
    Restart
        Where they could have done so since they were made.
    """
    lists = current().trace.lists
    if lists.arena_sites is not None and not sites <= lists.arena_sites:
        lists.arena_sites |= sites
        raise Restart(lists=True)


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
        need({site for o in options for site in o.origins})


_FEW = 3
