"""Items of dicts that are arguments, which are the same objects in the dict and elsewhere: they lie in arenas."""

from __future__ import annotations

from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.errors import AliasError
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import demand, own_site
from anabranch.runtime.values.containers import parts_of
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.dynamic_lists.item_kinds import origins_of
from anabranch.runtime.values.run_time_container import RunTimeContainer


def share(value: Value) -> None:
    """Have the lists, dicts and sets in a value, which a dict of the caller's gets, lie in arenas.

    Raises `Restart` where they could have done so since they were made. Raises `AliasError` where they cannot.
    """
    if isinstance(value, tuple):
        for part in parts_of(value):
            share(part)
        return
    if not isinstance(value, (list, dict, set, RunTimeContainer)) or getattr(value, "arena_", None) is not None:
        return
    trace = current().trace
    if isinstance(value, list) and not isinstance(value, Growable):
        trace.lists.demand_growth()
    if isinstance(value, (dict, set)):
        trace.tables.ask_for_places()
    demand(trace.lists.arena_sites, set(map(own_site, origins_of(value))))
    raise AliasError(
        f"{a(getattr(value, 'native', type(value)).__name__)} becomes an item of a dict that is an argument, at a key "
        "known only at run time, and would not be the same in both; make it where it is set, d[k] = [...], or set a "
        "tuple"
    )
