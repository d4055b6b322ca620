"""`np` inside a rewritten function: NumPy's modules with every function replaced by its staged counterpart."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import polynomial_series, union_arguments
from anabranch.runtime.numpy.core import (
    ExtendedPrecisionError,
    adopted,
    atom_of,
    fresh,
    on_host,
    resolved,
    supported,
    traced_inside,
)
from anabranch.runtime.numpy.index_grids import Bracket
from anabranch.runtime.numpy.random.constructors import constructor
from anabranch.runtime.numpy.ranges import Grid
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values import passed_functions, registry, wrap
from anabranch.runtime.values.arrays import assigned_values
from anabranch.runtime.values.arrays.traced_array import TracedArray
from anabranch.runtime.values.host_calls import functions, stage
from anabranch.runtime.values.host_calls.functions import is_of_library
from anabranch.runtime.values.host_types import host_type, time_functions
from anabranch.runtime.values.memory import memory_layout
from anabranch.runtime.values.python_numbers import number_methods

_MODULES: dict[types.ModuleType, Namespace] = {}


class Namespace:
    """Stands for a NumPy module.

    Attributes are NumPy's own constants and dtypes, staged functions and ufuncs, and the namespaces of its modules. A
    function without a staged counterpart is NumPy's own as long as no argument is traced. Raises
    `UnsupportedOperationError` when a function without a staged counterpart is called with a traced argument.
    """

    def __init__(self, module: types.ModuleType) -> None:
        self.__wrapped__ = module
        self.__name__ = module.__name__

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__wrapped__, name)
        # A scalar type stands for itself, as a dtype and in isinstance; calls of it are staged where they are made.
        value = value if isinstance(value, type) else staged(value)
        if not name.startswith("_"):
            self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return dir(self.__wrapped__)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


def staged(obj: object) -> Value:
    """The staged counterpart of a NumPy module, function or ufunc; any other object is returned as it is.

    Parameters
    ----------
    obj
        Anything that rewritten code may call or read attributes of.

    Returns
    -------
    object
        A `Namespace` for a NumPy module, the registered function for a function or ufunc, a guard for a function
        without one, a cast for a scalar type such as `numpy.float64`.
    """
    if isinstance(obj, types.ModuleType):
        return _module(obj) if _of_numpy(obj.__name__) else obj
    try:
        found = registry.function_of(obj)
    except TypeError:  # not hashable
        return obj
    if found is not None:
        return found
    if isinstance(obj, type) and issubclass(obj, (np.number, np.bool_)):
        return _cast(obj)
    if obj is np.mgrid or obj is np.ogrid:
        return Grid(sparse=obj is np.ogrid)
    if obj is np.r_ or obj is np.c_:
        return Bracket(obj, *((0, 1, -1) if obj is np.r_ else (-1, 2, 0)))
    if isinstance(obj, np.ufunc):
        name: str = obj.__name__
        return _guard(obj, f"numpy.{name}") if getattr(np, name, None) is obj else obj
    made = constructor(obj)
    if made is not None:
        return made
    if _random(obj):
        return functools.partial(_drawn, obj)
    if inspect.isroutine(obj) and _of_numpy(getattr(obj, "__module__", None) or ""):
        return _guard(obj, f"{obj.__module__ or 'numpy.random'}.{obj.__name__}")
    return obj


def _of_numpy(name: str) -> bool:
    return name == "numpy" or name.startswith("numpy.")


def _module(module: types.ModuleType) -> Namespace:
    if module not in _MODULES:
        _MODULES[module] = Namespace(module)
    return _MODULES[module]


def _random(obj: object) -> bool:
    # NumPy itself imports this module only when it is first used.
    return "numpy.random" in sys.modules and isinstance(getattr(obj, "__self__", None), np.random.RandomState)


def _drawn(method: Any, *args: Value, **kwargs: Value) -> Value:
    """A call of a method of a generator that was there before: those of `numpy.random` have a hidden one."""
    if tracing():
        method = passed_functions.called(getattr(current().trace.outside.capture(method.__self__), method.__name__))
    return method(*args, **kwargs)


@functools.lru_cache(maxsize=1024)
def _guard(original: Callable[..., object], name: str) -> Callable[..., Any]:
    @functools.wraps(original, updated=())
    def call(*args: object, **kwargs: object) -> Value:
        if is_of_library(original) and functions.has_run_time_values((args, kwargs)):
            staged_form = polynomial_series.on_arrays(original, args, kwargs, namespace)
            if staged_form is not None:
                return staged_form(*args, **kwargs)
            if settings().host_calls:
                return stage.call(name, original, args, kwargs)
        if traced_inside(args) or traced_inside(kwargs):
            why = f": {registry.REFUSED[name]}" if name in registry.REFUSED else ""
            raise UnsupportedOperationError(f"{name} on a traced value is not supported{why}")
        return adopted(original(*args, **kwargs), (args, tuple(kwargs.values())))

    return call


def _cast(cls: Any) -> Callable[..., Any]:
    """The staged call of a NumPy scalar type: `np.float64(x)` of a traced x is a cast."""

    @union_arguments.of_each
    def call(*args: Value, **kwargs: Value) -> Value:
        if len(args) == 1 and not kwargs:
            args = (number_methods.element_of(args[0], np.dtype(cls)),)
        if not (traced_inside(args) or traced_inside(kwargs) or host_type.override(args, kwargs)):
            return cls(*args, **kwargs)
        if cls is np.timedelta64:
            return time_functions.duration(*args, **kwargs)
        if len(args) > 1 or kwargs:
            return cls(*(0 for _ in args), **kwargs)
        (x,) = map(resolved, args)
        if isinstance(x, TracedArray) and x.shape and x.dtype == cls:
            return x
        try:
            value = atom_of(assigned_values.of_elements(x, np.dtype(cls)), supported(cls))
        except ExtendedPrecisionError:
            return on_host(cls, x)
        return wrap.numpy_result(value) if value.type.shape == () else memory_layout.keep_order(fresh(value), (x,))

    functools.update_wrapper(call, cls, assigned=("__name__", "__qualname__", "__doc__"), updated=())
    return call


namespace = _module(np)
