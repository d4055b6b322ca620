"""Functions that the steps of a jitted generator call: to end at a yield, and to iterate in their loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anabranch.base.by_identity import reached
from anabranch.base.grammar import a
from anabranch.base.value import Value
from anabranch.runtime.control.iteration.generators import GeneratorCall
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.sequences.countable_ranges import Range
from anabranch.runtime.control.sequences.iterators import Once
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import containers, user_classes
from anabranch.runtime.values.arrays.dynamic_array import DynamicArray
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.decisions import note
from anabranch.runtime.values.memory import aliasing
from anabranch.runtime.values.union import UnionValue

_SEQUENCES = (list, tuple, str, np.ndarray, TracedArray, DynamicArray)


def deliver(number: int, value: Value, names: tuple[Value, ...]) -> Value:
    """The result of a step that has come to a yield, or, with 0, to the end.

    Raises `UnsupportedOperationError` where arrays in it overlap that would be apart when the step has ended.
    """
    if tracing() and number:
        note(
            "staged",
            f"yield {number} of the generator",
            lambda: "compiled code runs up to here; the next item is asked for by another call of compiled code",
        )
        current().trace.identity.goes_on = True
        _refuse_overlaps((value, names))
    return number, value, names


def result_refusal(result: Value) -> UnsupportedOperationError | None:
    """The error for arrays of one memory in what a step ends with, as conditions within it have put it together."""
    if current().trace.identity.goes_on:
        try:
            _refuse_overlaps(result)
            _refuse_choices(result[2])
        except UnsupportedOperationError as error:
            return error
    return None


def delegate(number: int, value: Value, names: tuple[Value, ...]) -> Value:
    """The same for a `yield from`: its value is a function and the arguments with which it makes the iterator.

    No function stands for a value that is gone over itself.
    """
    return deliver(number, _iterator_parts(value), names)


def _iterator_parts(value: Value) -> Value:
    if isinstance(value, GeneratorCall) and value.original is not None and not value.begun:
        _, args, kwargs = value.call
        return value.original, args, kwargs
    if isinstance(value, (Range, range)):
        return range, (value.start, value.stop, value.step), {}
    if isinstance(value, (PushIterator, Once, Iterator)):
        raise UnsupportedOperationError(
            f"a jitted generator yields from {a(type(value).__name__)}, of which the next step cannot know how far it "
            "has come; yield from a list of its items, or from a call of a generator function that is defined outside"
        )
    return None, (value,), {}


def sequence(items: Value) -> Value:
    """The iterable of a generator's loop, by positions.

    Raises `UnsupportedOperationError` for what has no places, or is to be gone over in a way of its own.
    """
    if isinstance(items, _SEQUENCES) and user_classes.own_method(items, "__iter__") is None:
        if isinstance(items, (np.ndarray, TracedArray)) and not items.ndim:
            raise TypeError("iteration over a 0-d array")
        return items
    if not (isinstance(items, (PushIterator, Range)) or hasattr(items, "__iter__") or hasattr(items, "__getitem__")):
        raise TypeError(f"'{type(items).__name__}' object is not iterable")
    raise UnsupportedOperationError(
        f"a loop of a jitted generator whose body yields goes over {a(type(items).__name__)}, of which the next step "
        "cannot know how far it has come; go over an array, a list of its items, or range, enumerate or zip in the for "
        "statement itself"
    )


def bounds(numbers: Value) -> tuple[Value, Value, Value]:
    """The start, stop and step of a range."""
    return numbers.start, numbers.stop, numbers.step


def arguments_of(generator: Any) -> dict[str, Any]:
    """The parameters with their values, of a generator that has not begun."""
    code, values = generator.gi_code, generator.gi_frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return {n: values[n] for n in code.co_varnames[:count]}


def _refuse_overlaps(value: Value) -> None:
    """Refuse arrays of one memory that are not the caller's: on the host each gets a memory of its own."""
    own = current().trace.identity.callers_memory
    found = [array for array in _arrays(value) if array.storage not in own]
    for place, one in enumerate(found):
        memory = aliasing.memory(one.storage)
        for other in found[place + 1 :]:
            if one is other or (one.storage is other.storage and not (one.is_view or other.is_view)):
                continue
            if other.storage in memory or one.storage in aliasing.memory(other.storage):
                raise UnsupportedOperationError(
                    "two arrays that are needed at a yield of a jitted generator, or behind it, may share memory, "
                    "which they would not do behind it; make one of them a copy"
                )


def _refuse_choices(names: Value) -> None:
    """Refuse arrays that are the caller's or others, as conditions decide: on the host they would be copies."""
    own = current().trace.identity.callers_memory
    for array in _arrays(names):
        if array.storage not in own and not own.isdisjoint(aliasing.memory(array.storage)):
            raise UnsupportedOperationError(
                "an array that is needed behind a yield of a jitted generator is an argument or another array, as a "
                "run-time condition decides, and would be a copy there; make a copy of it (x.copy())"
            )


def _arrays(value: Value) -> list[TracedArray]:
    """The arrays in containers, each once."""
    held = reached([value], lambda x: x.options if isinstance(x, UnionValue) else containers.parts_of(x))
    return [part for part in held if isinstance(part, TracedArray)]
