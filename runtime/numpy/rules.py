"""The staged counterparts that one family of NumPy's functions brings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import lists_of_texts, union_arguments
from anabranch.runtime.numpy.core import (
    ExtendedPrecisionError,
    adopted,
    full_name,
    has_dynamic_array,
    on_host,
    resolved,
    traced_inside,
)
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values import registry, static_requests, wrap
from anabranch.runtime.values.arrays import chosen_settings, numpy_messages
from anabranch.runtime.values.dynamic_lists import list_as_array, list_joins
from anabranch.runtime.values.host_calls import functions
from anabranch.runtime.values.host_calls.deferred import Deferred
from anabranch.runtime.values.host_types import host_type, text_array_functions, time_functions
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union_operations import UNKNOWN

Function = TypeVar("Function", bound=Callable[..., Any])


class Rules:
    """The table of a family's module, which `runtime.numpy` installs."""

    def __init__(self) -> None:
        self.functions: dict[object, Callable[..., Any]] = {}
        self.methods: dict[str, Callable[..., Any]] = {}
        self.properties: dict[str, Callable[[Any], Any]] = {}
        self.of_any_shape: set[object] = set()
        self.refused: dict[str, str] = {}
        self.static: dict[str, str] = {}

    def install(self) -> None:
        """Add the rules to `runtime.values.registry`, from which traced values are served."""
        registry.FUNCTIONS.update(self.functions)
        registry.METHODS.update(self.methods)
        registry.PROPERTIES.update(self.properties)
        registry.OF_ANY_SHAPE.update(self.of_any_shape)
        registry.REFUSED.update(self.refused)
        registry.STATIC.update(self.static)

    def implements(self, *originals: Callable[..., object]) -> Callable[[Function], Function]:
        """Register the staged counterpart of NumPy functions; it runs only where an argument is traced."""
        return _registering(self.functions, originals, _guarded)

    def creates(self, *originals: Callable[..., object]) -> Callable[[Function], Function]:
        """Register a function that makes an array: staged whatever its arguments are, so that the array is a handle."""
        return _registering(self.functions, originals, _creating)

    def method(self, *names: str) -> Callable[[Function], Function]:
        """Register a function, array first, as a method of traced arrays, of any size, and NumPy scalars."""
        return _registering(self.methods, names)

    def any_shape(self, *originals: Callable[..., object]) -> Callable[[Function], Function]:
        """Register the rule of NumPy's functions for arrays of static and of run-time size alike."""
        self.of_any_shape.update(originals)
        return self.implements(*originals)

    def on_host(self, *originals: Callable[..., object]) -> None:
        """Register functions that NumPy itself computes once the values are known."""
        for original in originals:
            registry.ON_HOST.add(original)
            self.any_shape(original)(functools.partial(on_host, original))

    def refuses(self, reason: str, *originals: Callable[..., object]) -> None:
        """Register functions that refuse run-time values, with the reason; of other values they are NumPy's own."""
        for original in originals:
            name = full_name(original)
            self.refused[name] = reason
            self.implements(original)(_Refusal(name, reason))

    def refuses_method(self, reason: str, *names: str) -> None:
        """Register methods of ndarray that are not staged, with the reason."""
        for name in names:
            self.refused[f"numpy.ndarray.{name}"] = reason
            self.methods[name] = _Refusal(f"numpy.ndarray.{name}", reason)

    def needs_static(self, reason: str, *originals: Callable[..., object]) -> None:
        """Register functions that work on static values alone, with the reason."""
        for original in originals:
            name = full_name(original)
            self.static[name] = reason
            self.implements(original)(_NeedsStatic(name, reason))


def _registering(
    table: dict[Any, Callable[..., Any]],
    keys: Iterable[Any],
    form: Callable[[Any, Callable[..., object]], Callable[..., Any]] = lambda _, function: function,
) -> Callable[[Function], Function]:
    """A decorator that enters functions in a table, for each of the keys in its form."""

    def register(function: Function) -> Function:
        table.update({key: form(key, function) for key in keys})
        return function

    return register


@frozen
class _Refusal:
    """The rule of a function that works on static values alone, whatever its arguments are."""

    name: str
    reason: str

    def __call__(self, *_: Value, **__: Value) -> Value:
        raise UnsupportedOperationError(
            f"{self.name} of a run-time value is not supported in compiled code: {self.reason}"
        )


