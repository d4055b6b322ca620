"""Generators that go on wherever they are asked for the next item: iterators whose state is where they wait, and names.

A loop over a generator runs the generator's own loops, with its body inside them. That does not do where a generator is
asked in several places, or under a run-time condition. There it is made of steps, each from one yield to the next, and
is an object with attributes, as a user's iterator is: branches and loops carry what it holds.
"""

from __future__ import annotations

import operator
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from anabranch import transpile
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.if_ import if_
from anabranch.runtime.control.iteration import generator_steps, pull_iteration
from anabranch.runtime.control.staging import unpacking
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values.failures.ended_iterators import Body
from anabranch.runtime.values.undefined import Undefined
from anabranch.runtime.values.union import UnionValue

_ENDED = -1


@frozen
class _Code:
    """A generator function as steps, and the names that any of them hands on."""

    steps: tuple[Any, ...]
    names: tuple[str, ...]


class Resumable:
    """The base of the classes of such generators; each generator function has one.

    The attributes are `place`, the number of the yield that it waits at, `returned`, and the values of parameters and
    names.
    """

    code_: _Code
    rewritten_: Callable[[types.FunctionType], Callable[..., Any]]
    original_: types.FunctionType  # the generator function

    def __iter__(self) -> Value:
        if tracing() and unpacking.asks(sys._getframe(1)):
            return iter(current().trace.outside.called(list)(self))
        return self

    def __next__(self) -> Value:
        return pull_iteration.asked_at_once(self, lambda: self.send(None))

    def send(self, value: Value) -> Value:
        """The next item, with `value` as that of the yield which it waits at."""
        found, item = self.asked_(value)

        def ended() -> None:
            if self.returned is None:
                raise StopIteration
            raise StopIteration(self.returned)

        if isinstance(item, Undefined):  # there is none for sure
            return ended()
        return if_(found, lambda: item.without_undefined() if isinstance(item, UnionValue) else item, ended)

    __next__.staged_ = lambda self: self.send(None)  # type: ignore[attr-defined] # for code that is compiled

    def close(self) -> None:
        """End it."""
        self.place: Value = _ENDED

    def throw(self, error: Any, *_: object) -> None:
        """End it with an exception, which no step catches."""
        self.place = _ENDED
        raise error

    def asked_(self, sent: Value = None) -> tuple[Value, Value]:
        """Return whether there is a next item, and it."""

        def step() -> Value:
            item = self._chosen(tuple(range(len(self.code_.steps))), sent)
            return self.place != _ENDED, item

        return if_(self.place == _ENDED, lambda: (False, Undefined("item")), step)  # type: ignore[no-any-return]

    def _chosen(self, numbers: tuple[int, ...], sent: Value) -> Value:
        first, *rest = numbers
        if not rest:
            return self._run(first, sent)
        return if_(self.place == first, lambda: self._run(first, sent), lambda: self._chosen(tuple(rest), sent))

    def _run(self, number: int, sent: Value) -> Value:
        step, held = self.code_.steps[number], vars(self)
        last = len(step.parameters) - len(step.gives)
        given = [held[f"parameter_{name}"] for name in step.parameters[step.told : last]]
        names = [held[f"name_{name}"] for name in step.gives]
        known = [value.without_undefined() if isinstance(value, UnionValue) else value for value in names]
        function = self._told(self.rewritten_(step.function))
        return Body.of(self.original_.__code__).run(function, *(sent,)[: step.told], *given, *known)

    def _told(self, function: Any) -> types.FunctionType:
        """A step, as it is rewritten, that delivers to this generator."""
        cells = function.__closure__ or ()
        closure = tuple(types.CellType(self.deliver_) if _is_delivery(cell) else cell for cell in cells)
        made = types.FunctionType(function.__code__, function.__globals__, function.__name__, None, closure)
        made.__qualname__, made.__module__ = function.__qualname__, function.__module__
        return made

    def deliver_(self, number: int, value: Value, names: tuple[Value, ...]) -> Value:
        """The item of a step that has come to a yield; nothing of one that has come to the end."""
        if not number:
            self.place, self.returned = _ENDED, value
            return Undefined("item")
        self.place = number
        for name, held in zip(self.code_.steps[number].gives, names, strict=True):
            setattr(self, f"name_{name}", held)
        return value


def _is_delivery(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is _deliver
    except ValueError:
        return False


def _deliver(number: int, value: Value, names: tuple[Value, ...]) -> Value:
    """Stand for the method of a generator by which its steps deliver."""
    raise AssertionError(number, value, names)


HELPERS = transpile.StepHelpers(
    _deliver, _deliver, generator_steps.sequence, generator_steps.bounds, operator.index, len
)
_classes: weakref.WeakKeyDictionary[types.FunctionType, type[Resumable] | None] = weakref.WeakKeyDictionary()


def class_of(
    function: types.FunctionType, rewritten: Callable[[types.FunctionType], Callable[..., Any]]
) -> type[Resumable] | None:
    """The class of the generators of a function; None where it has no steps, or asks another generator in one.

    `rewritten` returns a function of the user's with its control flow staged.
    """
    if function not in _classes:
        _classes[function] = _class_of(function, rewritten)
    return _classes[function]


def _class_of(
    function: types.FunctionType, rewritten: Callable[[types.FunctionType], Callable[..., Any]]
) -> type[Resumable] | None:
    try:
        steps = transpile.steps_of_generator(function, HELPERS)
    except (transpile.NoSourceError, transpile.UnsupportedConstructError):
        return None
    if any(step.kind is not transpile.Resumed.YIELD for step in steps):
        return None
    names = tuple(dict.fromkeys(name for step in steps for name in step.gives))
    # Of the user's module, so that its objects are taken for what they are like: a user's iterators.
    held = {
        "code_": _Code(steps, names),
        "rewritten_": staticmethod(rewritten),
        "original_": staticmethod(function),
        "__module__": "__main__" if internal(function.__code__.co_filename) else function.__module__,
    }
    return type(function.__name__, (Resumable,), held)


def made(cls: type[Resumable], function: types.FunctionType, *args: Value, **kwargs: Value) -> Resumable:
    """The generator of a call."""
    plain = function(*args, **kwargs)
    one = cls()
    current().trace.identity.created.add(one)
    one.place, one.returned = 0, None
    for name, value in generator_steps.arguments_of(plain).items():
        setattr(one, f"parameter_{name}", value)
    for name in cls.code_.names:
        setattr(one, f"name_{name}", Undefined(name))
    return one
