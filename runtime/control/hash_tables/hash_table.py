"""A table of keys that are known only at run time: a list of keys, and an index that leads from hashes to places in it.

The index is an open-addressing table of a static size, a power of two, of which at most half is used: each entry is the
place after that of a key in the list, or 0. What does not fit is asked for as any capacity is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.containers import container_order, membership, object_keys
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.control.generator_expression import for_each
from anabranch.runtime.control.hash_tables import key_hash
from anabranch.runtime.control.hash_tables.table_structure import TableSlot, TableStructure
from anabranch.runtime.control.hash_tables.views import Cursor, View, element
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.control.while_ import while_
from anabranch.runtime.errors import ConcretizationError, UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.tracing.computed import Computed
from anabranch.runtime.tracing.container_state import TableSite
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.dynamic_shapes import capacity_requests
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.hashed import Hashed
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar
from anabranch.runtime.values.pytrees import exceptions

# No place: of a key that is not there.
_NONE = -1
# An entry is the place after its key's: what a branch that failed leaves is zeros, in which a search has to end, too.
_EMPTY = 0
_INDEX = np.dtype(np.int32)
_OF_OTHERS = (
    "an object that refers to others is no key of the dict or no member of the set, and the KeyError would have to "
    "carry all of them; ask `in` before"
)


@frozen
class Search:
    """Where in the index a key was looked for last: it is there or, of a new key, would be there."""

    key: Any
    index: Atom
    slot: Value
    computed: Computed

    @staticmethod
    def ended(key: object, index: Atom, slot: Value) -> Search:
        """The search whose end is a slot that has just been computed."""
        return Search(key, index, slot, Computed.now())

    def is_of(self, key: object, index: Atom) -> bool:
        """Return whether a search for the key in this index has the same end, which is there to be used."""
        return self.key is key and self.index is index and self.computed.is_there


class HashTable(Hashed):
    """The base of dicts and sets of run-time keys."""

    __slots__ = ("extra_", "found_", "parts_", "removals_", "request_")
    names_: tuple[str, ...]
    parts_: tuple[Any, ...]  # the list of keys, of a dict that of the values, and the index; of a set its order, too
    extra_: Any
    request_: Capacity
    found_: Search | None
    no_parts_: ClassVar[tuple[Any, ...]] = ()

    @classmethod
    def bare_(cls, extra: tuple[Capacity, Any]) -> Any:
        """A table whose parts are given to it."""
        made = cls.__new__(cls)
        made.request_, made.extra_ = extra
        made.found_, made.removals_, made.parts_ = None, 0, cls.no_parts_
        return made

    def start_(self, keys: list[Any], *others: list[Any]) -> None:
        """Begin with these keys, which differ."""
        lists = [dynamic_list.growing(list(part)) for part in (keys, *others)]
        self.parts_ = (*lists, ListBuffer(self._no_entries()), *self.parts_[len(lists) + 1 :])
        if keys:
            self.rebuild_()

    def __anabranch_structure__(self) -> Structure:
        return TableStructure(type(self), self.names_, (self.request_, self.extra_))

    def __anabranch_slot__(self) -> Slot | None:
        return TableSlot(self)

    @property
    def origins(self) -> frozenset[Any]:
        """The places that make such tables."""
        frames = self.request_.place.frames
        place = frames[-1] if frames else current().trace.tables.made.get(self)  # an argument's was noted
        return frozenset() if place is None else frozenset((TableSite(place, self.native),))

    # ---- parts -------------------------------------------------------------------------------------------------------

    @property
    def keys_(self) -> Any:
        """The list of the keys."""
        return self.parts_[0]

    @property
    def index_(self) -> Atom:
        """The index: places in the list of keys, by hashes."""
        return wrap.as_atom(self.parts_[self._place_of_index])

    @property
    def lists_(self) -> tuple[Any, ...]:
        """The list of the keys, and of a dict that of the values."""
        return self.parts_[: self._place_of_index]

    @property
    def _place_of_index(self) -> int:
        return self.names_.index("index")

    @property
    def memory_(self) -> tuple[Any, ...]:
        return self.parts_

    def _set_index(self, index: Atom) -> None:
        self.parts_ = (*self.lists_, ListBuffer(index), *self.parts_[len(self.lists_) + 1 :])

    @property
    def size_(self) -> int:
        """How many entries the index has."""
        size: int = 2 << max(self.request_.size - 1, 1).bit_length()
        return size

    def _no_entries(self) -> Atom:
        return item_memory.filled((self.size_,), _INDEX, _EMPTY)

    def countable_(self) -> Countable:
        """The keys, for a loop that counts over them."""
        return View(self).fresh()

    # ---- searches ----------------------------------------------------------------------------------------------------

    def entry_(self, slot: Value) -> Value:
        """The place in the list of keys that an entry of the index has, or -1."""
        row = item_memory.row(self.index_, wrap.as_atom(slot, np.int64))
        place = atoms.ufunc(np.subtract, atoms.convert(row, np.int64), atoms.literal(1, np.int64))
        return python_scalar(place, Interval(_NONE, self.request_.size - 1))

    @property
    def _never_has_keys(self) -> bool:
        items = self.keys_.items
        return self.count_ == 0 if type(self.count_) is int else items is not None and not items.structure.variants

    def key_at_(self, place: Value) -> Value:
        """The key at a place of the list that is in range."""
        return element(self.keys_, place)

    def slot_of_(self, key: Value) -> Value:
        """The entry of the index that leads to a key or, where it is none, that is free for it."""
        if self.found_ is not None and self.found_.is_of(key, self.index_):
            return self.found_.slot
        asked, key = key, membership.hashable(key)
        first = self._at(key_hash.start_of(key, self.size_))
        if self._never_has_keys:
            return first

        zero = atoms.literal(0, np.int64)

        def goes_on(carries: Sequence[Atom]) -> Atom:
            place = wrap.as_atom(self.entry_(self._at(carries[0])), np.int64)
            there = atoms.ufunc(np.greater_equal, place, zero)
            # What is read where there is none is not looked at.
            other = self.key_at_(python_scalar(atoms.ufunc(np.maximum, place, zero), Interval(0, self.request_.size)))
            same = container_order.same_key(other, key)
            return atoms.logical_and(there, atoms.logical_not(wrap.as_atom(same, np.bool_)))

        slot = _searched(self, first, goes_on, object_keys.asks_users_code(key))
        self.found_ = Search.ended(asked, self.index_, slot)
        return slot

    def place_of_(self, key: Value) -> Value:
        """The place of a key in the list, or -1."""
        return self.entry_(self.slot_of_(key))

    def contains_(self, key: Value) -> Value:
        """`key in self`."""
        return self.place_of_(key) >= 0

    def _at(self, slot: Atom) -> Value:
        return python_scalar(slot, Interval(0, self.size_ - 1))

    def _after(self, carries: Sequence[Atom]) -> list[Atom]:
        """The next entry of the index."""
        following = atoms.ufunc(np.add, carries[0], atoms.literal(1, np.int64))
        return [atoms.ufunc(np.bitwise_and, following, atoms.literal(self.size_ - 1, np.int64))]

    # ---- changes -----------------------------------------------------------------------------------------------------

    def add_new_(self, key: Value) -> None:
        """Append a key that is not there."""
        slot = self.slot_of_(key)
        count = wrap.as_atom(self.count_, np.int64)
        full = atoms.ufunc(np.greater_equal, count, atoms.literal(self.request_.size, np.int64))
        capacity_requests.exceeded(full, self.request_)
        self.keys_.append(membership.hashable(key))
        # Half of the index stays empty whatever happens, so that each search ends.
        self._write(slot, atoms.select(full, atoms.literal(_NONE, np.int64), count))
        self.found_ = Search.ended(key, self.index_, slot)

    def _write(self, slot: Value, place: Atom) -> None:
        row = atoms.convert(atoms.ufunc(np.add, place, atoms.literal(1, np.int64)), _INDEX)
        self._set_index(item_memory.updated(self.index_, row, wrap.as_atom(slot, np.int64)))

    def rebuild_(self) -> None:
        """Make the index anew of the keys."""
        self._set_index(self._no_entries())

        def enter(place: Value, table: HashTable = self) -> None:
            key = table.key_at_(place)

            def is_taken(carries: Sequence[Atom]) -> Atom:
                return wrap.as_atom(table.entry_(table._at(carries[0])) >= 0, np.bool_)

            slot = repeated(is_taken, table._after, [key_hash.start_of(key, table.size_)])[0]
            table._write(table._at(slot), wrap.as_atom(place, np.int64))

        keys = self.keys_
        if keys.items is None:
            keys.become(keys.as_items())
        for_each(Range(0, self.count_, 1), enter)

    def remove_at_(self, place: Value) -> None:
        """Remove the key at a place; those after it stay in their order."""
        self.removals_ += 1
        for part in self.lists_:
            part.pop(place)
        self.rebuild_()

    def resized_(self, request: Capacity) -> Any:
        """The same keys, in a table of another capacity."""
        made = self.bare_((request, self.extra_))
        made.parts_ = self.parts_
        made.rebuild_()
        return made

    def refuse_(self, missing: Value, key: Value) -> None:
        """Raise a KeyError where a key is missing."""
        frames = run_time_checks.user_frames()
        if not object_keys.lies_in_arena(key):
            exceptions.record(wrap.as_atom(missing, np.bool_), KeyError(key), frames)
            return

        def fail() -> None:
            free = object_keys.out_of_arenas(key)
            error = KeyError(free) if free is not NotImplemented else UnsupportedOperationError(_OF_OTHERS)
            exceptions.record(atoms.literal(True), error, frames)

        if_(missing, fail, lambda: None)

    # ---- what needs a plain value ------------------------------------------------------------------------------------

    def plain_(self, *_: object) -> Any:
        if tracing():
            current().trace.outside.needs_plain()
        raise ConcretizationError(
            f"a {self.native.__name__} whose keys are known only at run time is used in code that is not compiled, or "
            "by an operation that needs the keys while tracing; go over it by a for statement"
        )

    def __iter__(self) -> Any:
        expected = unpacking.targets() if tracing() else None
        if expected is not None:
            return iter(self.unpacked_(expected))
        return Cursor(self) if tracing() else self.plain_()

    def unpacked_(self, count: int) -> tuple[Value, ...]:
        unpacking.check_length(self.count_, count)
        keys = self.countable_()
        return tuple([keys.at(place) for place in range(count)])

    __repr__ = __str__ = __format__ = plain_
    __len__ = __bool__ = __contains__ = __reduce_ex__ = plain_

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: '{self.native.__name__}'")


def _searched(table: Any, first: Value, goes_on: Callable[[Sequence[Atom]], Atom], runs_any_code: bool) -> Value:
    """The first entry, from one onwards, at which a search ends."""
    if not runs_any_code:
        return table._at(repeated(goes_on, table._after, [wrap.as_atom(first, np.int64)])[0])

    def test(slot: Value) -> Value:
        return python_scalar(goes_on([wrap.as_atom(slot, np.int64)]))

    def body(slot: Value, table: HashTable = table) -> Value:
        return table._at(table._after([wrap.as_atom(slot, np.int64)])[0])

    return table._at(wrap.as_atom(while_(test, body, (first,), ("the place of a key",)), np.int64))
