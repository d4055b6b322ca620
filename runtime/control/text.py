"""Text of values: f-strings, `%`, `str`, `repr`, `ascii` and `format`. Of concrete values it is Python's own."""

from __future__ import annotations

import contextlib
import functools
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.errors import AnabranchError
from anabranch.runtime.values import containers
from anabranch.runtime.values.arrays.index_numbers import check_integer
from anabranch.runtime.values.lazy_text import StrMethod, Text, deferred, refusal
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue


def counterpart(function: object) -> Callable[..., Any] | None:
    """The function to call instead of a method that returns text; None for any other function."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, str) and hasattr(str, name):  # those of NumPy's texts have others, too
        return StrMethod(name, owner)
    if isinstance(function, types.MethodDescriptorType) and function.__objclass__ is str:
        return StrMethod(name)
    if name in _SHOWING and containers.has_traced(owner):
        return functools.partial(_SHOWING[name], owner)
    if name == "add_note" and isinstance(function, types.BuiltinMethodType) and isinstance(owner, BaseException):
        return functools.partial(_add_note, owner)
    return None


def _add_note(error: BaseException, note: Value) -> None:
    """As `BaseException.add_note`."""
    if isinstance(note, Text):
        vars(error)["__notes__"] = [*getattr(error, "__notes__", ()), note]
    else:
        error.add_note(note)


@contextlib.contextmanager
def refused_by(function: object, args: tuple[object, ...], kwargs: dict[str, Value]) -> Iterator[None]:
    """Around a call of what is not written in Python: that it takes no text of run-time values is said in our words."""
    try:
        yield
    except TypeError as error:
        if isinstance(error, AnabranchError) or not any(isinstance(a, Text) for a in (*args, *kwargs.values())):
            raise
        raise refusal(f" by {getattr(function, '__name__', function)}()") from None


def fstring(template: str, *values: object) -> Value:
    """An f-string: the template has a replacement field of `str.format` for each value."""
    return deferred("format", template, *values)


def percent(left: Value, right: Value) -> Value:
    """`left % right`, where one of them shows that it is of text, or may be."""
    if not isinstance(left, str) or not containers.has_traced(right):
        return left % right
    return deferred("__mod__", left, right)


def str_(*args: object, **kwargs: object) -> Value:
    """As `str`."""
    return deferred("format", "{!s}", args[0]) if len(args) == 1 and not kwargs else str(*args, **kwargs)


def repr_(value: object, /) -> Value:
    """As `repr`."""
    return deferred("format", "{!r}", value)


def ascii_(value: object, /) -> Value:
    """As `ascii`."""
    return deferred("format", "{!a}", value)


def bin_(number: Value, /) -> Value:
    """As `bin`."""
    return _in_base("{:#b}", number) if is_traced_number(number) else bin(number)


def oct_(number: Value, /) -> Value:
    """As `oct`."""
    return _in_base("{:#o}", number) if is_traced_number(number) else oct(number)


def hex_(number: Value, /) -> Value:
    """As `hex`."""
    return _in_base("{:#x}", number) if is_traced_number(number) else hex(number)


def is_traced_number(number: object) -> bool:
    """Return whether a value is a number known only at run time."""
    return isinstance(number, (Tracer, UnionValue))


def _in_base(template: str, number: Value) -> Value:
    if isinstance(number, UnionValue):
        return number.through(lambda one: _in_base(template, one))
    if not isinstance(number, Tracer):
        return deferred("format", template, operator.index(number))
    check_integer(number)
    if isinstance(number, PythonScalar) and number.python is bool:
        number = number + 0  # a bool, which is not written as one here
    return deferred("format", template, number)


def format_(value: Value, spec: Value = "", /) -> Value:
    """As `format`."""
    if not containers.has_traced((value, spec)):
        return format(value, spec)
    if not isinstance(spec, (str, Text, UnionValue)):
        raise TypeError(f"format() argument 2 must be str, not {type(spec).__name__}")
    return deferred("format", "{:{}}", value, spec)


_SHOWING: dict[str, Callable[..., Any]] = {"__str__": str_, "__repr__": repr_, "__format__": format_}
