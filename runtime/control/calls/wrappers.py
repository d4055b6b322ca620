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
from anabranch.runtime.control.calls import recursion
from anabranch.runtime.control.calls.user_functions import is_rewritten
from anabranch.runtime.control.containers import object_keys
from anabranch.runtime.control.containers.membership import check_hashable
from anabranch.runtime.control.stdlib import functools_source
from anabranch.runtime.control.stdlib.introspection import type_
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.computed import Computed
from anabranch.runtime.values import containers, text_tables
from anabranch.runtime.values.arrays.numpy_scalar import NumPyScalar
from anabranch.runtime.values.dynamic_shapes import length_permission
from anabranch.runtime.values.heap.snapshot import Attempt
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.union import UnionValue

Call = Callable[..., Any]


def unwrapped(function: object, call: Call) -> Call | None:
    """Return the staged form of a wrapped function, where `call` calls the user's own; None for any other function."""
    _refuse_counts(function)
    if isinstance(function, functools._lru_cache_wrapper):
        return functools.partial(_cached, function, call)
    if isinstance(function, types.FunctionType):
        if function.__code__ is _DISPATCHER:
            return functools.partial(_dispatched, function, call)
        if function.__code__ is _DISPATCHED_METHOD:
            return functools.partial(_dispatched_method, function, call)
        return functools.partial(_chosen, function) if function.__code__ is _DISPATCH else None
    if isinstance(function, operator.attrgetter):
        return functools.partial(attribute.got, function)
    if isinstance(function, operator.methodcaller):
        return functools.partial(attribute.called, function, call)
    return None


def _cached(function: functools._lru_cache_wrapper[Any], call: Call, *args: Value, **kwargs: Value) -> Value:
    """The result of a function under a cache, which may be one from before."""
    if containers.has_traced((*args, *kwargs.values())):
        return _remembered(function, call, args, kwargs)
    if not tracing():
        return function(*args, **kwargs)
    if isinstance(function.__wrapped__, types.FunctionType) and is_rewritten(function.__wrapped__.__code__):
        return _kept(function, call, args, kwargs)
    made = function(*args, **kwargs)
    current().trace.outside.enter(made)
    return made


def _remembered(
    function: functools._lru_cache_wrapper[Any], call: Call, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """The result for run-time arguments: of a function that calls itself a table keeps them until the first call ends.

    Others compute it in each call, which takes as long as without a cache, where a recursion may take ages.
    """
    for value in (*args, *kwargs.values()):
        check_hashable(value)
    plain: Any = function.__wrapped__
    calls, roots = current().trace.calls, current().trace.heap.roots
    if kwargs or not _is_key(args) or not _keeps_own_calls(function) or calls.remembered.get(function, plain) is None:
        return call(plain, *args, **kwargs)
    key = args[0] if len(args) == 1 else args
    if function in calls.remembered:
        return call(functools_source.remembered, plain, calls.remembered[function], key, args)
    attempt, inlined = Attempt(args), dict(calls.inlined)
    calls.remembered[function] = results = call(functools_source.no_results)
    roots.append(results)
    try:
        return call(functools_source.remembered, plain, results, key, args)
    except AnabranchError:  # keys or results that a table cannot have
        if length_permission.may_be_given():
            raise
        attempt.undo()
        calls.inlined = inlined
        calls.remembered[function] = None
        return call(plain, *args)
    finally:
        roots[:] = [root for root in roots if root is not results]
        if calls.remembered[function] is not None:
            del calls.remembered[function]


def _keeps_own_calls(function: functools._lru_cache_wrapper[Any]) -> bool:
    """Return whether a function under a cache may call itself, so that it finds what it has computed."""
    plain = function.__wrapped__
    own = isinstance(plain, types.FunctionType) and recursion.names_itself(plain.__code__)
    return own and function.cache_parameters()["maxsize"] != 0


def _is_key(args: tuple[Value, ...]) -> bool:
    """Return whether arguments are ints, or values made of some, by which a table finds a result.

    NaN, for one, is a key as an object.
    """
    return all(map(_is_made_of_ints, args))


def _is_made_of_ints(value: Value) -> bool:
    if isinstance(value, (int, str)):
        return True
    if isinstance(value, (NumPyScalar, PythonScalar)):
        return value.abstract.dtype.kind in "biu"
    structure = containers.structure_of(value)
    if structure is None or not object_keys.hashes_as_tuple(structure):
        return False
    return all(map(_is_made_of_ints, structure.children(value)))


def _kept(
    function: functools._lru_cache_wrapper[Any], call: Call, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """The result of a function that is made in this trace: one from before, where the code that runs now can use it."""
    parameters = function.cache_parameters()
    key: Any = function, functools._make_key(args, kwargs, parameters["typed"])
    cached = current().trace.calls.cached
    if key in cached and parameters["maxsize"] != 0:
        made, computed = cached[key]
        if computed.is_there or not containers.has_traced(made):
            return made
        if not _is_unchangeable(made):
            raise UnsupportedOperationError(
                f"the result of {function.__wrapped__.__name__}, which a cache keeps, can be changed and was computed "
                "in a branch or a loop known only at run time; call the function before that, or without "
                "functools.cache"
            )
    made = call(function.__wrapped__, *args, **kwargs)
    cached[key] = made, Computed.now()
    return made


def _is_unchangeable(value: object) -> bool:
    """Return whether a result computed again is as good as the one from before."""
    if isinstance(value, tuple):
        return all(map(_is_unchangeable, value))
    if isinstance(value, UnionValue):
        return all(map(_is_unchangeable, value.options))
    return isinstance(value, (NumPyScalar, PythonScalar)) or text_tables.is_constant(value)


def _refuse_counts(method: object) -> None:
    """Refuse to tell how often a cache was asked: compiled code asks none for what is known only at run time."""
    owner = getattr(method, "__self__", None)
    if tracing() and isinstance(owner, functools._lru_cache_wrapper) and method == owner.cache_info:
        raise UnsupportedOperationError(
            "cache_info() is not supported in compiled code, where calls with values known only at run time leave the "
            "cache out; count the calls yourself, or ask for it outside of the compiled function"
        )


def _dispatched(function: Any, call: Call, *args: Value, **kwargs: Value) -> Value:
    """The implementation for the class that a run-time value stands for."""
    return call(_chosen(function.dispatch, type_(args[0])), *args, **kwargs)


def _dispatched_method(function: types.FunctionType, call: Call, *args: Value, **kwargs: Value) -> Value:
    """The same of a `singledispatchmethod`, as it is bound to an instance or a class."""
    if not args:
        return function(**kwargs)  # says what is missing
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held: dict[str, Any] = {name: cell.cell_contents for name, cell in cells}
    dispatch = held["dispatch"] if "dispatch" in held else held["self"].dispatcher.dispatch
    return call(_chosen(dispatch, type_(args[0])).__get__(held["obj"], held["cls"]), *args, **kwargs)


def _chosen(dispatch: Callable[[type], Call], cls: type) -> Call:
    """The implementation for a class, which another registration may replace."""
    found = dispatch(cls)
    if tracing():
        current().trace.outside.rely_on(dispatch, (cls,), found)
    return found


# All dispatchers have the code of inner functions of functools.
_EXAMPLE: Any = functools.singledispatch(type_)
_DISPATCHER: types.CodeType = _EXAMPLE.__code__
_DISPATCH: types.CodeType = _EXAMPLE.dispatch.__code__
_DISPATCHED_METHOD: types.CodeType = functools.singledispatchmethod(type_).__get__(None).__code__
