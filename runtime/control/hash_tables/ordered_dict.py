"""`collections.OrderedDict` of keys that are known only at run time."""

from __future__ import annotations

import collections
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control.dynamic_lists import dynamic_list
from anabranch.runtime.control.hash_tables.dynamic_dict import JOINING, DynamicDict
from anabranch.runtime.control.hash_tables.views import element
from anabranch.runtime.control.if_ import if_


class DynamicOrderedDict(DynamicDict):
    """An ordered dict."""

    __slots__ = ()
    native: Any = collections.OrderedDict

    def move_to_end(self, key: Value, last: Value = True) -> None:
        """As `OrderedDict.move_to_end`."""
        place = self.place_of_(key)
        self.refuse_(place < 0, key)
        item = self.key_at_(place), element(self.values_, place)
        self.remove_at_(place)
        if_(last, lambda: self.insert_(*item), lambda: self.insert_first_(*item))

    def insert_first_(self, key: Value, value: Value) -> None:
        """Add a key that is not there, before all others."""
        self.keys_.insert(0, key)
        self.values_.insert(0, value)
        self.rebuild_()

    def popitem(self, last: Value = True) -> Value:
        """As `OrderedDict.popitem`."""
        return self._popped("dictionary is empty", lambda: if_(last, self.last_place_, self.first_place_))

    def first_place_(self) -> Value:
        """The place of the first item, of which there is one."""
        return 0

    def __eq__(self, other: object) -> Value:
        """As `OrderedDict.__eq__`: the order counts where both have one."""
        if isinstance(other, (collections.OrderedDict, DynamicOrderedDict)):
            return dynamic_list.listed(self.items()) == dynamic_list.listed(other.items())
        return super().__eq__(other)

    __hash__ = DynamicDict.__hash__


JOINING[collections.OrderedDict] = DynamicOrderedDict
