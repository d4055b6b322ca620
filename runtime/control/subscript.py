"""Lists, tuples, ranges and dicts indexed by a value known only at run time."""

from __future__ import annotations

import collections
import enum
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.branches.join import grow
from anabranch.runtime.control.columnar import (
    array_lists,
    nested_lists,
    node_access,
    row_tables,
    text_items,
)
from anabranch.runtime.control.sequences import countable_ranges, keyed_items
from anabranch.runtime.control.sequences.chosen_item import chosen, merged, one_kind
from anabranch.runtime.control.sequences.index_checks import checked_dynamic_index, checked_index
from anabranch.runtime.control.staging import run_time_keys
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.numpy.core import traced_inside
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import atoms, text_tables, wrap
from anabranch.runtime.values.arrays.index_numbers import check_bounds, with_ints
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.containers import has_traced, is_hashed_object
from anabranch.runtime.values.dynamic_lists.growable_list import Growable
from anabranch.runtime.values.failures.refusals import outside_array_refusal
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.host_types import structures
from anabranch.runtime.values.host_types.host_type import HostTyped
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.pytrees.node_reference import Reference
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.static_requests import request_static, requests_of
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

# What to write where a slice has bounds that are known only at run time.
_SLICED: dict[type, str] = {
    list: "list is not supported here; index it in a loop over range(start, stop), or slice np.array(items)",
    tuple: "tuple is not supported; slice a list of its items, list(items)[start:stop]",
}
_SHARED = (TracedArray, np.ndarray, list, collections.deque)
_KINDS = (list, tuple, range, dict, collections.deque, str, bytes, enum.EnumMeta)
_SCALARS = (NumPyScalar, PythonScalar)


def at(container: object) -> Value:
    """The object to index in place of a container that Python can't index by a run-time value; others as they are."""
    if tracing() and (
        isinstance(container, (*_KINDS, *_SCALARS)) or (isinstance(container, UnionValue) and container.of_objects)
    ):
        return Indexed(container)
    if tracing() and type(container) is np.ndarray and container.dtype.kind in "biufcmMUS":
        return CapturedConstant(container)
    return container


class CapturedConstant:
    """An ndarray that an object from outside holds. What it holds is guarded, so its values are constants."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __getitem__(self, key: Value) -> Value:
        if not traced_inside(key):
            try:
                return self.array[key]
            except ConcretizationError as error:
                # A bound that no argument decides, such as a number that is drawn.
                if requests_of(error) or not _has_traced_bounds(key):
                    raise
        hosted = structures.structure_of(self.array)
        if hosted is not None:
            return hosted.build(list(map(_to_read, hosted.children(self.array))))[key]
        return _to_read(self.array)[key]

    def __setitem__(self, key: Value, value: Value) -> None:
        if traced_inside(key) or has_traced(value):
            what = "at an index" if traced_inside(key) else "with a value"
            raise outside_array_refusal(what)
        self.array[key] = value


def _to_read(array: np.ndarray) -> TracedArray:
    """A constant array. What NumPy gives as a view could be written to, which would not reach the object's array."""
    values = wrap.array_of(wrap.as_atom(array))
    return TracedArray(values.storage, values.path, readonly=True)


def _has_traced_bounds(key: object) -> bool:
    """Return whether a slice, or one of several, has bounds that are known only at run time."""
    if isinstance(key, tuple):
        return any(map(_has_traced_bounds, key))
    return isinstance(key, slice) and any(map(traced_inside, (key.start, key.stop, key.step)))


class Indexed:
    """`container[key]`, `container[key] = value`, `del container[key]`; for `container[key] += value` the first two."""

    __slots__ = ("container", "got")

    def __init__(self, container: object) -> None:
        self.container = container
        # The key of an item that was read, the item, and all items there were.
        self.got: tuple[Value, Value, list[list[Value]]] | None = None

    def __getitem__(self, key: Value) -> Value:
        item = _on(_get, self.container, key)
        self.got = key, item, _items(self.container)
        return item

    def __setitem__(self, key: Value, value: Value) -> None:
        if not self._is_there(key, value):
            _on(functools.partial(_set, value), self.container, key)

    def _is_there(self, key: Value, value: Value) -> bool:
        """Return whether a value is the item that was read, which an operator has changed in place.

        To set it anew would make each item one of all.
        """
        if self.got is None or self.got[0] is not key or self.got[1] is not value:
            return False
        before, now = self.got[2], _items(self.container)
        if not now or [len(items) for items in now] != [len(items) for items in before]:
            return False
        return all(a is b for old, new in zip(before, now, strict=True) for a, b in zip(old, new, strict=True))

    def __delitem__(self, key: object) -> None:
        _on(_delete, self.container, key)


