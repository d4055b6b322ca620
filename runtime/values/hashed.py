"""The base of dicts and sets whose keys may be known only at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values.run_time_container import RunTimeContainer


class Hashed(RunTimeContainer):
    """A dict or a set: its keys lie in a list, in the order in which they came, and are found by their hashes."""

    __slots__ = ()
    keys_: Any  # the list of the keys
    values_: Any  # of a dict: the list of the values
    request_: Any  # the capacity
    extra_: Any  # what it was made with: the factory
    removals_: int  # how often code that was traced has removed a key

    def members_(self) -> Any:
        """The keys, as `countable_`, for what does not depend on the order."""
        return self.countable_()

    def folded_(self, step: Callable[[Value, Atom], Atom], init: Atom) -> Atom:
        """The atom after `step(key, atom)` for each key, in whatever order; no step reads memory."""
        raise NotImplementedError

    def same_members_(self, other: Value) -> Value:
        """Return whether another frozenset has the same members; what is asked reads no memory."""
        raise NotImplementedError

    def plain_(self, *_: object) -> Any:
        """Refuse what needs the keys while tracing."""
        raise NotImplementedError

    def has_lost_(self, before: Value) -> Value:
        """Return whether keys have been removed since there were so many removals."""
        return self.lost_() != before

    def lost_(self) -> Value:
        """How many keys have been removed."""
        return self.removals_

    def opened_(self) -> Hashed:
        """The table in whose lists the keys and the values lie in their order, as they are now."""
        return self

    def free_(self) -> Hashed:
        """The same in no arena."""
        return self

    def whole_(self) -> Hashed:
        """The same with an index of its own."""
        return self

    @property
    def count_(self) -> Value:
        items = self.keys_.items
        return len(self.keys_) if items is None else items.length


class OfHashed:
    """The base of the keys, the values and the items of a dict or a set."""


class KeyedItems(OfHashed):
    """The base of views of keys, each with its value: no two have the same key."""


def summands(items: Value) -> Value:
    """The items, for a sum: the order of ints does not matter."""
    if not isinstance(items, Hashed):
        return items
    held = items.opened_()
    types = held.keys_.as_items().structure.rows
    return held.members_() if all(t.dtype.kind in "bi" for t in types) else items


def order_free(items: Value) -> Value:
    """The items, for an operation whose result does not depend on their order."""
    return items.members_() if isinstance(items, Hashed) else items
