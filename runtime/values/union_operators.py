"""Python's operators on a union: on the number that is worth the same, on each number, or on the option it is."""

from __future__ import annotations

import abc
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import current
from anabranch.runtime.tracing.source_frames import is_in_place
from anabranch.runtime.values import attributes, registry
from anabranch.runtime.values.union_base import UnionBase, are_numbers, beside_union
from anabranch.runtime.values.union_operations import UNKNOWN, looked_up, operations


class UnionOperators(UnionBase):
    """`options[tag]` with Python's operators, which are those of the options."""

    __slots__ = ()

    @abc.abstractmethod
    def without_undefined(self) -> Value:
        """The union without the option of a name that is not set."""

    @abc.abstractmethod
    def resolve(self) -> Value:
        """The one number or array that holds each of the options."""

    @abc.abstractmethod
    def through(self, operation: Callable[[Any], object]) -> Value:
        """The operation on the value."""

    @abc.abstractmethod
    def in_place(self, operation: Callable[[Any], object]) -> Value:
        """The operation where it changes the value itself."""

    def held_(self) -> Value:
        """A new list of what it holds, where it is one of many lists of one length; NotImplemented elsewhere."""
        return NotImplemented


def operated(function: Callable[..., object], operands: tuple[Value, ...], place: int) -> Value:
    """A function of something that is one of a few alternatives, and of something else.

    It is done on the number that is worth the same, if that makes no difference beside the other. Else, of numbers, it
    is computed for each where nothing of that can fail.
    """
    before, after = operands[:place], operands[place + 1 :]
    value = operands[place].without_undefined()
    if not isinstance(value, UnionOperators):
        return function(*before, value, *after)
    if (held := value.held_()) is not NotImplemented:
        return function(*before, held, *after)
    others = before + after
    if function is operator.add and is_one_of_many_sequences(value) and all(map(are_texts, others)):
        first, second = (value, others[0]) if place == 0 else (others[0], value)
        return current().trace.outside.text_operations.add(first, second)  # not each with each
    if (found := beside_union(function, (*before, value, *after), place)) is not NotImplemented:
        return found
    if others and value.merges_with(others[0]):
        return function(*before, value.resolve(), *after)
    if are_numbers(value) and all(map(are_numbers, others)):
        found = operations().compute(function, (*before, value, *after), place)
        if found is not NotImplemented:
            return found
    return value.through(lambda v: _held(function(*before, v, *after)))


def _held(made: Value) -> Value:
    """A new array of texts as one that a branch can have as its result."""
    is_of_texts = type(made) is np.ndarray and made.dtype.kind in "US"
    return registry.FUNCTIONS[np.array](made) if is_of_texts else made


def are_texts(value: object) -> bool:
    """Return whether a value is a text, known or not, or one of several."""
    options = value.options if isinstance(value, UnionBase) else (value,)
    return all(isinstance(option, (str, attributes.TextStandIn)) for option in options)


def is_one_of_many_sequences(value: UnionBase) -> bool:
    """Return whether a choice is better taken for its characters than option by option."""
    return len(value.options) > _FEW and are_texts(value)


_FEW = 16


def _forward(function: Callable[[Any, Any], object]) -> Callable[[UnionOperators, Any], Any]:
    def forward(self: UnionOperators, other: object) -> Value:
        if (found := looked_up(function, self, other)) is not UNKNOWN:
            return found
        if isinstance(other, attributes.TextStandIn) and function is operator.add:
            return NotImplemented
        return operated(function, (self, other), 0)

    return forward


def _forward_in_place(function: Callable[[Any, Any], object]) -> Callable[[UnionOperators, Any], Any]:
    def forward(self: UnionOperators, other: object) -> Value:
        if (found := looked_up(function, self, other)) is not UNKNOWN:
            return found
        if self.merges_with(other) or are_numbers(self):
            return operated(function, (self, other), 0)
        if (found := beside_union(function, (self, other), 0)) is not NotImplemented:
            return found
        return self.in_place(lambda v: function(v, other))

    return forward


def _forward_unary(function: Callable[[Any], object]) -> Callable[[UnionOperators], Any]:
    def forward(self: UnionOperators) -> Value:
        found = looked_up(function, self)
        return operated(function, (self,), 0) if found is UNKNOWN else found

    return forward


def _added(a: Value, b: Value) -> Value:
    a += b
    return a


def _multiplied(a: Value, b: Value) -> Value:
    a *= b
    return a


def _subtracted(a: Value, b: Value) -> Value:
    a -= b
    return a


def _joined(a: Value, b: Value) -> Value:
    a |= b
    return a


def _cut(a: Value, b: Value) -> Value:
    a &= b
    return a


def _parted(a: Value, b: Value) -> Value:
    a ^= b
    return a


# Python asks the right operand before a container on the left, which changes itself. The functions have the operators
# written out, by which an option that is asked in turn knows what it is asked.
_CHANGES: dict[Callable[[Any, Any], object], tuple[str, Callable[[Value, Value], Value]]] = {
    operator.add: ("__iadd__", _added), operator.mul: ("__imul__", _multiplied),
    operator.sub: ("__isub__", _subtracted), operator.or_: ("__ior__", _joined),
    operator.and_: ("__iand__", _cut), operator.xor: ("__ixor__", _parted),
}  # fmt: skip


def _changed(target: Value, value: UnionOperators, change: Callable[[Value, Value], Value]) -> Value:
    """The container that an operator such as `+=` leaves: itself, unless an option makes something else of it."""
    made: list[Value] = []

    def done(option: Value) -> Value:
        made.append(change(target, option))
        return made[-1]

    left = value.through(done)
    return target if all(one is target for one in made) else left


def _reflect(function: Callable[[Any, Any], object]) -> Callable[[UnionOperators, Any], Any]:
    method, change = _CHANGES.get(function, (None, function))

    def reflect(self: UnionOperators, other: object) -> Value:
        if method is not None and hasattr(type(other), method) and is_in_place():
            return _changed(other, self, change)
        if (found := looked_up(function, other, self)) is not UNKNOWN:
            return found
        return operated(function, (other, self), 1)

    return reflect


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "matmul",
):  # fmt: skip
    _function = getattr(operator, _name)
    setattr(UnionOperators, f"__{_name.rstrip('_')}__", _forward(_function))
    setattr(UnionOperators, f"__r{_name.rstrip('_')}__", _reflect(_function))
    setattr(UnionOperators, f"__i{_name.rstrip('_')}__", _forward_in_place(getattr(operator, f"i{_name.rstrip('_')}")))
for _name in ("lt", "le", "gt", "ge"):
    setattr(UnionOperators, f"__{_name}__", _forward(getattr(operator, _name)))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(UnionOperators, f"__{_name}__", _forward_unary(getattr(operator, _name)))
