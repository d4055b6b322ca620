"""Sets whose members are known only at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Self

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.generator_expression import GeneratorExpression, for_each
from anabranch.runtime.control.hash_tables.hash_table import HashTable
from anabranch.runtime.control.hash_tables.set_operators import SetOperators, in_place
from anabranch.runtime.control.hash_tables.views import View
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.tracing.capacity import Capacity
from anabranch.runtime.values import atoms, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.memory import item_memory
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import exceptions, layout as layouts


class Ordered(View):
    """The members of a set in Python's order."""

    def __init__(self, table: DynamicSet, order: Atom, held: DynamicSet | None = None) -> None:
        super().__init__(table, held)
        self._places = order

    def fresh(self) -> Countable:
        fresh: Countable = self._owner.countable_()
        return fresh

    def _element(self, index: int | PythonScalar) -> Value:
        place = item_memory.row(self._places, wrap.as_atom(index, np.int64))
        return super()._element(python_scalar(place, Interval(0, 2**31)))


# How the order of the members follows from that of the keys: of a set that has got them one by one, of one that is in
# the order of the keys, and of one that has lost members or comes of other sets.
GROWN, GIVEN, UNKNOWN = range(3)
_KIND = np.dtype(np.int32)
_NO_ORDER = (
    "the order of a set whose members are known only at run time is asked for, and it is known where the members are "
    "numbers, or tuples of numbers, that were added one by one, or where the set is an argument that has got no "
    "others; go over sorted(the set), or keep the members in a list or in a dict, which have an order"
)


