"""Calls: the user's own functions are rewritten when they are first called, NumPy's and Python's are staged."""

from __future__ import annotations

import datetime
import functools
import inspect
import io
import linecache
import math
import random
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from anabranch import transpile
from anabranch.base.deep_stack import users_limit
from anabranch.runtime.config import configure, settings
from anabranch.runtime.control import lists, text
from anabranch.runtime.control.calls import output, outside_world, special_methods, uncompiled
from anabranch.runtime.control.calls.signature_errors import fitted
from anabranch.runtime.control.calls.wrappers import unwrapped
from anabranch.runtime.control.containers import container_methods
from anabranch.runtime.control.iteration.push_iteration import generator
from anabranch.runtime.control.loops import tail_calls
from anabranch.runtime.control.stdlib import (
    bisect_,
    builtins_,
    cmath_,
    cmp_to_key,
    heapq_,
    itertools_,
    math_,
    operator_,
)
from anabranch.runtime.device.array import Array
from anabranch.runtime.errors import UnsupportedOperationError
from anabranch.runtime.numpy import namespace, staged as staged_numpy
from anabranch.runtime.tracing import source_frames
from anabranch.runtime.tracing.source_frames import OWN_SPEED, installed, internal, standard
from anabranch.runtime.tracing.trace import Active, Builder, building, current, tracing
from anabranch.runtime.values import containers, registry
from anabranch.runtime.values.decisions import note
from anabranch.runtime.values.dynamic_lists.growable import MayGrow, is_fixed
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.static_requests import know
from anabranch.runtime.values.tracer import Traced
from anabranch.runtime.values.union import ChoiceValue
from anabranch.transpile import is_rewritten as is_rewritten

_ITERABLES = (range, enumerate, zip, reversed)
# Class methods of dates that read the clock.
_NOW = ("now", "today", "utcnow")
# What functools.total_ordering puts into classes.
_TOTAL_ORDERING = frozenset(f.__code__ for made in vars(functools)["_convert"].values() for _, f in made)
_INNER_CALLS = 300  # of a function to itself that may be traced for one call
_COMPILERS = ("jax", "torch")
_ALONE = 2  # what `sys.getrefcount` says of what has one name


# Methods as attributes of their class, and what they have to be told apart for.
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_RUN_TIME = (Traced, ChoiceValue, Text)


class HasFunction(Protocol):
    """A compiled function: calls from traced code go to what it wraps."""

    __anabranch_function__: Callable[..., Any]


def counterpart(value: object) -> str | None:
    """The text, in terms of `ab`, of the staged form of a global or built-in.

    None when there is none; "" for a built-in function that works on traced values as it is.
    """
    if value is np:
        return "ab.numpy"
    if type(value) in (np.ndarray, Array):
        return "ab.outside"
    if value is math:
        return "ab.math"
    try:
        # A class may also stand for itself (dtype=bool), so its calls go through `ab.call`.
        if (not isinstance(value, type) or value in _ITERABLES) and value in builtins_.COUNTERPARTS:
            return f"ab.builtins.{builtins_.COUNTERPARTS[value]}"
        if value in math_.COUNTERPARTS:
            return f"ab.math.{math_.COUNTERPARTS[value]}"
    except TypeError:  # unhashable
        return None
    if isinstance(value, types.BuiltinFunctionType) and value.__module__ == "builtins" and value is not input:
        return ""
    if isinstance(value, types.ModuleType) and value.__name__.startswith("numpy."):
        return f"ab.numpy.{value.__name__.removeprefix('numpy.')}"
    name = getattr(value, "__name__", None)
    if name and not isinstance(value, type) and getattr(np, name, None) is value and callable(value):
        return f"ab.numpy.{name}"
    return None


