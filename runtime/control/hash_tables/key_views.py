"""`keys()` and `items()` of dicts of run-time keys as operands: the keys as a set, the items as the dict."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.hash_tables.dynamic_set import DynamicSet, RunTimeSet
from anabranch.runtime.control.hash_tables.set_operators import SetOperators
from anabranch.runtime.control.hash_tables.views import Items, View
from anabranch.runtime.control.staging import run_time_keys

_EMPTY: dict[Any, Any] = {}
_PLAIN_KEYS, _PLAIN_ITEMS = type(_EMPTY.keys()), type(_EMPTY.items())


class Keys(SetOperators, View, sample=_EMPTY.keys):
    """The keys of a dict."""

    def _as_set(self) -> DynamicSet:
        """The set of the keys."""
        table: Any = self._owner.whole_()
        made = DynamicSet.bare_((table.request_, None))
        made.parts_ = (table.keys_.copy(), table.parts_[len(table.lists_)], *made.parts_[2:])
        made.mix_()
        return made  # type: ignore[no-any-return]

    def _other(self, other: Value) -> Value:
        return other

    def _compared(self, other: object) -> Any:
        """The other operand of a comparison, as a set; NotImplemented where it is none."""
        if isinstance(other, Keys):
            return other._as_set()
        if isinstance(other, _PLAIN_KEYS):
            return set(other)
        return other if isinstance(other, (set, frozenset, RunTimeSet)) else NotImplemented

    def isdisjoint(self, other: Value) -> Value:
        """As that of `dict.keys()`."""
        return self._as_set().isdisjoint(other)

    def __iter__(self) -> Any:
        run_time_keys.become_tables()  # a plain dict that |= is to change goes over them
        return super().__iter__()

    __hash__ = View.__hash__


class DictItems(Items, sample=_EMPTY.items):
    """The keys of a dict, each with its value."""

    def __eq__(self, other: object) -> Value:
        if isinstance(other, DictItems):
            return self._as_dict() == other._as_dict()
        return self._as_dict() == dict(other) if isinstance(other, _PLAIN_ITEMS) else self._refuse(other)

    def _as_dict(self) -> Any:
        table: Any = self._owner
        return table.as_dict_()

    __ne__ = boolean.differs

    __lt__ = __le__ = __gt__ = __ge__ = isdisjoint = View._refuse
    __hash__ = View.__hash__
