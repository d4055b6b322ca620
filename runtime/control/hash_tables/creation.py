"""Where dicts and sets are made, and which of them have keys that are known only at run time.

Where a run-time key meets an ordinary dict or set, the place in the user's code that has made it is noted, and tracing
starts again: what is made there is a table from the beginning. The first time, displays do not say yet where they are.
"""

from __future__ import annotations

import collections
import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.arenas.list_arena import GROWING
from anabranch.runtime.control.columnar import text_items
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.hash_tables.arena_tables import arena_here, new_in, placed_table
from anabranch.runtime.control.hash_tables.dynamic_dict import (
    DynamicCounter,
    DynamicDefaultDict,
    DynamicDict,
)
from anabranch.runtime.control.hash_tables.dynamic_set import DynamicFrozenset, DynamicSet, RunTimeSet
from anabranch.runtime.control.hash_tables.hash_table import HashTable
from anabranch.runtime.control.hash_tables.ordered_dict import DynamicOrderedDict
from anabranch.runtime.control.hash_tables.users_dict import class_of
from anabranch.runtime.control.iteration.user_iterators import iterated
from anabranch.runtime.control.staging.run_time_keys import become_table
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.container_state import TableSite, demand
from anabranch.runtime.tracing.source_frames import place
from anabranch.runtime.values.chosen_containers import is_choice
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.dynamic_lists.growable_list import is_dynamic_list
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.union import UnionValue


def _is_table_here() -> bool:
    sites = current().trace.tables.sites
    return bool(sites) and place() in (sites or ())


def _noted(made: Value) -> Value:
    """An ordinary dict or set, with the place that has made it."""
    trace = current().trace
    trace.identity.created.add(made)
    if trace.tables.sites:
        trace.tables.made[made] = place()
    return made


def _bare(cls: type[HashTable], extra: Any = None) -> Any:
    arena = arena_here(cls.native)
    if arena is not None:
        return new_in(arena, extra)
    made = cls.bare_((capacity_requests.at(f"the {cls.native.__name__}"), extra))
    current().trace.identity.created.add(made)
    return made


# ---- displays and comprehensions -----------------------------------------------------------------------------------


def dict_display(*parts: tuple[Any, ...]) -> Value:
    """`{key: value, **mapping}`: pairs, and mappings alone."""
    others = [part[0] for part in parts if len(part) == 1]
    if not (tracing() and (_is_table_here() or any(isinstance(o, DynamicDict) or is_choice(o) for o in others))):
        for k, part in enumerate(parts):
            if len(part) == 1 and isinstance(part[0], UnionValue):
                return part[0].through(functools.partial(_with_part, parts, k))
        made: dict[Any, Any] = {}
        for part in parts:
            if len(part) == 2:
                _have_ordinary(part[0], made)
            made.update(part[0] if len(part) == 1 else (part,))
        return _noted(made) if tracing() else made
    known = {k: v for k, v in parts if not has_traced(k)} if all(len(p) == 2 for p in parts) else None
    if known is not None and len(known) == len(parts):
        return _bare(DynamicDict).begun_(known)
    table = _bare(DynamicDict).begun_({})
    for part in parts:
        if len(part) == 1 and isinstance(part[0], UnionValue):
            part[0].through(functools.partial(_update, table))
        elif len(part) == 1:
            table.update(part[0])
        else:
            table[part[0]] = part[1]
    return table


def _with_part(parts: tuple[tuple[Any, ...], ...], place: int, mapping: Value) -> Value:
    """The dict of a display in which a mapping stands at a place."""
    return dict_display(*parts[:place], (mapping,), *parts[place + 1 :])


def _update(table: Any, mapping: Value) -> None:
    table.update(mapping)


def set_display(*members: Value) -> Value:
    """`{a, b}`."""
    return set_(members) if tracing() else set(members)


def dict_comprehension(pairs: GeneratorExpression) -> Value:
    """`{key: value for …}`, of the pairs."""
    if tracing() and _is_table_here():
        made = _bare(DynamicDict).begun_({})
        _fill(made, pairs)
        return made
    made = {}
    with _table_where_needed(made):
        for key, value in pairs:
            _have_ordinary(key, made)
            made[key] = value
    return _noted(made) if tracing() else made


def set_comprehension(members: GeneratorExpression) -> Value:
    """`{member for …}`."""
    return set_(members) if tracing() else set(members)


def _have_ordinary(key: object, made: object) -> None:
    """Have what is being made be a table where a key is known only at run time."""
    if tracing() and (has_traced(key) or isinstance(key, HashTable)):
        become_table(_noted(made))


@contextlib.contextmanager
def _table_where_needed(made: object) -> Iterator[None]:
    """Have what is being made be a table where how many keys it gets is known only at run time."""
    try:
        yield
    except ConcretizationError:
        if tracing():
            become_table(_noted(made))
        raise


def _ordinary(keys: Any, made: object) -> list[Value]:
    """The keys that something is made of: a list, since an iterator can be gone over once.

    The first one that is known only at run time begins the trace anew, so that none is looked at behind it.
    """
    listed = []
    with _table_where_needed(made):
        for key in keys:
            _have_ordinary(key, made)
            listed.append(key)
    return listed


# ---- classes -------------------------------------------------------------------------------------------------------


def _fill(made: DynamicDict, pairs: Value) -> None:
    def put(pair: Value, made: DynamicDict = made) -> None:
        key, value = pair
        made[key] = value

    pairs.each(put)