def staged(value: Any) -> Any:
    """The staged form of a module or function, or the object itself."""
    if value is np:
        return namespace
    if value is math:
        return math_.mathematics
    try:
        if value in builtins_.COUNTERPARTS:
            return getattr(builtins_, builtins_.COUNTERPARTS[value])
        if value in math_.COUNTERPARTS:
            return getattr(math_.mathematics, math_.COUNTERPARTS[value])
        for functions in (operator_, cmath_, cmp_to_key):
            if value in functions.COUNTERPARTS:
                return functions.COUNTERPARTS[value]
    except TypeError:
        return value
    return staged_numpy(value)


def imported(value: Any) -> Any:
    """Return the value for a name that a function imports: a type or a built-in as it is, anything else staged.

    Types and built-ins are staged where they are called, as each of them may be compared, shown or passed on.
    """
    try:
        own = isinstance(value, type) or value in builtins_.COUNTERPARTS
    except TypeError:  # unhashable
        own = False
    return value if own else staged(value)


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, with the function's own control flow staged."""
    if getattr(function, "__module__", None) == "pdb" and function is sys.modules["pdb"].set_trace:
        # It looks at its caller, which should be the user's function.
        return sys.modules["pdb"].Pdb().set_trace(sys._getframe(1))
    if isinstance(function, (Traced, Text)):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    library = (getattr(function, "__module__", None) or "").partition(".")[0]
    if library in _COMPILERS and containers.has_traced((args, kwargs)):
        Traced.refuse_library(library)
    if type(function) in _DESCRIPTORS and args and isinstance(args[0], _RUN_TIME):
        bound = _bound(function, args[0])
        return function(*args, **kwargs) if bound is None else call(bound, *args[1:], **kwargs)
    target = resolve(function)
    if isinstance(getattr(target, "__func__", target), tail_calls.Looped):
        return target(*args, **kwargs)
    code = getattr(target, "__code__", None)
    if code is None or not tracing():
        for argument in (*args, *kwargs.values()):
            if is_fixed(argument):
                argument.separate()
        with text.refused_by(target, args, kwargs):
            made = uncompiled.run(function, target, args, kwargs)
        if isinstance(function, type) and _makes_new_ones(function) and tracing():
            current().trace.bear(made)
            if current().trace.lists:
                lists.let_attributes_grow(made)
        # Referred to by the name alone: nobody else has it.
        return lists.let_grow(made) if type(made) is list and sys.getrefcount(made) <= _ALONE else made
    if installed(code.co_filename) and not (is_rewritten(code) or internal(code.co_filename)):
        if args and isinstance(args[0], ChoiceValue) and args[0].of_objects:
            return args[0].through(lambda v: call(function, v, *args[1:], **kwargs))
        return _from_library(uncompiled.run(function, target, args, kwargs))
    builder = current()
    tail_calls_ = builder.trace.tail_calls
    active = builder.trace.active.setdefault(code, Active())
    _guard_depth(code.co_name, active, builder)
    if len(active.depths) >= users_limit():
        raise _too_deep(builder.depth > active.depths[0])
    active.depths.append(builder.depth)
    tail_calls_.append(None)
    try:
        return target(*args, **kwargs)
    finally:
        active.depths.pop()
        tail_calls_.pop()


def tail_call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The call with which a function of this name ends: `return function(*args, **kwargs)`."""
    # Not by `tail_call_from`: Python's stack has a limit, and each call of a recursion takes the frames of this.
    code = sys._getframe(1).f_code
    if isinstance(function, ChoiceValue):
        return function.through(lambda one: tail_call_from(code, one, args, kwargs))
    step = tail_calls.step_of(code, function, args, kwargs) if tracing() else None
    return call(function, *args, **kwargs) if step is None else step


def tail_call_from(code: types.CodeType, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same from a function of this code."""
    if isinstance(function, ChoiceValue):
        return function.through(lambda one: tail_call_from(code, one, args, kwargs))
    step = tail_calls.step_of(code, function, args, kwargs) if tracing() else None
    return call(function, *args, **kwargs) if step is None else step


