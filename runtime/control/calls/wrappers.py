"""Functions that the standard library has wrapped in ways that look at their arguments.

Caches, dispatch by class, and what reads an attribute by its name.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.control import attribute
from anabranch.runtime.control.stdlib.introspection import type_
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

Call = Callable[..., Any]


def unwrapped(function: object, call: Call) -> Call | None:
    """Return the staged form of a wrapped function, where `call` calls the user's own; None for any other function."""
    if isinstance(function, functools._lru_cache_wrapper):
        return functools.partial(_cached, function, call)
    if isinstance(function, types.FunctionType) and function.__code__ is _DISPATCHER:
        return functools.partial(_dispatched, function, call)
    if isinstance(function, operator.attrgetter):
        return functools.partial(attribute.got, function)
    if isinstance(function, operator.methodcaller):
        return functools.partial(attribute.called, function, call)
    return None


def _cached(function: functools._lru_cache_wrapper[Any], call: Call, *args: object, **kwargs: object) -> Value:
    """A run-time argument is nothing to find a kept result by; for others the result may be one from before."""
    if any(isinstance(a, (Tracer, UnionValue)) for a in (*args, *kwargs.values())):
        return call(function.__wrapped__, *args, **kwargs)
    made = function(*args, **kwargs)
    if tracing():
        current().trace.outside.enter(made)
    return made


def _dispatched(function: Any, call: Call, *args: Value, **kwargs: Value) -> Value:
    """The implementation for the class that a run-time value stands for."""
    return call(function.dispatch(type_(args[0])), *args, **kwargs)


# All dispatchers have the code of one inner function of functools.
_DISPATCHER: types.CodeType = vars(types.FunctionType)["__code__"].__get__(functools.singledispatch(type_))