class DynamicSet(SetOperators, HashTable):
    """A set."""

    __slots__ = ()
    names_ = ("keys", "index", "order")
    native: type[Any] = set

    @classmethod
    def bare_(cls, extra: tuple[Capacity, Any]) -> Any:
        """A set whose parts are given to it."""
        made = super().bare_(extra)
        made.parts_ = (None, None, ListBuffer(atoms.literal(GROWN, _KIND)))
        return made

    def begun_(self, members: Any) -> Self:
        """The set with what it holds at its beginning."""
        self.start_(list(members))
        return self

    def given_(self, members: Sequence[Any]) -> Self:
        """The set with members that are in the order in which Python goes over them."""
        self.start_(list(members))
        self._set_order(GIVEN)
        return self

    def written_(self) -> Any:
        return self.keys_

    def countable_(self) -> Any:
        return Ordered(self, self._order())

    # ---- order -------------------------------------------------------------------------------------------------------

    @property
    def order_(self) -> Atom:
        """How the order in which Python goes over the members follows from that of the keys."""
        return wrap.as_atom(self.parts_[-1])

    def _set_order(self, order: int | Atom) -> None:
        atom = atoms.literal(order, _KIND) if isinstance(order, int) else order
        if atom is not self.order_:
            self.parts_ = (*self.parts_[:-1], ListBuffer(atom))

    def _order(self) -> Atom:
        """The places of the members in the order in which Python goes over them."""
        keys, members = self.keys_.as_items().structure, self._numbers()
        known = int(self.order_.value) if isinstance(self.order_, Literal) else None
        given = atoms.literal(np.arange(max(keys.capacity, 1), dtype=np.int64))
        if known == GIVEN or (not keys.rows and len(keys.variants) < 2):
            return given
        if known == UNKNOWN or (known == GROWN and members is None):
            raise UnsupportedOperationError(_NO_ORDER)
        bad = self._is(UNKNOWN) if members is not None else atoms.logical_not(self._is(GIVEN))
        run_time_checks.fail_if(bad, lambda _: UnsupportedOperationError(_NO_ORDER))
        if members is None:
            return given
        grown = atoms.op("set_order", members, wrap.as_atom(self.count_, np.int64))
        return grown if known == GROWN else atoms.select(self._is(GIVEN), given, grown)

    def _is(self, order: int) -> Atom:
        return atoms.ufunc(np.equal, self.order_, atoms.literal(order, _KIND))

    def _numbers(self) -> Atom | None:
        """The members as a vector of numbers, or as a matrix where they are tuples; None where they are others."""
        keys = self.keys_.as_items()
        kinds, types = keys.structure.variants, keys.structure.rows
        dtype = np.result_type(np.int64, *[t.dtype for t in types])
        whole = all(t.dtype.kind in "biu" for t in types)
        expected = np.int64 if whole else np.float64
        if dtype != expected or not (whole or all(t.dtype.kind == "f" for t in types)):
            return None
        if len(kinds) != 1 or any(t.shape for t in types):
            return None
        columns = [atoms.convert(b, dtype) for b in keys.buffers]
        if isinstance(kinds[0], layouts.Leaf):
            return columns[0]
        flat = isinstance(kinds[0], layouts.Node) and kinds[0].structure.cls is tuple
        if not flat or not all(isinstance(part, layouts.Leaf) for part in kinds[0].children):
            return None
        length = columns[0].type.shape[0]
        return atoms.op("concatenate", *(atoms.reshape(c, (length, 1)) for c in columns), axis=1)

    def mix_(self) -> None:
        """Note that the order depends on more than the order in which the members came."""
        self._set_order(UNKNOWN)

    def members_(self) -> Any:
        """The members in the order in which they came, for what does not depend on the order."""
        return super().countable_()

    def add(self, member: Value) -> None:
        """As `set.add`."""

        def new(table: DynamicSet = self) -> None:
            table.add_new_(member)
            table._mix_given()

        if_(self.place_of_(member) < 0, new, lambda: None)

    def _mix_given(self) -> None:
        """Note that a member has been added: where the order was given, it is not known any more."""
        if isinstance(self.order_, Literal):
            self._set_order(UNKNOWN if int(self.order_.value) == GIVEN else self.order_)
        else:
            self._set_order(atoms.select(self._is(GROWN), self.order_, atoms.literal(UNKNOWN, _KIND)))

    def discard(self, member: Value) -> None:
        """As `set.discard`."""
        place = self.place_of_(member)

        def found(table: DynamicSet = self) -> None:
            table._mix_grown()
            table.remove_at_(place)

        if_(place < 0, lambda: None, found)

    def _mix_grown(self) -> None:
        """Note that a member has left: those of a given order stay in it."""
        if isinstance(self.order_, Literal):
            self._set_order(self.order_ if int(self.order_.value) == GIVEN else UNKNOWN)
        else:
            self._set_order(atoms.select(self._is(GIVEN), self.order_, atoms.literal(UNKNOWN, _KIND)))

    def remove(self, member: Value) -> None:
        """As `set.remove`."""
        place = self.place_of_(member)
        missing = wrap.as_atom(place < 0, np.bool_)
        exceptions.record(missing, KeyError(member), run_time_checks.user_frames())
        self._mix_grown()
        self.remove_at_(place)

    def pop(self) -> NoReturn:
        """As `set.pop`, which is refused."""
        raise UnsupportedOperationError(
            "pop() of a set whose members are known only at run time: which one Python takes depends on what the set "
            "has been through; take min(the set), or keep the members in a list or in a dict"
        )

    def clear(self) -> None:
        """As `set.clear`: Python's has forgotten by then what it has been through."""
        self._set_order(GROWN)
        self.keys_.clear()
        self._set_index(self._no_entries())

    def copy(self) -> Self:
        """As `set.copy`."""
        made: Self = self.bare_((self.request_, self.extra_))
        made.parts_ = (self.keys_.copy(), *self.parts_[1:])
        made.mix_()
        return made

    __copy__ = copy

    def update(self, *others: Value) -> None:
        """As `set.update`."""
        for other in others:
            self._for_each(other, self.add)

    def _for_each(self, other: Value, consume: Any) -> None:
        def each(member: Value, table: DynamicSet = self) -> None:
            consume(member)

        if isinstance(other, (DynamicSet, set, frozenset, dict)):
            self.mix_()
        items = other.members_() if isinstance(other, DynamicSet) else other
        for_each(items, each)

    def like_(self, other: Value) -> DynamicSet:
        """Another set as one of these."""
        if isinstance(other, DynamicSet):
            return other
        made: DynamicSet = self.bare_((self.request_, self.extra_))
        made.mix_()
        made.start_([])
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
        made: Self = self.bare_((self.request_, self.extra_))
        made.mix_()
        made.start_([])

        def each(member: Value, made: DynamicSet = made, other: DynamicSet = other) -> None:
            found = other.contains_(member)

            def keep(made: DynamicSet = made) -> None:
                made.add_new_(member)

            if_(found if there else boolean.not_(found), keep, lambda: None)

        for_each(self.members_(), each)
        return made

    def intersection(self, *others: Value) -> Self:
        """As `set.intersection`."""
        made = self.copy() if not others else self
        for other in others:
            made = made._kept(self.like_(other), there=True)
        return made

    def difference(self, *others: Value) -> Self:
        """As `set.difference`."""
        made = self.copy() if not others else self
        for other in others:
            made = made._kept(self.like_(other), there=False)
        return made

    def symmetric_difference(self, other: Value) -> Self:
        """As `set.symmetric_difference`."""
        other = self.like_(other)
        made = self._kept(other, there=False)
        made.update(other._kept(self, there=False))
        return made

    def _become(self, other: DynamicSet) -> Self:
        """Have the members of another set."""
        self.keys_.become(other.keys_.contents())
        self._set_index(other.index_)
        return self

    def intersection_update(self, *others: Value) -> None:
        """As `set.intersection_update`."""
        self._become(self.intersection(*others))

    def difference_update(self, *others: Value) -> None:
        """As `set.difference_update`."""
        self._become(self.difference(*others))

    def symmetric_difference_update(self, other: Value) -> None:
        """As `set.symmetric_difference_update`."""
        self._become(self.symmetric_difference(other))

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
        return other if isinstance(other, (set, frozenset, DynamicSet)) else NotImplemented

    __ior__, __iand__ = in_place("union"), in_place("intersection")
    __isub__, __ixor__ = in_place("difference"), in_place("symmetric_difference")

    __hash__ = HashTable.__hash__