def _filled(made: DynamicDict, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    made.begun_({})
    made.update(*args, **kwargs)
    return made


def _constructor(cls: type[DynamicDict]) -> Callable[..., Any]:
    def make(*args: Value, **kwargs: Value) -> Value:
        if len(args) == 1 and (is_choice(args[0]) or (isinstance(args[0], UnionValue) and args[0].stays_apart)):
            return args[0].through(lambda one: make(one, **kwargs))
        if _is_table_here() and len(args) <= 1:
            return _filled(_bare(cls), args, kwargs)
        if len(args) == 1 and isinstance(args[0], DynamicDict):
            made = args[0].copied_(cls, None)
            made.update(**kwargs)
            current().trace.identity.created.add(made)
            return placed_table(made)
        made = cls.native()
        with _table_where_needed(made):
            made = cls.native(*(_items_of(arg, made) for arg in args), **kwargs)
        return _noted(made)

    return make


def users_constructor(cls: type) -> Callable[..., Any] | None:
    """The staged form of a subclass of `dict` of the user's; None for any other class."""
    staged = class_of(cls) if issubclass(cls, dict) else None
    return None if staged is None else _constructor(staged)


def _items_of(arg: Any, made: object) -> Value:
    """A mapping as it is, or the pairs, which may be lists that have so many items only at run time."""
    return arg if hasattr(type(arg), "keys") or not hasattr(type(arg), "__iter__") else _pairs(arg, made)


def _pairs(given: Any, made: object) -> Iterator[Value]:
    for pair in given:
        if is_dynamic_list(pair):  # Python would take its refusal for that of something that is no sequence
            become_table(_noted(made))
        yield pair


def defaultdict_(factory: Value = None, /, *args: Value, **kwargs: Value) -> Value:
    """As `collections.defaultdict`; lists that its factory makes may grow where lists do."""
    growing = _staged_factory(factory)
    if _is_table_here() or any(isinstance(a, DynamicDict) for a in args):
        return _filled(_bare(DynamicDefaultDict, (growing or factory,)), args, kwargs)
    return _noted(collections.defaultdict(growing or factory, *args, **kwargs))


class TableFactory:
    """The factory of a defaultdict's dicts or sets, which may be tables."""

    def __init__(self, native: Any) -> None:
        self.native = native

    def __call__(self) -> Value:
        return COUNTERPARTS[self.native]() if tracing() else self.native()


class SharedTableFactory(TableFactory):
    """That of dicts or sets which are the same objects in the dict and elsewhere, after the call, too."""

    def __call__(self) -> Value:
        demand(current().trace.lists.arena_sites, {TableSite(place(), self.native)})
        return super().__call__()


def _staged_factory(factory: Any) -> Any:
    """The staged form of one of Python's own factories; None for any other."""
    if not isinstance(factory, type) or not current().trace.lists.may_grow:
        return None
    return GROWING.get(factory) or _TABLES.get(factory)


def counter_(*args: Value, **kwargs: Value) -> Value:
    """As `collections.Counter`."""
    if len(args) == 1 and is_choice(args[0]):
        return args[0].through(lambda one: counter_(one, **kwargs))
    args = tuple(iterated(arg) for arg in args)
    if _is_table_here() or any(isinstance(a, DynamicDict) for a in args):
        return _filled(_bare(DynamicCounter), args, kwargs)
    if len(args) == 1 and args[0] is not None and not isinstance(args[0], dict):
        none: collections.Counter[Any] = collections.Counter()
        args = (_ordinary(args[0], none),)
    return _noted(collections.Counter(*args, **kwargs))


def set_(members: Value = (), /) -> Value:
    """As `set`."""
    return _set_of(DynamicSet, members)


def frozenset_(members: Value = (), /) -> Value:
    """As `frozenset`."""
    exact = type(members) is frozenset or isinstance(members, DynamicFrozenset)
    return members if exact else _set_of(DynamicFrozenset, members)


def _set_of(cls: type[RunTimeSet], members: Value) -> Value:
    if is_choice(members) or text_items.is_one_of_texts(members):
        return members.through(lambda one: _set_of(cls, one))
    members = iterated(members)
    if isinstance(members, RunTimeSet) or _is_table_here():
        table = _bare(cls).begun_(())
        table.put_all_(members)
        return table
    made = cls.native()
    listed = _ordinary(members, made)
    return _noted(cls.native(members if isinstance(members, (set, frozenset, dict)) else listed))


def method(function: Any) -> Callable[..., Any] | None:
    """The staged form of `dict.fromkeys`; None for any other method."""
    if function.__name__ != "fromkeys" or function.__self__ is not dict:
        return None

    def fromkeys(keys: Value, value: Value = None, /) -> Value:
        keys = iterated(keys)
        if _is_table_here():
            return _filled(_bare(DynamicDict), (GeneratorExpression(keys, lambda key: (key, value)),), {})
        made: dict[Any, Any] = {}
        return _noted(function(_ordinary(keys, made), value))

    return fromkeys


COUNTERPARTS: dict[object, Callable[..., Any]] = {
    dict: _constructor(DynamicDict),
    collections.OrderedDict: _constructor(DynamicOrderedDict),
    collections.defaultdict: defaultdict_,
    collections.Counter: counter_,
    set: set_,
    frozenset: frozenset_,
}
_TABLES: dict[Any, TableFactory] = {
    kind: TableFactory(kind) for kind in (dict, set, collections.Counter, collections.OrderedDict)
}
