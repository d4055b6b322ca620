"""Dicts and sets that are arguments, where their keys are, or come to be, known only at run time."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Sequence
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.arena_list import ArenaList
from anabranch.runtime.control.arenas.list_arena import ListArena, SharedFactory
from anabranch.runtime.control.hash_tables.arena_tables import new_in
from anabranch.runtime.control.hash_tables.creation import SharedTableFactory
from anabranch.runtime.control.hash_tables.dynamic_dict import DynamicCounter, DynamicDefaultDict, DynamicDict
from anabranch.runtime.control.hash_tables.dynamic_set import DynamicSet
from anabranch.runtime.control.hash_tables.hash_table import HashTable
from anabranch.runtime.control.hash_tables.ordered_dict import DynamicOrderedDict
from anabranch.runtime.control.hash_tables.set_order import GIVEN
from anabranch.runtime.control.hash_tables.table_arena import TableArena
from anabranch.runtime.signature.object_fields import SetStructure
from anabranch.runtime.signature.static_keys import Static
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.capacity import CapacitySite
from anabranch.runtime.tracing.container_state import ArgumentDepth, ArgumentSite, TableSite
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.arena_contents import CallersMember
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.containers import Structure, has_traced, structure_of
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.heap.slots import slot_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer

_FEW = 5  # so many members are tried in all orders
_DICTS: dict[type, type[DynamicDict]] = {
    dict: DynamicDict, collections.defaultdict: DynamicDefaultDict, collections.Counter: DynamicCounter,
    collections.OrderedDict: DynamicOrderedDict,
}  # fmt: skip
# What the factory of a defaultdict makes must be the same object in the dict and elsewhere.
_FACTORIES: dict[Any, Any] = {
    **{kind: kind for kind in (None, bool, int, float, complex, str, bytes, tuple)}, list: SharedFactory(list),
    dict: SharedTableFactory(dict), set: SharedTableFactory(set),
}  # fmt: skip


def has_items_in_arenas(layout: layouts.Node, place: int) -> bool:
    """Return whether the lists in a dict that is an argument lie in an arena: it gets keys known only at run time."""
    trace = current().trace
    if layout.structure.cls not in _DICTS or ArgumentSite(place) not in (trace.tables.sites or ()):
        return False
    return trace.lists.arena_sites is not None and all(map(can_lie_in_one, layout.children))


def set_of(members: Sequence[Any], place: int) -> Value:
    """A set that is an argument, with these members in its order: one of Python's own where all of them are known."""
    tables, site = current().trace.tables, ArgumentSite(place)
    if not has_traced(tuple(members)) and site not in (tables.sites or ()):
        made = _in_order(members)
        if made is not None:
            tables.made[made] = site
            return made
    table: DynamicSet = _bare(DynamicSet, place, len(members))
    return table.given_(members)


def dict_of(made: Value, place: int) -> Value:
    """A dict that is an argument: a table where it turned out to get keys known only at run time; else as it is."""
    tables, site = current().trace.tables, ArgumentSite(place)
    kind = _DICTS.get(type(made))
    factory = made.default_factory if isinstance(made, collections.defaultdict) else None
    is_known = factory is None or (isinstance(factory, type) and factory in _FACTORIES)
    if kind is None or not is_known or not all(map(_is_value, made.values())):
        return made
    if site not in (tables.sites or ()):
        tables.made[made] = site
        return made
    if any(map(_has_plain_container, made.values())):
        return made
    extra = (_FACTORIES[factory],) if isinstance(made, collections.defaultdict) else None
    table: DynamicDict = _bare(kind, place, len(made), extra)
    return table.begun_(dict(made))


def _bare(cls: type[HashTable], place: int, count: int, extra: object = None) -> Any:
    what = CapacitySite(
        f"the {cls.native.__name__} that is an argument, or part of one, and has the number {place}", ()
    )
    made = cls.bare_((capacity_requests.at_least(count, what), extra))
    current().trace.tables.made[made] = ArgumentSite(place)
    return made


def _in_order(members: Sequence[Any]) -> set[Any] | None:
    """A set that has its members in this order; None where none was found, for it depends on how it has grown."""
    orders = itertools.permutations(members) if len(members) <= _FEW else iter([tuple(members)])
    for order in itertools.chain([tuple(members)], orders):
        made = set(order)
        if all(a is b for a, b in zip(made, members, strict=True)):
            return made
    return None


def _has_plain_container(value: Value) -> bool:
    return isinstance(value, (list, dict, set)) or (isinstance(value, tuple) and any(map(_has_plain_container, value)))


def _is_value(value: Value) -> bool:
    """Return whether a dict's value is the same after it has lain in a list of run-time length: it has no identity.

    What holds itself does not lie in one. Not recursive: from Python 3.12 on, C code limits how deep it is called.
    """
    pending: list[tuple[Value, tuple[Value, ...]]] = [(value, ())]
    while pending:
        part, around = pending.pop()
        if isinstance(part, tuple):
            pending += [(inner, around) for inner in part]
        elif isinstance(part, (list, dict, set)) and current().trace.lists.arena_sites is not None:
            if any(part is one for one in around):
                return False
            inside = (*around, part)
            pending += [(inner, inside) for inner in (part.values() if isinstance(part, dict) else part)]
        elif not _is_value_of_its_own(part):
            return False
    return True


def _is_value_of_its_own(value: Value) -> bool:
    if isinstance(value, Tracer):
        return isinstance(value, (PythonScalar, NumPyScalar))
    if isinstance(value, RunTimeContainer) and current().trace.lists.arena_sites is not None:
        return value.arena_ is not None
    return structure_of(value) is None and slot_of(value) is None


def can_lie_in_one(layout: layouts.Layout) -> bool:
    """Return whether a part of an argument has the same contents after it has lain in an arena."""
    match layout:
        case layouts.Leaf(abstract):
            return abstract.kind is not Kind.ARRAY
        case layouts.Constant(value):
            return not isinstance(value, Static) and isinstance(value, (str, bytes, type(None), bool))
        case layouts.Node(structure, children):
            is_known = structure.cls in (tuple, list, dict, collections.Counter, collections.OrderedDict) or isinstance(
                structure, SetStructure
            )
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
