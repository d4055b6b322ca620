"""Items of dicts whose keys are known while tracing, at a key that is known only at run time."""

from __future__ import annotations

import collections
import functools
import numbers
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.control.branches import stage_branches
from anabranch.runtime.control.sequences.chosen_item import chosen
from anabranch.runtime.control.staging import run_time_keys
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.ir.interval import Interval
from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.values import atoms, text_tables, wrap
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.pytrees import exceptions
from anabranch.runtime.values.static_requests import request_static, with_static_request
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union_operations import UNKNOWN


def missing_method(container: dict[Value, Value]) -> Callable[..., Any] | None:
    """Return the method of a dict's class for a missing key; None where that is a KeyError."""
    if isinstance(container, collections.defaultdict) and container.default_factory is None:
        return None
    found: Callable[..., Any] | None = getattr(type(container), "__missing__", None)
    return found


def get_or_make(container: dict[Value, Value], key: object, missing: Callable[..., object]) -> Value:
    """The item of a dict at a run-time key, or what `__missing__` returns."""
    if isinstance(key, (Tracer, Text)) and missing is collections.defaultdict.__missing__:
        run_time_keys.become_table(container)
    place, found = place_of(container, key)
    if isinstance(found, Literal) and found.value:
        return chosen(list(container.values()), place, key)
    if not isinstance(key, Tracer):
        run_time_keys.become_table(container)
        raise UnsupportedOperationError(_NO_ITEM)
    if missing is collections.defaultdict.__missing__:
        # Whether the dict gets an item decides which keys it has, and these are known while tracing.
        request_static(wrap.as_atom(key), "a key of a defaultdict")
        text = (
            "a defaultdict would get a new item at a run-time key, and its keys must be known while tracing; fill it "
            "before, use d.get(key, default) or an array, or make the key static"
        )
        if not container:
            raise with_static_request(UnsupportedOperationError(text), wrap.as_atom(key), "a key of a defaultdict")
        run_time_checks.fail_if(atoms.logical_not(found), lambda _: UnsupportedOperationError(text))
        return chosen(list(container.values()), place, key)
    ways = [functools.partial(missing, container, key)]
    if not container:
        return ways[0]()
    ways.append(functools.partial(chosen, list(container.values()), place, key))
    return stage_branches.stage(atoms.convert(found, np.int32), ways, "an item of a dict by a run-time key")


def place_of(
    container: dict[Value, Value], key: object, equal: Callable[[Any, Any], object] = operator.eq
) -> tuple[int | PythonScalar, Atom]:
    """The place of a key among those of a dict, and whether it is one of them.

    `equal` compares two keys; by default as numbers and texts are.
    """
    places = {known: i for i, known in enumerate(container)}
    of_text = text_tables.look_up(lambda k: places.get(k, -1), key)
    if of_text is not UNKNOWN:
        return _found(of_text)
    place: Atom = atoms.literal(0, np.int64)
    found: Atom = atoms.literal(False)
    for i, known in enumerate(container):
        if not _may_be_equal(key, known):
            continue
        same = wrap.as_atom(equal(key, known), np.bool_)
        place = atoms.select(same, atoms.literal(i, np.int64), place)
        found = atoms.logical_or(found, same)
    return python_scalar(place, Interval(0, max(len(container) - 1, 0))), found


def _may_be_equal(key: object, known: object) -> bool:
    """Return whether a key of a dict is of a kind that a run-time key may be equal to."""
    if isinstance(key, Tracer):
        return isinstance(known, (numbers.Number, np.generic))
    return isinstance(known, str) or not isinstance(key, Text)


def _found(place: int | PythonScalar) -> tuple[int | PythonScalar, Atom]:
    """A place, and whether it is one: -1 is none."""
    if not isinstance(place, PythonScalar):
        return max(place, 0), atoms.literal(place >= 0)
    if place.interval.low >= 0:
        return place, atoms.literal(True)
    zero = atoms.literal(0, np.int64)
    first = python_scalar(atoms.ufunc(np.maximum, place.atom, zero), Interval(0, place.interval.high))
    return first, atoms.ufunc(np.greater_equal, place.atom, zero)


def check_all_are_there(container: dict[Value, Value], key: Value) -> None:
    """Refuse to set an item where some text that the key may be is none of a dict's keys."""
    _, found = place_of(container, key)
    if not (isinstance(found, Literal) and found.value):
        run_time_keys.become_table(container)
        raise UnsupportedOperationError(_NO_ITEM)


_NO_ITEM = (
    "a dict gets an item at a text that is known only at run time and is not among its keys; give the dict all keys "
    "first (dict.fromkeys(text, 0)), or use codes: np.frombuffer(text.encode(), np.uint8)"
)


def checked_place(container: dict[Value, Value], key: object, writes: bool = False) -> int | PythonScalar:
    """The place of a key of a dict, with the check that there is one."""
    place, found = place_of(container, key)
    missing = atoms.logical_not(found)
    if writes:
        text = (
            "an item of a dict is set at a run-time key that is not in it, and the keys must be known while tracing; "
            "give the dict all keys first, or use an array"
        )
        run_time_checks.fail_if(missing, lambda _: UnsupportedOperationError(text))
    else:
        exceptions.record(missing, KeyError(key), run_time_checks.user_frames())
    return place
