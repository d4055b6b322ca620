"""Sets whose members are known only at run time."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.generator_expression import GeneratorExpression
from anabranch.runtime.control.hash_tables.hash_table import HashTable
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.values import wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.pytrees import exceptions


class DynamicSet(HashTable):
    """A set."""

    __slots__ = ()
    native: type[Any] = set

    def begun_(self, members: Any) -> Self:
        """The set with what it holds at its beginning."""
        self.start(list(members))
        return self

    def countable_(self) -> Any:
        raise UnsupportedOperationError(
            "the order of a set whose members are known only at run time is Python's own affair; go over "
            "sorted(the set), or keep the members in a list or in a dict, which have an order"
        )

    def members_(self) -> Any:
        """The members in the order in which they came, for what does not depend on the order."""
        return super().countable_()

    def add(self, member: Value) -> None:
        """As `set.add`."""

        def new(table: DynamicSet = self) -> None:
            table.added(member)

        if_(self.place_of(member) < 0, new, lambda: None)

    def discard(self, member: Value) -> None:
        """As `set.discard`."""
        place = self.place_of(member)

        def found(table: DynamicSet = self) -> None:
            table.removed(place)

        if_(place < 0, lambda: None, found)

    def remove(self, member: Value) -> None:
        """As `set.remove`."""
        place = self.place_of(member)
        missing = wrap.as_atom(place < 0, np.bool_)
        exceptions.record(missing, KeyError(member), run_time_checks.user_frames())
        self.removed(place)

    def clear(self) -> None:
        """As `set.clear`."""
        self.keys_.clear()
        self._set_index(self._no_entries())

    def copy(self) -> Self:
        """As `set.copy`."""
        made: Self = self.bare((self.request, self.extra))
        made.parts_ = (self.keys_.copy(), self.parts_[-1])
        return made

    __copy__ = copy

    def update(self, *others: Value) -> None:
        """As `set.update`."""
        for other in others:
            self._for_each(other, self.add)

    def _for_each(self, other: Value, consume: Any) -> None:
        def each(member: Value, table: DynamicSet = self) -> bool:
            consume(member)
            return False

        items = other.members_() if isinstance(other, DynamicSet) else other
        GeneratorExpression(items, lambda member: member).for_each(each, may_stop=False)

    def _like(self, other: Value) -> DynamicSet:
        """Another set as one of these."""
        if isinstance(other, DynamicSet):
            return other
        made: DynamicSet = self.bare((self.request, self.extra))
        made.start([])
        made.update(other)
        return made

    # ---- with others -------------------------------------------------------------------------------------------------

    def union(self, *others: Value) -> Self:
        """As `set.union`."""
        made = self.copy()
        made.update(*others)
        return made

    def _kept(self, other: DynamicSet, there: bool) -> Self:
        """The members that are, or are not, in another set."""
        made: Self = self.bare((self.request, self.extra))
        made.start([])

        def each(member: Value, made: DynamicSet = made, other: DynamicSet = other) -> bool:
            found = other.contains(member)

            def keep(made: DynamicSet = made) -> None:
                made.added(member)

            if_(found if there else boolean.not_(found), keep, lambda: None)
            return False

        GeneratorExpression(self.members_(), lambda member: member).for_each(each, may_stop=False)
        return made

    def intersection(self, *others: Value) -> Self:
        """As `set.intersection`."""
        made = self.copy() if not others else self
        for other in others:
            made = made._kept(self._like(other), there=True)
        return made

    def difference(self, *others: Value) -> Self:
        """As `set.difference`."""
        made = self.copy() if not others else self
        for other in others:
            made = made._kept(self._like(other), there=False)
        return made

    def symmetric_difference(self, other: Value) -> Self:
        """As `set.symmetric_difference`."""
        other = self._like(other)
        made = self._kept(other, there=False)
        made.update(other._kept(self, there=False))
        return made

    def issubset(self, other: Value) -> Value:
        """As `set.issubset`."""
        other = self._like(other)
        inside = GeneratorExpression(self.members_(), other.contains)
        return generator_reductions.quantified(inside, until=False)

    def issuperset(self, other: Value) -> Value:
        """As `set.issuperset`."""
        return self._like(other).issubset(self)

    def isdisjoint(self, other: Value) -> Value:
        """As `set.isdisjoint`."""
        other = self._like(other)
        shared = GeneratorExpression(self.members_(), other.contains)
        return boolean.not_(generator_reductions.quantified(shared, until=True))

    def _other(self, other: Value) -> Any:
        return other if isinstance(other, (set, frozenset, DynamicSet)) else None

    def __or__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self.union(other)

    def __and__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self.intersection(other)

    def __sub__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self.difference(other)

    def __xor__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self.symmetric_difference(other)

    def __ror__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self._like(other).union(self)

    def __rand__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self._like(other).intersection(self)

    def __rsub__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self._like(other).difference(self)

    def __rxor__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self._like(other).symmetric_difference(self)

    def __ior__(self, other: Value) -> Self:
        self.update(other)
        return self

    def __le__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self.issubset(other)

    def __ge__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self.issuperset(other)

    def __lt__(self, other: Value) -> Value:
        if self._other(other) is None:
            return NotImplemented
        other = self._like(other)
        return boolean.and_(self.count_ < other.count_, lambda: self.issubset(other))

    def __gt__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is None else self._like(other) < self

    def __eq__(self, other: object) -> Value:
        if self._other(other) is None:
            return NotImplemented
        same = self._like(other)
        return boolean.and_(self.count_ == same.count_, lambda: self.issubset(same))

    def __ne__(self, other: object) -> Value:
        same = self == other
        return same if same is NotImplemented else boolean.not_(same)

    __hash__ = HashTable.__hash__
