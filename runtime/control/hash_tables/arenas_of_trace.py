"""The arenas of a trace."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from typing import Any

from anabranch.base.by_identity import IdentitySet
from anabranch.runtime.control.arenas.array_arena import ArrayArena
from anabranch.runtime.control.arenas.list_arena import ListArena
from anabranch.runtime.control.arenas.object_arena import ObjectArena
from anabranch.runtime.control.hash_tables.table_arena import TableArena
from anabranch.runtime.tracing.builder import Trace
from anabranch.runtime.tracing.container_state import ARRAYS_ARE_NOTED, ArraySite, TableSite, is_of_arguments
from anabranch.runtime.values.arena_joins import first_of


def make_arenas(trace: Trace) -> None:
    """Make the arenas before anything is traced: branches and loops change what was there before them."""
    lists = trace.lists
    sites = lists.arena_sites or set()
    arenas: dict[Hashable, Any] = {}
    if ARRAYS_ARE_NOTED in sites:
        lists.made_arrays = weakref.WeakKeyDictionary()
    for site in sites:
        if isinstance(site, ArraySite):
            lists.arenas[site] = arenas.setdefault(site.type, ArrayArena(site.type))
    of_containers = [site for site in sites if not isinstance(site, ArraySite) and site != ARRAYS_ARE_NOTED]
    for site, first in first_of(of_containers).items():
        if first not in arenas:
            arenas[first] = TableArena(first) if isinstance(first, TableSite) else ListArena(first)
        lists.arenas[site] = arenas[first]
        if isinstance(site, TableSite) and not is_of_arguments(site.place) and trace.tables.sites is not None:
            trace.tables.sites.add(site.place)
    lists.arenas.update({site: ObjectArena(names) for site, names in (lists.arena_classes or {}).items()})
    for arena in IdentitySet(lists.arenas.values()):
        trace.heap.roots += arena.parts
