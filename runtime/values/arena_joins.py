"""Arenas of several places that are one, since what lies in them meets in one list or dict."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import demand
from anabranch.runtime.values.containers import Structure


@frozen
class Joined:
    """Among the sites of arenas: what two of them make lies in one."""

    one: Hashable
    other: Hashable


def first_of(sites: Iterable[Hashable]) -> dict[Hashable, Hashable]:
    """Of each site one of those with which it shares an arena, the same one for all of them."""
    firsts: dict[Hashable, Hashable] = {}
    for site in sites:
        firsts.update((one, one) for one in ((site.one, site.other) if isinstance(site, Joined) else (site,)))
    for pair in sites:
        if isinstance(pair, Joined):
            old, new = firsts[pair.other], firsts[pair.one]
            firsts.update({site: new for site, first in firsts.items() if first == old})
    return firsts


def join(structures: Iterable[Structure]) -> None:
    """Have containers that differ in nothing but their arenas lie in one; those that lie in none, too.

    Raises `Restart` where there are such.
    """
    found: dict[Value, Hashable] = {}
    natives: dict[bool, set[type]] = {True: set(), False: set()}
    lists = current().trace.lists
    for structure in structures:
        natives[structure.is_in_arena].add(getattr(structure.cls, "native", structure.cls))
        if structure.is_in_arena:
            site = getattr(structure.extra, "site", None)
            first = found.setdefault(structure.cls, site)
            if site is not None and first != site:
                demand(lists.arena_sites, {Joined(first, site)})
    if natives[True] & natives[False]:
        lists.demand_arenas(lists.copied_sites)
