"""The operators of sets whose members are known only at run time, and of the keys of dicts, by the methods of sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import boolean


def _operator(method: str) -> Callable[[Any, Value], Value]:
    def operator(self: SetOperators, other: Value) -> Value:
        operand = self._other(other)
        return NotImplemented if operand is NotImplemented else getattr(self._as_set(), method)(operand)

    return operator


def _reflected(method: str) -> Callable[[Any, Value], Value]:
    def operator(self: SetOperators, other: Value) -> Value:
        operand = self._other(other)
        return NotImplemented if operand is NotImplemented else getattr(self._as_set().like_(operand), method)(self)

    return operator


def in_place(method: str) -> Callable[[Any, Value], Value]:
    """The operator that leaves in a set what a method returns."""

    def operator(self: Any, other: Value) -> Value:
        operand = self._other(other)
        return NotImplemented if operand is NotImplemented else self._become(getattr(self, method)(operand))

    return operator


class SetOperators:
    """The operators of what is a set, or has the members of one."""

    __slots__ = ()

    def _as_set(self) -> Any:
        """The set."""
        return self

    def _other(self, other: Value) -> Value:
        """The other operand; NotImplemented for one that sets are not computed with."""
        raise NotImplementedError

    def _compared(self, other: Value) -> Value:
        """The same, for one that sets are compared with."""
        return self._other(other)

    __or__, __ror__ = _operator("union"), _reflected("union")
    __and__, __rand__ = _operator("intersection"), _reflected("intersection")
    __sub__, __rsub__ = _operator("difference"), _reflected("difference")
    __xor__, __rxor__ = _operator("symmetric_difference"), _reflected("symmetric_difference")

    def __le__(self, other: Value) -> Value:
        operand = self._compared(other)
        return NotImplemented if operand is NotImplemented else self._as_set().issubset(operand)

    def __ge__(self, other: Value) -> Value:
        operand = self._compared(other)
        return NotImplemented if operand is NotImplemented else self._as_set().issuperset(operand)

    def __lt__(self, other: Value) -> Value:
        operand, mine = self._compared(other), self._as_set()
        return NotImplemented if operand is NotImplemented else _is_less(mine, mine.like_(operand))

    def __gt__(self, other: Value) -> Value:
        operand, mine = self._compared(other), self._as_set()
        return NotImplemented if operand is NotImplemented else _is_less(mine.like_(operand), mine)

    def __eq__(self, other: object) -> Value:
        operand = self._compared(other)
        if operand is NotImplemented:
            return NotImplemented
        mine = self._as_set()
        same = mine.like_(operand)
        return boolean.and_(mine.count_ == same.count_, lambda: mine.issubset(same))

    __ne__ = boolean.differs

    __hash__: Any = None  # each class has its own


def _is_less(one: Value, other: Value) -> Value:
    """Return whether one set is a part of another that has more members."""
    return boolean.and_(one.count_ < other.count_, lambda: one.issubset(other))