def _bound(method: Any, owner: Any) -> Any:
    """`float.is_integer` and its kin as a method of a run-time value of the class; None for one of another class."""
    cls = method.__objclass__
    return getattr(owner, method.__name__) if builtins_.isinstance_(owner, cls) is True else None


def _guard_depth(name: str, active: Active, builder: Builder) -> None:
    """Refuse recursion that is too deep, or whose calls double at each level, under run-time conditions.

    Where arguments alone decide that such a call is reached, they are made known instead.
    """
    if not active.depths:
        active.inner = 0
        return
    # A call in a deeper builder than the call it is part of stands under a condition known only at run time.
    if builder.depth <= active.depths[-1]:
        return
    if (source := source_frames.source()) not in active.asked:
        active.asked.add(source)
        _know_what_decides(name, builder, active.depths[-1])
    limit, levels = settings().recursion_limit, len(set(active.depths))
    active.inner += 1
    if active.inner > max(_INNER_CALLS, limit):
        raise UnsupportedOperationError(
            f"{name} calls itself in more than one place under run-time conditions, so that each level (up to "
            f"recursion_limit, which is {limit}) takes twice as long to trace as the one before; set "
            "recursion_limit to the depth that is needed, write it as a loop, or make the argument that ends it static"
        )
    if levels >= limit:
        raise RecursionError(
            f"{name} calls itself under run-time conditions to a depth of more than {levels}; "
            "raise recursion_limit, write it as a loop, or make the argument that ends it static"
        )


def _know_what_decides(name: str, builder: Builder, depth: int) -> None:
    """Have those arguments known from which a condition is computed that stands between two calls of one function."""
    while builder.depth > depth and builder.parent is not None:
        if builder.selector is not None:
            with building(builder.parent):
                know(builder.selector, f"the depth to which {name} calls itself")
        builder = builder.parent


def _from_library(made: Any) -> Any:
    """What the standard library's code gave: an object that was not there before was made by it (copy, replace)."""
    trace = current().trace
    if not trace.is_outside(made):
        trace.bear(made)
    return made


def resolve(function: Any) -> Any:
    """What really is called for a callable in rewritten code."""
    if isinstance(function, ChoiceValue):
        function = function.without_undefined()
        if isinstance(function, ChoiceValue) and function.of_objects:
            return functools.partial(_call_chosen, function)
    wrapped = unwrapped(function, call)
    if wrapped is not None:
        return wrapped
    for instead in (output, text, heapq_, bisect_, outside_world):
        found = instead.counterpart(function)
        if found is not None:
            return found
    if isinstance(function, types.FunctionType):
        return rewritten(function)
    if isinstance(function, (types.MethodType, types.BuiltinMethodType)):
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            if isinstance(function.__self__, MayGrow):
                return function
            if tracing():
                _refuse_draws(function)
                current().trace.enter(function.__self__)
            return types.MethodType(rewritten(function.__func__), function.__self__)
        if isinstance(function, types.BuiltinMethodType) and tracing():
            if function is functools.reduce:
                return fitted(functools.partial(itertools_.COUNTERPARTS[function], call), function)
            other = lists.method(function) or container_methods.staged(function)
            if other is not function:
                return other
        _refuse_what_changes(function)
        return staged(function)
    if isinstance(function, functools.partial):
        return functools.partial(resolve(function.func), *function.args, **function.keywords)
    inner = getattr(function, "__anabranch_function__", None)
    if inner is not None:
        chosen = function.__anabranch_options__.settings
        return functools.partial(_call_under, chosen, inner) if chosen else resolve(inner)
    if isinstance(function, type):
        if tracing():
            current().trace.meet(function)
        return _constructor(function)
    other = staged(function)
    if other is not function:
        return other
    method = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(method, types.FunctionType) and not internal(method.__code__.co_filename):
        return types.MethodType(rewritten(method), function)
    return function