@frozen
class _NeedsStatic(_Refusal):
    """The rule of a function of static values: ints that are computed from arguments alone become static."""

    def __call__(self, *args: Value, **kwargs: Value) -> Value:
        for value in (*args, *kwargs.values()):
            _request_static(value)
        return _Refusal.__call__(self, *args, **kwargs)


def _request_static(value: Value) -> None:
    if isinstance(value, (list, tuple)):
        for part in value:
            _request_static(part)
    elif isinstance(value, Tracer) and not wrap.shape_of(value):
        static_requests.request_static(value, "a plain int (a size)")


def _guarded(original: Callable[..., object], function: Callable[..., object]) -> Callable[..., Any]:
    """The staged function where an argument is traced, NumPy's own where none is."""

    @functools.wraps(original, updated=())
    def call(*args: object, **kwargs: object) -> Value:
        join = list_joins.join_of(original, args)
        if join is not None:
            return join(*args, **kwargs)
        args = lists_of_texts.with_lists(original, args, kwargs.get("dtype"))
        args, kwargs = list_as_array.with_lists(original, args, kwargs)
        typed = host_type.override(args, kwargs)
        if typed is not None:
            return typed.__array_function__(original, (), args, kwargs)
        if (made := text_array_functions.made(original, args, kwargs)) is not None:
            return made
        given = (*args, *kwargs.values()) if kwargs else args
        of_host = any(isinstance(value, (Deferred, np.poly1d)) for value in given)
        if of_host and functions.has_run_time_values(given):
            return on_host(original, *args, **kwargs)
        if not any(map(traced_inside, given)):
            return adopted(original(*args, **kwargs), (args, tuple(kwargs.values())))
        is_of_any_shape = original in registry.OF_ANY_SHAPE
        choice = union_arguments.of_call(args, kwargs, sizes=not is_of_any_shape)
        if choice is not None:
            return union_arguments.over(choice, call, args, kwargs)
        if (made := chosen_settings.each(function, call, args, kwargs)) is not UNKNOWN:
            return made
        args, kwargs = tuple(map(resolved, args)), {k: resolved(v) for k, v in kwargs.items()}
        if not isinstance(function, _Refusal):
            numpy_messages.refuse_unknown(original, *args, **kwargs)
        if is_of_any_shape and (any(map(has_dynamic_array, args)) or any(map(has_dynamic_array, kwargs.values()))):
            return function(*args, **kwargs)
        try:
            made = function(*args, **kwargs)
        except ExtendedPrecisionError:
            return on_host(original, *args, **kwargs)
        except numpy_messages.FAILURES as error:
            numpy_messages.reraise(error, original, *args, **kwargs)
            raise
        return memory_layout.noted(made, args, original.__name__, kwargs)

    return call


def _creating(original: Callable[..., object], function: Callable[..., object]) -> Callable[..., Any]:
    """The staged function while a function is traced, NumPy's own otherwise."""

    @functools.wraps(original, updated=())
    def call(*args: object, **kwargs: object) -> Value:
        if not tracing():
            return original(*args, **kwargs)
        args = lists_of_texts.with_lists(original, args, kwargs.get("dtype"))
        args, kwargs = list_as_array.with_lists(original, args, kwargs)
        made_of_times = time_functions.made(original, args, kwargs)
        if made_of_times is not None:
            return made_of_times
        if (made := text_array_functions.made(original, args, kwargs)) is not None:
            return made
        choice = union_arguments.of_call(args, kwargs)
        if choice is not None:
            return union_arguments.over(choice, call, args, kwargs)
        if (made := chosen_settings.each(function, call, args, kwargs)) is not UNKNOWN:
            return made
        args, kwargs = tuple(map(resolved, args)), {k: resolved(v) for k, v in kwargs.items()}
        numpy_messages.refuse_unknown(original, *args, **kwargs)
        try:
            made = function(*args, **kwargs)
        except ExtendedPrecisionError:
            return on_host(original, *args, **kwargs)
        except TypeError as error:
            if str(error).startswith(f"{function.__qualname__}("):  # arguments that do not fit
                numpy_messages.reraise(error, original, *args, **kwargs)
            raise
        return memory_layout.noted(made, args, original.__name__, kwargs, kwargs.get("order"))

    return call
