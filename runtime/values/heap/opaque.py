"""Mutable objects whose contents can be compared but not carried: iterators, buffers, streams, loggers, foreign arrays.

A branch or a loop's body that changes one at run time is refused, as nothing could put it back.
"""

from __future__ import annotations

import array
import contextvars
import gc
import io
import logging
import operator
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from anabranch.base.by_identity import IdentitySet, reached
from anabranch.base.value import Value
from anabranch.runtime.device import foreign
from anabranch.runtime.values.user_classes import is_plain_object

_BUFFERS = (bytearray, array.array, memoryview)
_STREAMS = (io.StringIO, io.BytesIO)
# What shows something that others change.
_DOORS = (types.MappingProxyType, contextvars.ContextVar)
_UNSET = object()


class Remaining:
    """An iterator that nobody else sees: that it moves within a branch changes nothing for the user."""

    __slots__ = ("iterator",)

    def __init__(self, iterator: Iterator[object]) -> None:
        self.iterator = iterator

    def __iter__(self) -> Iterator[Value]:
        return self.iterator


def is_opaque(value: object) -> bool:
    """Return whether an object is one of these."""
    own = (*_BUFFERS, *_STREAMS, *_DOORS, logging.Logger)
    return isinstance(value, own) or _is_iterator(value) or _is_foreign(value)


def state(value: Value) -> tuple[Value, ...]:
    """The state by which a change of the object is seen; the objects that it holds are parts of it."""
    if isinstance(value, _BUFFERS):
        return (bytes(value),)
    if isinstance(value, types.MappingProxyType):
        return (*value.keys(), *value.values())
    if isinstance(value, contextvars.ContextVar):
        return (value.get(_UNSET),)
    if isinstance(value, logging.Logger):
        # What decides whether it does anything; the rest is looked at when it does.
        return (value.level, value.getEffectiveLevel(), value.disabled, value.manager.disable)
    if _is_foreign(value):
        return foreign.contents(value)
    if isinstance(value, _STREAMS):
        return () if value.closed else (value.getvalue(), value.tell())
    if isinstance(value, types.GeneratorType):
        frame = value.gi_frame
        if frame is None:
            return ()
        own = (*frame.f_code.co_varnames, *frame.f_code.co_cellvars)
        return (frame.f_lasti, *(frame.f_locals.get(name) for name in own))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return (operator.length_hint(value), *_leaves(value.__reduce__()))
        except TypeError:  # itertools.pairwise
            return tuple(gc.get_referents(value))


def rewind(value: Value, before: tuple[Value, ...]) -> None:
    """Put an iterator over a sequence, which has not come to its end, back to where it was in this state."""
    # The state of one that goes by places ends with its place, as long as it has not ended.
    if type(value).__module__ == "builtins" and hasattr(value, "__setstate__") and type(state(value)[-1]) is int:
        value.__setstate__(before[-1])


def shared(value: types.GeneratorType[Any, Any, Any]) -> Iterator[Value]:
    """The objects that lead to the variables that a generator has in common with the function around it."""
    # Before its first step a generator holds its function, after that the cells themselves.
    return (p for p in gc.get_referents(value) if isinstance(p, (types.CellType, types.FunctionType)))


def iterated_objects(value: object) -> Iterator[Value]:
    """Return the objects that an iterator of built-in classes, or a generator under way, goes over."""
    pending, seen = [value], IdentitySet[object]()
    while pending:
        for part in gc.get_referents(pending.pop()):
            if not seen.admit(part):
                continue
            if isinstance(part, tuple) or (_is_iterator(part) and not isinstance(part, types.GeneratorType)):
                pending.append(part)
            elif isinstance(part, (list, dict)) or is_plain_object(part):
                yield part


def iterators_of(value: object) -> Iterator[Value]:
    """Return an object, and the iterators of built-in classes that it is made of, which move with it."""
    yield value
    if _is_iterator(value):
        for part in filter(_is_iterator, state(value)):
            yield from iterators_of(part)


def iterator_in(function: Callable[..., object], values: Iterable[object]) -> object:
    """Return an iterator of built-in classes that is one of some values, or that functions close over; else None."""

    def closed_over(value: object) -> list[object]:
        cells = value.__closure__ or () if isinstance(value, types.FunctionType) else ()
        return [part for cell in cells for part in gc.get_referents(cell)]

    return next(filter(_is_iterator, reached([function, *values], closed_over)), None)


def same_state(now: tuple[Value, ...], before: tuple[Value, ...]) -> bool:
    """Return whether two states are of an object that did not change."""
    pairs = zip(now, before, strict=False)
    return len(now) == len(before) and all(a is b or (_is_constant(a) and a == b) for a, b in pairs)


def _is_iterator(value: object) -> bool:
    """An iterator of a built-in class."""
    return (
        not isinstance(value, type)
        and type(value).__module__ in ("builtins", "itertools", "_collections")
        and hasattr(value, "__next__")
    )


def _is_foreign(value: object) -> bool:
    """An array of another library, whose attributes do not say what it holds."""
    return foreign.may_change(type(value)) and not is_plain_object(value)


def _leaves(reduced: Any) -> Iterator[Value]:
    """The parts of the result of `__reduce__`, whose tuples are new each time, as is the list of a dict's iterator."""
    for part in reduced:
        if isinstance(part, tuple):
            yield from _leaves(part)
        elif not isinstance(part, list):
            yield part


def _is_constant(value: object) -> bool:
    return type(value) in (int, float, bytes, str, range)