def _call_under(chosen: Mapping[str, Any], function: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of a compiled function with settings of its own."""
    with configure(**chosen):
        return call(function, *args, **kwargs)


def _call_chosen(functions: ChoiceValue, *args: Any, **kwargs: Any) -> Any:
    """A call of one of a few functions."""
    return functions.through(lambda f: call(f, *args, **kwargs))


def _refuse_what_changes(function: types.BuiltinMethodType | types.MethodType) -> None:
    """Refuse a built-in function that looks at the world outside, as it would while tracing and never again."""
    owner, name = function.__self__, function.__name__
    clock = isinstance(owner, type) and issubclass(owner, datetime.date) and name in _NOW
    if function.__module__ == "time" or clock:
        raise UnsupportedOperationError(
            f"{function.__module__ or 'datetime'}.{name}() would give the time of tracing at each call of the compiled "
            "function; call it outside"
        )
    _refuse_draws(function)
    if function in (input, open):
        raise UnsupportedOperationError(f"{name}() would run only while the function is traced; call it outside")
    if isinstance(owner, io.IOBase) and not isinstance(owner, (io.StringIO, io.BytesIO)):
        raise UnsupportedOperationError(
            f"{name}() of a file would run only while the function is traced; call it outside, or use print(file=...)"
        )


def _refuse_draws(method: types.BuiltinMethodType | types.MethodType) -> None:
    """Refuse a method of a generator of random numbers that is not the user's own, in C or in Python."""
    owner = method.__self__
    if not isinstance(owner, (random.Random, *_generators())):
        return
    function = getattr(method, "__func__", None)
    if isinstance(function, types.FunctionType) and is_users(function):  # of a subclass: it is rewritten
        return
    raise UnsupportedOperationError(
        f"{type(owner).__name__}.{method.__name__} would give the same number at each call of the compiled function; "
        "draw the numbers outside and pass them as an argument, or draw them from a key with anabranch.random"
    )


def _generators() -> tuple[type, ...]:
    """NumPy's, where somebody has asked for its module, which NumPy itself does not import."""
    return (np.random.Generator, np.random.RandomState) if "numpy.random" in sys.modules else ()


def _constructor(cls: type) -> Any:
    """A class whose `__init__` is the user's own code gets it rewritten; others are called as they are."""
    if cls is type:
        return builtins_.type_
    if cls in builtins_.COUNTERPARTS:
        return getattr(builtins_, builtins_.COUNTERPARTS[cls])
    if cls is np.dtype:
        return _dtype
    if staged_numpy(cls) is not cls:
        return staged_numpy(cls)
    if cls in lists.COUNTERPARTS and tracing():
        return fitted(lists.COUNTERPARTS[cls], cls)
    if cls in itertools_.COUNTERPARTS and tracing():
        return fitted(functools.partial(itertools_.COUNTERPARTS[cls], call), cls)
    init = cls.__init__
    if not (_makes_new_ones(cls) and isinstance(init, types.FunctionType) and is_users(init)):
        return cls

    def construct(*args: Any, **kwargs: Any) -> Any:
        made = cls.__new__(cls, *args, **kwargs) if issubclass(cls, BaseException) else cls.__new__(cls)
        if tracing():
            current().trace.bear(made)
        rewritten(init)(made, *args, **kwargs)
        return made

    return construct


def _dtype(kind: Any, *args: Any, **kwargs: Any) -> Any:
    """As `numpy.dtype`, of one of several classes too."""
    if isinstance(kind, ChoiceValue):
        return kind.each(lambda one: np.dtype(one, *args, **kwargs))
    return np.dtype(kind, *args, **kwargs)


def _makes_new_ones(cls: type) -> bool:
    """Whether a call of the class makes an instance as `object` does, rather than giving one that was there."""
    new: Any = cls.__new__
    usual = new is object.__new__ or (issubclass(cls, BaseException) and isinstance(new, types.BuiltinFunctionType))
    return type(cls).__call__ is type.__call__ and usual


def is_users(function: types.FunctionType) -> bool:
    """Whether a function is code to rewrite: not the standard library's, not a numeric package's, and with source."""
    code = function.__code__
    if internal(code.co_filename):
        return False
    if code in _TOTAL_ORDERING:
        return True
    if code.co_filename.startswith("<"):
        consoles = ("<ipython", "<stdin", "<doctest", "<python-input", "<console")
        known = code.co_filename.startswith(consoles) or code.co_filename in linecache.cache
        return (known and code.co_filename != "<string>") or transpile.is_of_program(code)
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return False
    module = function.__module__ or ""
    if module.split(".")[0] in OWN_SPEED:
        return False
    return not standard(code.co_filename)


def rewritten(function: types.FunctionType) -> Callable[..., Any]:
    """The function with its control flow staged; itself when there is nothing to rewrite."""
    function = special_methods.original(function)
    if tracing():
        current().trace.enter(function)
        if current().trace.lists:
            transpile.stage_operators(function.__code__, "list")
    if transpile.is_rewritten(function.__code__) or not is_users(function):
        return function
    if function.__code__.co_flags & inspect.CO_GENERATOR:
        note("rewritten", _named(function), lambda: "a generator, which hands its values to the loop over it")
        pushing = transpile.rewrite(function, counterpart, settings().cache_dir, generator=True)
        return generator(pushing.bind(function, _vocabulary(), _outside))
    if not transpile.needs_rewriting(function) and not _reads_arrays(function):
        note("rewritten", _named(function), lambda: "left as it is: there is nothing to rewrite")
        return function
    note("rewritten", _named(function), lambda: "its control flow and calls go through anabranch; f.source() shows it")
    found = transpile.rewrite(function, counterpart, settings().cache_dir)
    bound = found.bind(function, _vocabulary(), _outside)
    is_looped = tracing() and function.__code__ in (current().trace.looped or ())
    return tail_calls.Looped(function, bound) if is_looped else bound


def _named(function: types.FunctionType) -> str:
    return f"{function.__qualname__} at {function.__code__.co_filename}:{function.__code__.co_firstlineno}"


def _reads_arrays(function: types.FunctionType) -> bool:
    """Whether a function has an array in its globals or its closure."""
    names = function.__code__.co_names
    if any(type(function.__globals__.get(n)) in (np.ndarray, Array) for n in names):
        return True
    return any(type(v) in (np.ndarray, Array) for v in inspect.getclosurevars(function).nonlocals.values())


def _outside(value: Any) -> Any:
    """What stands for a value from a function's globals or closure: an array is an input of the computation."""
    if not is_hoistable(value) or not tracing():
        return value
    return current().trace.hoist(value)


def is_hoistable(value: Any) -> bool:
    """Whether a value from outside is an array of numbers."""
    return type(value) is Array or (type(value) is np.ndarray and value.dtype.kind in "biufc")


def _vocabulary() -> types.ModuleType:
    # The module itself imports this one; by the time something is rewritten both are there.
    return sys.modules["anabranch.runtime.control.vocabulary"]


def _too_deep(conditional: bool) -> RecursionError:
    """Return the error that Python raises; the plain function fails so, too, if no run-time condition has led there."""
    error = RecursionError("maximum recursion depth exceeded")
    error.anabranch_own = not conditional  # type: ignore[attr-defined]
    return error


def endless(error: RecursionError) -> UnsupportedOperationError | None:
    """Return the error of endless recursion while tracing; None where the plain function raises it, too."""
    if getattr(error, "anabranch_own", False):
        return None
    return UnsupportedOperationError(
        "a function calls itself under a condition known only at run time, so that tracing does not end; "
        f"write it as a loop, or make the argument that ends it static ({error})"
    ).with_traceback(error.__traceback__)


registry.register_called(lambda function: functools.partial(call, function))