def _items(container: Value) -> list[list[Value]]:
    """The items of a list or dict, or of each of those that a choice is one of; none for others."""
    if isinstance(container, UnionValue) and not isinstance(container, Reference):
        each = [_items(option) for option in container.options]
        return [items for found in each for items in found] if all(each) else []
    if type(container) is dict:
        return [[*container, *container.values()]]
    return [list(container)] if type(container) in (list, collections.deque) else []


def _on(operation: Callable[[Any, Any], Any], container: Value, key: Value) -> Value:
    """Do it on the object that a choice is, with the key that it is."""
    if operation is _get and isinstance(key, Tracer) and _is_index(key) and text_items.is_one_of_texts(container):
        lengths = set(map(len, container.options))
        if len(lengths) == 1:
            return text_items.character(
                container, checked_index(key, lengths.pop(), type(container.options[0]), "index")
            )
        if max(lengths):
            return text_items.character(container, text_items.position(container, key))
    if isinstance(container, Reference) and isinstance(key, Tracer) and operation is _get:
        items = node_access.NodeItems.of(container)
        if items is not None:
            return items.at(checked_dynamic_index(key, items.length, items.native.__name__))
    several = isinstance(key, UnionValue) and not isinstance(key, Reference)
    if isinstance(container, UnionValue) and not (several and isinstance(container, Reference)):
        return container.through(lambda c: _on(operation, c, key))
    if isinstance(key, Reference) and (operation is not _get or _may_get_items(container)):
        key = key.plain_()  # what changes the container is not done for each node that the key may be
    if isinstance(key, UnionValue) and not (
        isinstance(container, (dict, enum.EnumMeta)) and text_tables.is_choice(key)
    ):
        return (key.each if isinstance(container, dict) else key.through)(lambda k: _on(operation, container, k))
    try:
        return operation(container, with_ints(key) if isinstance(key, slice) else key)
    except ConcretizationError as error:
        if not isinstance(key, slice) or requests_of(error) or type(container) not in _SLICED:
            raise
        # No argument decides the bounds. Of arrays and lists the items of the slice would be copies.
        if not any(isinstance(item, _SHARED) for item in container):
            grow(container)
        error.args = (f"a slice with bounds known only at run time of a {_SLICED[type(container)]}",)
        raise


def _get(container: Value, key: Value) -> Value:
    _prefer_arrays(container, key)
    if type(container) in (str, bytes):
        if isinstance(key, slice):
            check_bounds(key)
            return text_items.part(container, key)
        if isinstance(key, Tracer):
            if current().trace.unrolling.reason is not None:  # with the character known, so may be all that follows
                request_static(atoms.held_by(key), "the place of a character")
            current().trace.text.has_codes = True
    if isinstance(key, slice) and isinstance(container, (list, tuple)):
        check_bounds(key)
    if isinstance(container, dict) and _is_hashed_at_run_time(key):
        run_time_keys.become_table(container)
    if type(container) is enum.EnumMeta and isinstance(key, (Text, UnionValue)):
        container = dict(container.__members__)
    if not _is_run_time(container, key) or not _is_plain(container):
        return operator.getitem(container, key)
    if isinstance(container, dict):
        made = keyed_items.missing_method(container)
        if made is not None:
            return keyed_items.get_or_make(container, key, made)
        _prepare_items(list(container.values()))
        return chosen(list(container.values()), keyed_items.checked_place(container, key), key)
    length = countable_ranges.KnownRange(container).length if isinstance(container, range) else len(container)
    position = checked_index(key, length, type(container), "index")
    table = (
        nested_lists.table_of(container) if isinstance(container, Growable) and isinstance(container, list) else None
    )
    if table is not None:
        return row_tables.view(type(container), table, position)
    if (
        isinstance(container, Growable)
        and isinstance(container, list)
        and nested_lists.become_row_references(container) is not None
    ):
        return container[key]
    if isinstance(container, range):
        return countable_ranges.KnownRange(container).at(position)
    _prepare_items(list(container))
    return chosen(list(container), position, key)


