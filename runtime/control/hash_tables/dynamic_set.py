"""Sets whose members are known only at run time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Self

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.generator_expression import GeneratorExpression, for_each
from anabranch.runtime.control.hash_tables import set_order
from anabranch.runtime.control.hash_tables.hash_table import HashTable
from anabranch.runtime.control.hash_tables.set_operators import SetOperators, in_place
from anabranch.runtime.control.hash_tables.set_order import GIVEN, GROWN, KIND, UNKNOWN
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.control_of_atoms import repeated
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.python_numbers.python_scalar import python_scalar


class RunTimeSet(SetOperators, HashTable):
    """The base of sets and frozensets: what does not change them."""

    __slots__ = ()
    names_ = ("keys", "index", "order")

    @classmethod
    def bare_(cls, extra: tuple[Capacity, Any]) -> Any:
        """A set whose parts are given to it."""
        made = super().bare_(extra)
        made.parts_ = (None, None, ListBuffer(atoms.literal(GROWN, KIND)))
        return made

    def begun_(self, members: Any) -> Self:
        """The set with what it holds at its beginning."""
        self.start_(list(members))
        return self

    def given_(self, members: Sequence[Any]) -> Self:
        """The set with members that are in the order in which Python goes over them."""
        self.start_(list(members))
        self.set_order_(GIVEN)
        return self

    def written_(self) -> Any:
        return self.keys_

    def countable_(self) -> Any:
        return set_order.Ordered(self, set_order.places(self), self)

    # ---- order -------------------------------------------------------------------------------------------------------

    @property
    def order_(self) -> Atom:
        """How the order in which Python goes over the members follows from that of the keys."""
        return wrap.as_atom(self.parts_[-1])

    def set_order_(self, order: int | Atom) -> None:
        """Note how the order follows from that of the keys."""
        atom = atoms.literal(order, KIND) if isinstance(order, int) else order
        if atom is not self.order_:
            self.parts_ = (*self.parts_[:-1], ListBuffer(atom))

    def _is(self, order: int) -> Atom:
        return atoms.ufunc(np.equal, self.order_, atoms.literal(order, KIND))

    def mix_(self) -> None:
        """Note that the order depends on more than the order in which the members came."""
        self.set_order_(UNKNOWN)

    def members_(self) -> Any:
        """The members in the order in which they came, for what does not depend on the order."""
        return super().countable_()

    def put_(self, member: Value) -> None:
        """Have a member, which may be there."""

        def new(table: RunTimeSet = self) -> None:
            table.add_new_(member)
            table._mix_unless(GROWN)  # a given order says nothing of one more member

        if_(self.place_of_(member) < 0, new, lambda: None)

    def _mix_unless(self, kind: int) -> None:
        """Note that the order of the members is not known any more, unless it is of a kind that stays."""
        if isinstance(self.order_, Literal):
            self.set_order_(self.order_ if int(self.order_.value) == kind else UNKNOWN)
        else:
            self.set_order_(atoms.select(self._is(kind), self.order_, atoms.literal(UNKNOWN, KIND)))

    def copied_(self) -> Self:
        """Another one with the same members."""
        made: Self = self.bare_((self.request_, self.extra_))
        made.parts_ = (self.keys_.copy(), *self.parts_[1:])
        made.mix_()
        return made

    def put_all_(self, *others: Value) -> None:
        """Have the members of others."""
        for other in others:

            def each(member: Value, table: RunTimeSet = self) -> None:
                table.put_(member)

            if isinstance(other, (RunTimeSet, set, frozenset, dict)):
                self.mix_()
            for_each(other.members_() if isinstance(other, RunTimeSet) else other, each)

    def like_(self, other: Value) -> RunTimeSet:
        """Another set as one of these."""
        if isinstance(other, RunTimeSet):
            return other
        kind = DynamicFrozenset if isinstance(other, frozenset) else DynamicSet
        made: RunTimeSet = kind.bare_((self.request_, self.extra_))
        made.mix_()
        made.start_([])
        made.put_all_(other)
        if isinstance(other, (set, frozenset)) and all(type(m) in (int, float, bool) for m in other):
            made.set_order_(GIVEN)
        return made

    # ---- with others -------------------------------------------------------------------------------------------------

    def union(self, *others: Value) -> Self:
        """As `set.union`."""
        made = self.copied_()
        made.put_all_(*others)
        return made

    def _kept(self, other: Value, there: bool) -> Self:
        """The members that are, or are not, in another set, or in what is no set."""
        made: Self = self.copied_() if other is self and there else self.bare_((self.request_, self.extra_))
        if other is self and there:
            return made
        like = self.like_(other)
        if current().trace.tables.keeps_orders and self.arena_ is None and like.arena_ is None:
            made.start_([])
            if there:
                set_order.fill_with_common(made, self, like, self._other(other) is not NotImplemented)
            else:
                set_order.fill_with_others(
                    made, self, like, self._other(other) is not NotImplemented or type(other) is dict
                )
            return made
        current().trace.tables.loses_orders = True
        made.mix_()
        made.start_([])
        if there and self._kinds() != like._kinds():  # which of two equal members is kept shows
            set_order.add_common(made, self, like, self._other(other) is not NotImplemented)
            made.mix_()
            return made

        def each(member: Value, made: RunTimeSet = made, other: RunTimeSet = like) -> None:
            found = other.contains_(member)

            def keep(made: RunTimeSet = made) -> None:
                made.add_new_(member)

            if_(found if there else boolean.not_(found), keep, lambda: None)

        for_each(self.members_(), each)
        return made

    def _kinds(self) -> tuple[object, ...]:
        kinds: tuple[object, ...] = self.keys_.as_items().structure.variants
        return kinds

    def intersection(self, *others: Value) -> Self:
        """As `set.intersection`."""
        made = self.copied_() if not others else self
        for other in others:
            made = made._kept(other, there=True)
        return made

    def difference(self, *others: Value) -> Self:
        """As `set.difference`."""
        made = self.copied_() if not others else self
        for place, other in enumerate(others):
            made = made._kept(other, there=False)
            if place:
                made.mix_()  # Python takes away from the first difference
        return made

    def symmetric_difference(self, other: Value) -> Self:
        """As `set.symmetric_difference`."""
        other = self.like_(other)
        made = self._kept(other, there=False)
        made.put_all_(other._kept(self, there=False))
        return made

    def issubset(self, other: Value) -> Value:
        """As `set.issubset`."""
        other = self.like_(other)
        inside = GeneratorExpression(self.members_(), other.contains_)
        return generator_reductions.quantified(inside, until=False)

    def issuperset(self, other: Value) -> Value:
        """As `set.issuperset`."""
        return self.like_(other).issubset(self)

    def isdisjoint(self, other: Value) -> Value:
        """As `set.isdisjoint`."""
        other = self.like_(other)
        shared = GeneratorExpression(self.members_(), other.contains_)
        return boolean.not_(generator_reductions.quantified(shared, until=True))

    def _other(self, other: Value) -> Any:
        return other if isinstance(other, (set, frozenset, RunTimeSet)) else NotImplemented

    __hash__ = HashTable.__hash__


class DynamicFrozenset(RunTimeSet):
    """A frozenset."""

    __slots__ = ()
    native: type[Any] = frozenset

    def copy(self) -> Self:
        """As `frozenset.copy`."""
        return self

    __copy__ = copy

    def folded_(self, step: Callable[[Value, Atom], Atom], init: Atom) -> Atom:
        keys, count = self.keys_.as_items(), wrap.as_atom(self.count_, np.int64)
        if self.keys_.items is None:
            self.keys_.become(keys)  # where a search goes on to look at them no memory is read

        def one_more(carries: Sequence[Atom]) -> list[Atom]:
            member = keys.item(python_scalar(carries[0], Interval(0, self.request_.size)))
            return [atoms.ufunc(np.add, carries[0], atoms.literal(1, np.int64)), step(member, carries[1])]

        if not keys.structure.capacity:
            return init
        start = [atoms.literal(0, np.int64), init]
        return repeated(lambda carries: atoms.ufunc(np.less, carries[0], count), one_more, start)[1]

    def same_members_(self, other: Value) -> Value:
        if not isinstance(other, (frozenset, DynamicFrozenset)):
            return self == other

        def both(member: Value, sofar: Atom) -> Atom:
            return atoms.logical_and(sofar, wrap.as_atom(self.contains_(member), np.bool_))

        size = len(other) if isinstance(other, frozenset) else other.count_
        same = wrap.as_atom(self.count_ == size, np.bool_)
        if isinstance(other, frozenset):
            return python_scalar(functools.reduce(lambda sofar, member: both(member, sofar), other, same))
        return python_scalar(other.folded_(both, same))

    def __hash__(self) -> int:
        current().trace.tables.ask_for_places()
        refused: int = self.plain_()
        return refused


class DynamicSet(RunTimeSet):
    """A set."""

    __slots__ = ()
    native: type[Any] = set

    def add(self, member: Value) -> None:
        """As `set.add`."""
        self.put_(member)

    def discard(self, member: Value) -> None:
        """As `set.discard`."""
        place = self.place_of_(member)

        def found(table: DynamicSet = self) -> None:
            table._mix_unless(GIVEN)  # those of a given order stay in it
            table.remove_at_(place)

        if_(place < 0, lambda: None, found)

    def remove(self, member: Value) -> None:
        """As `set.remove`."""
        place = self.place_of_(member)
        self.refuse_(place < 0, member)
        self._mix_unless(GIVEN)  # those of a given order stay in it
        self.remove_at_(place)

    def pop(self) -> NoReturn:
        """As `set.pop`, which is refused."""
        raise UnsupportedOperationError(
            "pop() of a set whose members are known only at run time: which one Python takes depends on what the set "
            "has been through; take min(the set), or keep the members in a list or in a dict"
        )

    def clear(self) -> None:
        """As `set.clear`: Python's has forgotten by then what it has been through."""
        self.set_order_(GROWN)
        self.keys_.clear()
        self._set_index(self._no_entries())

    def copy(self) -> Self:
        """As `set.copy`."""
        return self.copied_()

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Value]) -> Self:
        return self.copy()

    def update(self, *others: Value) -> None:
        """As `set.update`."""
        self.put_all_(*others)

    def _become(self, other: DynamicSet) -> Self:
        """Have the members of another set."""
        self.keys_.become(other.keys_.contents())
        self._set_index(other.index_)
        self.set_order_(other.order_)
        return self

    def _lose(self, *others: Value) -> Self:
        """Lose the members that others have: what stays is in the order that it had, or in none that is known."""
        left = self.difference(*others)
        left.mix_()
        return self._become(left)

    def intersection_update(self, *others: Value) -> None:
        """As `set.intersection_update`."""
        self._become(self.intersection(*others))

    def difference_update(self, *others: Value) -> None:
        """As `set.difference_update`."""
        self._lose(*others)

    def symmetric_difference_update(self, other: Value) -> None:
        """As `set.symmetric_difference_update`."""
        self._become(self.symmetric_difference(other))

    __ior__, __iand__, __ixor__ = in_place("union"), in_place("intersection"), in_place("symmetric_difference")

    def __isub__(self, other: Value) -> Value:
        return NotImplemented if self._other(other) is NotImplemented else self._lose(other)
