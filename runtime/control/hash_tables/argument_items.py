"""Lists, dicts and sets in dicts that are arguments and get keys known only at run time: they lie in arenas."""

from __future__ import annotations

import collections
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.arena_list import ArenaList
from anabranch.runtime.control.arenas.list_arena import ListArena
from anabranch.runtime.control.hash_tables.arena_tables import new_in
from anabranch.runtime.control.hash_tables.set_order import GIVEN
from anabranch.runtime.control.hash_tables.table_arena import TableArena
from anabranch.runtime.signature.set_structure import SetStructure
from anabranch.runtime.signature.static_keys import Static
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.container_state import ArgumentDepth, TableSite
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arena_contents import CallersMember
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.pytrees import layout as layouts

_DICTS = (dict, collections.Counter, collections.OrderedDict)


def can_lie_in_one(layout: layouts.Layout) -> bool:
    """Return whether a part of an argument has the same contents after it has lain in an arena."""
    match layout:
        case layouts.Leaf(abstract):
            return abstract.kind is not Kind.ARRAY
        case layouts.Constant(value):
            return not isinstance(value, Static) and isinstance(value, (str, bytes, type(None), bool))
        case layouts.Node(structure, children):
            is_known = structure.cls in (tuple, list, *_DICTS) or isinstance(structure, SetStructure)
            return is_known and all(map(can_lie_in_one, children))
    return False


def begun(structure: Structure, depth: int) -> Any:
    """The stand-in of a list, dict or set of the caller's, which has no items yet.

    `depth` is in how many others that lie in arenas it lies. No arena has lists that are items of others in it: what
    goes over all that one leads to would have no end.
    """
    arena = _arena(structure.cls, depth)
    made: Any = ArenaList(arena, arena.made()) if structure.cls is list else new_in(arena, None)
    arena.callers.append(CallersMember(made))
    return made


def fill(made: Any, structure: Structure, children: list[Value]) -> None:
    """Give it its items."""
    arena, number = made.arena_, made.number_
    if isinstance(made, ArenaList):
        arena.begin(number, children)
    elif isinstance(structure, SetStructure):
        arena.begin(number, children, [None] * len(children), GIVEN)
    else:
        arena.begin(number, structure.keys, children)


def end() -> None:
    """Note that all arguments are there."""
    for arena in list(current().trace.lists.arenas.values()):
        if isinstance(arena, TableArena):
            arena.begun()


def _arena(cls: type, depth: int) -> Any:
    lists = current().trace.lists
    place = ArgumentDepth(depth)
    site: Any = place if cls is list else TableSite(place, cls)
    if site not in lists.arenas:
        arena: Any = ListArena(site) if cls is list else TableArena(site)
        lists.arenas[site] = arena
        current().trace.heap.roots += arena.parts
    return lists.arenas[site]