def _prepare_items(items: list[Value]) -> None:
    """Have containers be of forms of which one can be chosen at run time."""
    array_lists.prefer_arena(items)
    for item in items:
        if isinstance(item, set):
            run_time_keys.become_table(item)
    if len(items) > 1 and all(isinstance(item, RunTimeContainer) and item.arena_ is None for item in items):
        current().trace.lists.demand_arenas(site for item in items for site in item.origins)


def _is_index(key: Tracer) -> bool:
    return key.abstract.dtype.kind in "iub" and not key.abstract.shape


def _is_hashed_at_run_time(key: object) -> bool:
    """Return whether a key is made of run-time values."""
    if isinstance(key, tuple):
        return has_traced(key)
    return isinstance(key, (Hashed, HostTyped)) or (is_hashed_object(key) and has_traced(key))


def _is_run_time(container: object, key: object) -> bool:
    """Return whether which item of a container is meant is known only at run time."""
    if isinstance(key, Tracer):
        return True
    return isinstance(container, dict) and (isinstance(key, Text) or text_tables.is_choice(key))


def _may_get_items(container: object) -> bool:
    """Return whether to read an item may make a new one."""
    return isinstance(container, RunTimeContainer) or (
        isinstance(container, dict) and keyed_items.missing_method(container) is not None
    )


def _prefer_arrays(container: object, key: object, writes: bool = False) -> None:
    if isinstance(key, Tracer) and isinstance(container, list):
        prepare = array_lists.prepare_indexed if isinstance(container, Growable) else array_lists.prepare_plain_indexed
        prepare(container, writes)


def _set(value: Value, container: Value, key: Value) -> None:
    if array_lists.fits(value):
        _prefer_arrays(container, key, writes=True)
    if isinstance(key, slice) and isinstance(container, list):
        check_bounds(key)
    if isinstance(container, dict) and (isinstance(key, (Tracer, Text)) or _is_hashed_at_run_time(key)):
        run_time_keys.become_table(container)
    if not hasattr(type(container), "__setitem__"):
        key = 0  # Python asks objects of many classes for the place before it says that they take no items
    if not _is_run_time(container, key) or not _is_plain(container):
        operator.setitem(container, key, value)
        return
    if isinstance(container, Growable) and isinstance(container, list) and nested_lists.table_of(container) is not None:
        nested_lists.replace_row(container, key, value)
        return
    if not isinstance(key, Tracer):
        keyed_items.check_all_are_there(container, key)
    keys = list(container) if isinstance(container, dict) else range(len(container))
    if isinstance(container, dict):
        position = keyed_items.checked_place(container, key, writes=True)
        if not isinstance(position, PythonScalar):
            container[keys[position]] = value
            return
    else:
        position = checked_index(key, len(container), type(container), "assignment index")
    old = [container[k] for k in keys]
    alike = one_kind([*old, value])
    if alike is None:
        if len(old) > array_lists.SMALL:
            array_lists.prefer_arena([*old, value])
        thunks = [functools.partial(operator.setitem, container, k, value) for k in keys]
        stage_branches.stage(atoms.convert(position.atom, np.int32), thunks, "an item set by a run-time index")
        return
    new = wrap.atom_as(value, alike)
    for place, (k, before) in enumerate(zip(keys, old, strict=True)):
        here = atoms.ufunc(np.equal, position.atom, atoms.literal(place, np.int64))
        container[k] = merged(wrap.from_abstract(alike, atoms.select(here, new, wrap.atom_as(before, alike))))


def _delete(container: Value, key: Value) -> None:
    if isinstance(key, slice) and isinstance(container, list):
        check_bounds(key)
    if isinstance(container, dict) and (has_traced(key) or _is_hashed_at_run_time(key)):
        run_time_keys.become_table(container)
    if not hasattr(type(container), "__delitem__") and isinstance(key, Tracer):
        key = key.__anabranch_sample__() if isinstance(key, _SCALARS) else 0  # as above
    if not isinstance(key, Tracer) or not isinstance(container, list) or isinstance(container, Growable):
        operator.delitem(container, key)
        return
    position = checked_index(key, len(container), type(container), "assignment index")
    thunks = [functools.partial(operator.delitem, container, k) for k in range(len(container))]
    stage_branches.stage(atoms.convert(position.atom, np.int32), thunks, "an item deleted by a run-time index")


_PLAIN_GET = tuple(k.__getitem__ for k in _KINDS)


def _is_plain(container: Value) -> bool:
    """Return whether a container's items stand side by side, and its class has no way of its own to give them."""
    if isinstance(container, Growable):
        return not container.is_dynamic
    return getattr(type(container), "__getitem__", None) in _PLAIN_GET
