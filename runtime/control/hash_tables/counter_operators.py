"""The operators of Counters whose keys are known only at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import boolean
from anabranch.runtime.control.containers import generator_reductions
from anabranch.runtime.control.generator_expression import GeneratorExpression, for_each
from anabranch.runtime.control.if_ import if_

Count = Callable[[Any, Any], Any]


def _greater(one: Value, other: Value) -> Value:
    return if_(one < other, lambda: other, lambda: one)


def _less(one: Value, other: Value) -> Value:
    return if_(one < other, lambda: one, lambda: other)


def _operator(count: Count, takes_others: bool = True) -> Callable[[Any, Value], Value]:
    """The operator that gives the positive counts; `takes_others`: also of what only the other has."""

    def operator(self: CounterOperators, other: Value) -> Value:
        right = self.counter_of_(other)
        return NotImplemented if right is None else self._combined(right, count, takes_others)

    return operator


def _reflected(count: Count, takes_others: bool = True) -> Callable[[Any, Value], Value]:
    def operator(self: CounterOperators, other: Value) -> Value:
        left = self.counter_of_(other)
        return NotImplemented if left is None else left._combined(self, count, takes_others)

    return operator


def _in_place(count: Count, takes_others: bool = True) -> Callable[[Any, Value], Value]:
    """The operator that leaves its result in the Counter on the left; on the right there may be any mapping."""

    def operator(self: Any, other: Value) -> Value:
        right = self.counter_of_(other)
        if right is None:
            right = self.empty_()
            _for_each_item(other, right.__setitem__, right)
        found = self._combined(right, count, takes_others)
        self.clear()
        self.update(found)
        return self

    return operator


def _compared(holds: Callable[[Any, Any], Any], strictly: bool = False) -> Callable[[Any, Value], Value]:
    """The comparison that holds where it does for each count; a key that is not there counts as zero."""

    def comparison(self: CounterOperators, other: Value) -> Value:
        right = self.counter_of_(other)
        if right is None:
            return NotImplemented
        found = holds_for_each(self, right, holds)
        return boolean.and_(found, lambda: self != right) if strictly else found

    return comparison


def holds_for_each(one: Any, other: Any, holds: Callable[[Any, Any], Any]) -> Value:
    """Return whether a relation holds between the counts of each key of either Counter."""

    def of_keys(keys: Any) -> Value:
        def test(key: Value, pair: tuple[Any, Any] = (one, other)) -> Value:
            return holds(pair[0][key], pair[1][key])

        return generator_reductions.quantified(GeneratorExpression(keys, test), until=False)

    return boolean.and_(of_keys(one.keys()), lambda: of_keys(other.keys()))


def _for_each_item(table: Any, consume: Callable[[Any, Any], Any], made: Any) -> None:
    def each(pair: Value, made: Any = made) -> None:
        consume(*pair)

    for_each(table.items(), each)


class CounterOperators:
    """The operators of a Counter."""

    __slots__ = ()

    def counter_of_(self, other: Value) -> Any:
        """The other operand as a Counter of this form; None for one that Counters are not computed with."""
        raise NotImplementedError

    def empty_(self) -> Any:
        """A new Counter without keys."""
        raise NotImplementedError

    def _combined(self: Any, other: Any, count: Count, takes_others: bool) -> Value:
        made = self.empty_()

        def keep(key: Value, n: Value) -> None:
            def add(made: Any = made) -> None:
                made.insert_(key, n)

            if_(n > 0, add, lambda: None)

        _for_each_item(self, lambda key, n: keep(key, count(n, other[key])), made)
        if takes_others:

            def other_one(key: Value, n: Value) -> None:
                if_(self.contains_(key), lambda: None, lambda: keep(key, count(0, n)))

            _for_each_item(other, other_one, made)
        return self.placed_(made)

    __add__, __radd__ = _operator(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _operator(operator.sub), _reflected(operator.sub)
    __and__, __rand__ = _operator(_less, takes_others=False), _reflected(_less, takes_others=False)
    __iadd__, __isub__ = _in_place(operator.add), _in_place(operator.sub)
    __ior__, __iand__ = _in_place(_greater), _in_place(_less, takes_others=False)
    __le__, __ge__ = _compared(operator.le), _compared(operator.ge)
    __lt__, __gt__ = _compared(operator.le, strictly=True), _compared(operator.ge, strictly=True)

    _greatest, _reflected_greatest = _operator(_greater), _reflected(_greater)

    def __or__(self: Any, other: Value) -> Value:
        made = self._greatest(other)
        # With a dict it makes a dict, by the class beside which this one stands.
        return super().__or__(other) if made is NotImplemented else made  # type: ignore[misc]

    def __ror__(self: Any, other: Value) -> Value:
        made = self._reflected_greatest(other)
        return super().__ror__(other) if made is NotImplemented else made  # type: ignore[misc]

    def __pos__(self) -> Value:
        return self._combined(self.empty_(), operator.add, False)

    def __neg__(self) -> Value:
        return self._combined(self.empty_(), lambda n, zero: zero - n, False)
