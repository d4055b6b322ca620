"""Dicts and sets that get keys known only at run time: where that turns out, they are asked to be tables."""

from __future__ import annotations

import collections
import dis
import gc
import sys
import types
from collections.abc import Iterable

from anabranch.base.by_identity import IdentitySet
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import ArgumentSite, TableSite, demand
from anabranch.runtime.tracing.source_frames import internal, standard
from anabranch.runtime.values.heap.snapshot import Heap

ANYWHERE = frozenset(dis.opname)
AT_ITERABLES = frozenset({"GET_ITER", "FOR_ITER"})
# Before Python 3.12 they are functions of their own.
_COMPREHENSIONS = ("<dictcomp>", "<setcomp>")
_ADDS = {dis.opmap["MAP_ADD"], dis.opmap["SET_ADD"]}


def become_table(container: object) -> None:
    """Have a dict or set be a table, which gets a key that is known only at run time; nothing where it cannot be.

    Raises `Restart` where it could have been one since it was made.
    """
    if not tracing():
        return
    tables = current().trace.tables
    if tables.sites is None:
        return
    site = tables.made.get(container)
    if site is None:
        tables.ask_for_places()
        lists = current().trace.lists
        demand(lists.arena_sites, {s for s in lists.copied_sites if isinstance(s, TableSite)})
    elif site not in tables.sites:
        # The other sets are asked later, most likely, and each time costs a trace.
        others = tables.made.items() if isinstance(container, set) else ()
        sets = {place for made, place in others if isinstance(made, set) and not isinstance(place, ArgumentSite)}
        demand(tables.sites, {site, *sets})


def become_tables() -> None:
    """Have all dicts that displays have made be tables, where one of them gets keys known only at run time.

    Raises `Restart` where one could have been since it was made.
    """
    if not tracing() or current().trace.tables.sites is None:
        return
    tables = current().trace.tables
    tables.ask_for_places()
    places = {place for made, place in tables.made.items() if isinstance(made, dict)}
    demand(tables.sites, {place for place in places if not isinstance(place, ArgumentSite)})


def become_table_of(items: Iterable[object]) -> None:
    """Have the dicts be tables that hold these, or dicts of which these are views; else these dicts themselves.

    Raises `Restart` where one could have been since it was made.
    """
    held = IdentitySet(inner for item in items for inner in (item, *gc.get_referents(item)) if isinstance(inner, dict))
    dicts = [made for made in current().trace.tables.made if isinstance(made, dict)]
    holders = [made for made in dicts if any(value in held for value in made.values())]
    for one in holders or [made for made in dicts if made in held]:
        become_table(one)


_OF_COUNTERS = {f.__code__ for f in vars(collections.Counter).values() if isinstance(f, types.FunctionType)}


def become_asking_counter() -> None:
    """Have a Counter be a table whose own methods, which are written in Python, ask for what is known only at run time.

    Raises `Restart` where it could have been one since it was made.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and (internal(frame.f_code.co_filename) or standard(frame.f_code.co_filename)):
        if frame.f_code in _OF_COUNTERS:
            become_table(frame.f_locals["self"])
        frame = frame.f_back


def become_updated_table() -> None:
    """Have a dict be a table whose own `|=` asks the caller for keys, for those are known only at run time.

    Raises `Restart` where it could have been one since it was made.
    """
    frame = sys._getframe(2)
    native = not internal(frame.f_code.co_filename) and dis.opname[frame.f_code.co_code[frame.f_lasti]] == "BINARY_OP"
    if not native or not tracing():
        return
    # Of the dicts that the code can see it is not known which one asks.
    seen = Heap(frame.f_locals.values())
    for one in [made for made in current().trace.tables.made if isinstance(made, dict) and made in seen]:
        become_table(one)


def stage_comprehensions(where: frozenset[str] = ANYWHERE) -> None:
    """Have the dict and set comprehensions of the user's code that runs now staged, where it is at one.

    Parameters
    ----------
    where : frozenset of str
        The instructions of which one must run now.

    Raises
    ------
    Restart
        Where they are not yet.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and internal(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or not tracing() or dis.opname[frame.f_code.co_code[frame.f_lasti]] not in where:
        return
    codes = [frame.f_code, *(c for c in frame.f_code.co_consts if getattr(c, "co_name", None) in _COMPREHENSIONS)]
    tables = current().trace.tables
    if tables.sites is not None and any(_ADDS & set(code.co_code[::2]) for code in codes):
        tables.ask_for_places()
