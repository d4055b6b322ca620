"""Functions that compiled code calls on the host: those of libraries that keep to their arguments, and named ones."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control import lists
from anabranch.runtime.control.iteration.generators import PushIterator
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import polynomial_series
from anabranch.runtime.numpy.namespace import namespace
from anabranch.runtime.values import decisions
from anabranch.runtime.values.host_calls import functions, stage
from anabranch.runtime.values.host_calls.libraries import is_of_library


def is_called(function: object, args: tuple[Value, ...], kwargs: dict[str, Value]) -> bool:
    """Return whether a call is one of the host.

    Raises `UnsupportedOperationError` where it is, and the settings forbid it.
    """
    if is_host_function(function):
        if not settings().host_calls:
            raise UnsupportedOperationError(
                f"{getattr(function, '__name__', 'a function')} is called on the host, which the setting host_calls "
                "forbids here"
            )
        return True
    if not (is_of_library(function) and settings().host_calls):
        return False
    return functions.has_run_time_values((function, args, kwargs))


def with_lists(function: object, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments of a function of `statistics`, which uses up what it is given, with lists of what is gone over."""
    if getattr(function, "__module__", None) != "statistics":
        return args
    make = lists.COUNTERPARTS[list]
    return tuple([make(arg) if isinstance(arg, (PushIterator, Countable)) else arg for arg in args])


def is_host_function(function: object) -> bool:
    """Return whether a function of the user's is always called on the host."""
    return getattr(function, "__anabranch_host__", None) is not None


def may_be_called(function: object) -> bool:
    """Return whether some calls of a function are of the host."""
    return is_host_function(function) or is_of_library(function)


def called(name: str, function: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Stage the call.

    Raises `UnsupportedOperationError` where it gets a generator of random numbers, whose state after the call would not
    be known.
    """
    staged_form = polynomial_series.on_arrays(function, args, kwargs, namespace)
    if staged_form is not None:
        return staged_form(*args, **kwargs)
    if functions.has_generators((args, kwargs)):
        raise UnsupportedOperationError(
            f"{name} is called on the host, and would draw from a generator of random numbers that compiled code has "
            "the state of; draw the numbers here and pass them, or call it outside"
        )
    options = getattr(function, "__anabranch_host__", None)
    if options is not None:
        decisions.note("host", name, lambda: "called on the host, in order, as it is a host function")
        return stage.call(name, function, args, kwargs, options.example, is_ordered=True)
    decisions.note("host", name, lambda: "called on the host, with values known only at run time")
    return stage.call(name, function, args, kwargs)
