"""Run-time values that stand where Python asks for an index or a length: its ints and bools, and NumPy's integers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.values import user_classes, wrap
from anabranch.runtime.values.abstract import Kind
from anabranch.runtime.values.failures import run_time_checks
from anabranch.runtime.values.python_numbers.python_operands import interval_of
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar, python_scalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

NO_BOUND = "slice indices must be integers or None or have an __index__ method"
_OF_ARRAYS = "only integer scalar arrays can be converted to a scalar index"


def is_index(value: Tracer) -> bool:
    """Return whether a value has an index in Python: NumPy's bools have none."""
    kinds = "ib" if value.abstract.kind is Kind.PYTHON else "iu"
    return value.abstract.dtype.kind in kinds and not value.abstract.shape


def check_integer(value: Tracer) -> None:
    """Raise as `operator.index` does for a value that is no index."""
    if not is_index(value):
        raise _error(value, f"'{class_name(value)}' object cannot be interpreted as an integer")


def as_int(value: Value, operation: Callable[[Any], object] = operator.index) -> Value:
    """The index that `operation` asks for, as an int of Python's: a plain or a traced one."""
    if isinstance(value, UnionValue):
        value = value.resolve(operation)
    if not isinstance(value, Tracer):
        return operator.index(value)
    check_integer(value)
    known = isinstance(value, PythonScalar) and value.python is int
    return value if known else python_scalar(wrap.as_atom(value, np.int64))


def own_length(value: object) -> Value | None:
    """`len(value)` by a method of the value's class that is written in Python; None where it has none.

    Raises `TypeError` or `ValueError` where the method returns no int, or a negative one, with Python's message.
    """
    method = user_classes.own_method(value, "__len__")
    if method is None:
        return None
    length = as_int(method())
    if interval_of(length).low < 0:
        negative = wrap.as_atom(length < 0, np.bool_)
        run_time_checks.fail_if(negative, lambda _: ValueError("__len__() should return >= 0"))
    return length


def check_place(value: Tracer, kind: str) -> None:
    """Raise as a sequence does for a value that is no index.

    `kind`: the sequence's class as messages name it: "list", "string", "byte".
    """
    if is_index(value):
        return
    name = class_name(value)
    if kind == "deque":
        raise _error(value, f"sequence index must be integer, not '{name}'")
    if kind == "string":
        raise _error(value, f"string indices must be integers, not '{name}'")
    raise _error(value, f"{kind} indices must be integers or slices, not {name}")


def check_bound(value: Tracer) -> None:
    """Raise as a slice does for a bound or step that is no index."""
    if not is_index(value):
        raise _error(value, NO_BOUND)


def check_bounds(key: slice) -> None:
    """The same of all that a slice is made of."""
    for bound in (key.start, key.stop, key.step):
        if isinstance(bound, Tracer):
            check_bound(bound)


def with_ints(key: slice) -> slice:
    """A slice with the ints that its bounds are, after the check that they are no other numbers."""
    bounds = (key.start, key.stop, key.step)
    return slice(*(b.integral(NO_BOUND) if isinstance(b, UnionValue) else b for b in bounds))


def class_name(value: Tracer) -> str:
    """The name of the class of a value, as messages have it."""
    known = value.abstract
    if known.kind is Kind.PYTHON:
        return str(known.python.__name__)
    return "numpy.ndarray" if known.kind is Kind.ARRAY else f"numpy.{known.dtype.name}"


def _error(value: Tracer, words: str) -> TypeError:
    return TypeError(_OF_ARRAYS if value.abstract.kind is Kind.ARRAY else words)
