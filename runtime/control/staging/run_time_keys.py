"""Dicts and sets that get keys known only at run time: where that turns out, they are asked to be tables."""

from __future__ import annotations

from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import ArgumentSite, demand


def become_table(container: object) -> None:
    """Have a dict or set be a table, which gets a key that is known only at run time; nothing where it cannot be.

    Raises
    ------
    Restart
        Where it could have been one since it was made.
    """
    if not tracing():
        return
    tables = current().trace.tables
    if tables.sites is None:
        return
    _, site = tables.made.get(id(container), (None, None))
    if site is None:
        tables.ask_for_places()
    elif site not in tables.sites:
        # The other sets are asked later, most likely, and each time costs a trace.
        others = tables.made.values() if isinstance(container, set) else ()
        sets = {place for made, place in others if isinstance(made, set) and not isinstance(place, ArgumentSite)}
        demand(tables.sites, {site, *sets})
