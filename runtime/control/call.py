"""Calls: the user's own functions are rewritten when they are first called, NumPy's and Python's are staged."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anabranch.base.deep_stack import users_limit
from anabranch.base.value import Value
from anabranch.runtime.config import configure
from anabranch.runtime.control import lists, text
from anabranch.runtime.control.arenas import object_arena
from anabranch.runtime.control.calls import (
    elementwise_calls,
    outside_world,
    recursion,
    repeated_calls,
    starred_calls,
    tail_calls,
    uncompiled,
)
from anabranch.runtime.control.calls.counterparts import original_of, staged
from anabranch.runtime.control.calls.starred_calls import Spread
from anabranch.runtime.control.calls.user_functions import is_rewritten, is_user_function, rewritten
from anabranch.runtime.control.calls.wrappers import unwrapped
from anabranch.runtime.control.containers import container_methods
from anabranch.runtime.control.hash_tables import creation
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.staging import recursion_depth
from anabranch.runtime.control.staging.signature_errors import fitted
from anabranch.runtime.control.stdlib import (
    bisect_,
    builtins_,
    class_tests,
    enum_,
    heapq_,
    introspection,
    itertools_,
    print_and_log,
    progress,
    queue_source,
    random_,
)
from anabranch.runtime.numpy import staged as staged_numpy
from anabranch.runtime.numpy.core import adopted
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.call_state import Active
from anabranch.runtime.tracing.source_frames import installed, internal
from anabranch.runtime.values import containers, registry
from anabranch.runtime.values.dynamic_lists.growable_list import Growable, is_fixed
from anabranch.runtime.values.lazy_text import Text
from anabranch.runtime.values.run_time_container import RunTimeContainer
from anabranch.runtime.values.tracer import Tracer
from anabranch.runtime.values.union import UnionValue

_COMPILERS = ("jax", "torch")
_ALONE = 2  # what `sys.getrefcount` says of what has one name

# Methods as attributes of their class, and what they have to be told apart for.
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_BOUND = (types.MethodType, types.MethodWrapperType)
_RUN_TIME = (Tracer, UnionValue, Text, Growable, RunTimeContainer)


def call(function: Any, /, *args: Value, **kwargs: Value) -> Value:
    """`function(*args, **kwargs)`, with the function's own control flow staged."""
    if getattr(function, "__module__", None) == "pdb" and function is sys.modules["pdb"].set_trace:
        # It looks at its caller, which should be the user's function.
        return sys.modules["pdb"].Pdb().set_trace(sys._getframe(1))
    if isinstance(function, (Tracer, Text)):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    library = (getattr(function, "__module__", None) or "").partition(".")[0]
    if library in _COMPILERS and containers.has_traced((args, kwargs)):
        Tracer.refuse_library(library)
    if type(function) in _DESCRIPTORS and args and isinstance(args[0], _RUN_TIME):
        bound = _bound(function, args[0])
        return function(*args, **kwargs) if bound is None else call(bound, *args[1:], **kwargs)
    if tracing():
        args = uncompiled.with_lists(function, args)
    if tracing() and uncompiled.is_called(function, args, kwargs):
        return uncompiled.called(uncompiled.name_of(function), function, args, kwargs)
    target = resolve(function)
    if isinstance(getattr(target, "__func__", target), tail_calls.Looped):
        return target(*args, **kwargs)
    code = getattr(target, "__code__", None)
    if code is None or not tracing():
        for argument in (*args, *kwargs.values()):
            if is_fixed(argument):
                argument.separate()
        with text.refused_by(target, args, kwargs):
            made = _writable(function, args, uncompiled.run(function, target, args, kwargs))
        if isinstance(function, type) and _makes_new_ones(function) and tracing():
            current().trace.identity.created.add(made)
            if current().trace.lists.may_grow:
                lists.make_attributes_growable(made)
            object_arena.adopt(made)
        # Referred to by the name alone: nobody else has it.
        return lists.made_growable(made) if type(made) is list and sys.getrefcount(made) <= _ALONE else made
    if installed(code.co_filename) and not (is_rewritten(code) or internal(code.co_filename)):
        if args and isinstance(args[0], UnionValue) and args[0].of_objects:
            return args[0].through(lambda v: call(function, v, *args[1:], **kwargs))
        return _from_library(uncompiled.run(function, target, args, kwargs))
    if internal(code.co_filename) and not is_rewritten(code):
        made = target(*args, **kwargs)  # one that stands for a function that calls the user's again is no recursion
        return lists.made_growable(made) if type(made) is list and sys.getrefcount(made) <= _ALONE else made
    builder = current()
    tail_calls_ = builder.trace.calls.tail_calls
    active = builder.trace.calls.active.setdefault(code, Active())
    active.count += 1
    if active.count > repeated_calls.FREQUENT and not active.depths:
        made = repeated_calls.replayed(call, builder, active, function, args, kwargs)
        if made is not None:
            return made[0]
    if active.recursion is not None:
        return active.recursion.again(target, args, kwargs)
    staged_once = recursion.staged(code, active, builder, target, args, kwargs)
    if staged_once is not None:
        return staged_once[0]
    recursion_depth.guard_depth(code.co_name, active, builder)
    if len(active.depths) >= users_limit():
        raise recursion.too_deep(builder.depth > active.depths[0])
    trying = None if active.depths else recursion.attempt(code, builder, target, args, kwargs)
    active.depths.append(builder.depth)
    tail_calls_.append(None)
    try:
        return target(*args, **kwargs)
    except recursion.Recursion as found:
        if trying is None or not recursion.is_of(found, code, builder):
            raise
        trying.undo()
    finally:
        active.depths.pop()
        tail_calls_.pop()
    # With a body of its own now, or traced again at each level.
    return call(function, *args, **kwargs)


def tail_call(function: object, /, *args: object, **kwargs: object) -> Value:
    """The call with which a function of this name ends: `return function(*args, **kwargs)`."""
    # Not by `tail_call_from`: Python's stack has a limit, and each call of a recursion takes the frames of this.
    code = sys._getframe(1).f_code
    if isinstance(function, UnionValue):
        return function.through(lambda one: tail_call_from(code, one, args, kwargs))
    step = tail_calls.step_of(code, function, args, kwargs) if tracing() else None
    return call(function, *args, **kwargs) if step is None else step


def tail_call_from(code: types.CodeType, function: object, args: tuple[object, ...], kwargs: dict[str, Value]) -> Value:
    """The call with which a function of this code, or a branch in it, ends."""
    if isinstance(function, UnionValue):
        return function.through(lambda one: tail_call_from(code, one, args, kwargs))
    step = tail_calls.step_of(code, function, args, kwargs) if tracing() else None
    return call(function, *args, **kwargs) if step is None else step


def _bound(
    method: types.MethodDescriptorType | types.WrapperDescriptorType, owner: object
) -> Callable[..., Any] | None:
    """`float.is_integer` and its kin as a method of a run-time value of the class; None for one of another class."""
    cls = method.__objclass__
    return getattr(owner, method.__name__) if class_tests.isinstance_(owner, cls) is True else None


def _writable(function: object, args: tuple[object, ...], made: Value) -> Value:
    """The result of a method of a plain array, as a traced array where staged code may have to write into it."""
    owner = getattr(function, "__self__", None)
    if type(owner) is not np.ndarray or not tracing() or not current().trace.constants.are_traced:
        return made
    return adopted(made, (owner, args)) if type(made) in (np.ndarray, tuple) else made


def _from_library(made: object) -> Value:
    """The result of the standard library's code: an object that was not there before was made by it (copy, replace)."""
    trace = current().trace
    if not trace.outside.is_outside(made):
        trace.identity.created.add(made)
    return made


def resolve(function: Any) -> Value:
    """The function to call for a callable in rewritten code."""
    if isinstance(function, UnionValue):
        function = function.without_undefined()
        if isinstance(function, UnionValue) and function.of_objects:
            return functools.partial(_call_chosen, function)
    wrapped = unwrapped(function, call)
    if wrapped is not None:
        return wrapped
    for instead in (print_and_log, random_, text, heapq_, bisect_, outside_world, elementwise_calls, progress, enum_):
        found = instead.counterpart(function)
        if found is not None:
            return found
    if isinstance(function, types.MethodType) and isinstance(function.__func__, (type, functools.partial)):
        return functools.partial(call, function.__func__, function.__self__)
    if isinstance(function, _BOUND) and function.__name__ == "__init__":
        again = container_methods.filled_anew(function.__self__)
        if again is not None:
            return again
    if isinstance(function, types.FunctionType):
        return registry.FUNCTIONS.get(function) or rewritten(function)
    if isinstance(function, (types.MethodType, types.BuiltinMethodType)):
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            if isinstance(function.__self__, RunTimeContainer) and not is_user_function(function.__func__):
                original = getattr(function.__self__.native(), function.__name__, None)
                return function if original is None else fitted(function, original)
            if isinstance(function.__self__, (Growable, PushIterator)):
                return function
            if isinstance(function.__self__, RunTimeContainer):  # of the user's own class, which is entered when called
                return types.MethodType(rewritten(function.__func__), function.__self__)
            if isinstance(function.__self__, UnionValue) and internal(function.__func__.__code__.co_filename):
                return functools.partial(_call_method, function.__self__, function.__func__.__name__)
            if tracing():
                current().trace.outside.enter(function.__self__)
            method = types.MethodType(rewritten(function.__func__), function.__self__)
            return container_methods.counting(function, method) if tracing() else method
        if isinstance(function, types.BuiltinMethodType) and tracing():
            if function in itertools_.COUNTERPARTS:
                return fitted(functools.partial(itertools_.COUNTERPARTS[function], call), function)
            other = lists.method(function) or creation.method(function) or container_methods.staged(function)
            if other is not function:
                return other
        outside_world.refuse_what_changes(function)
        return staged(function)
    if isinstance(function, functools.partial):
        if tracing() and uncompiled.may_be_called(function.func):
            return functools.partial(call, function.func, *function.args, **function.keywords)
        return functools.partial(resolve(function.func), *function.args, **function.keywords)
    inner = getattr(function, "__anabranch_function__", None)
    if inner is not None:
        chosen = function.__anabranch_options__.settings
        made = functools.partial(_call_under, chosen, inner) if chosen else resolve(inner)
        # A function with a signature, whose arguments are cast to its types.
        cast = getattr(function, "__anabranch_cast__", None)
        return made if cast is None else cast(made)
    if isinstance(function, type):
        if tracing():
            function = queue_source.COUNTERPARTS.get(function, function)
            current().trace.outside.prepare_class(function)
        return _constructor(function)
    other = staged(function)
    if other is not function:
        return other
    method = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(method, types.FunctionType) and not internal(method.__code__.co_filename):
        return types.MethodType(rewritten(method), function)
    return function


def _call_under(chosen: Mapping[str, Value], function: Any, *args: Value, **kwargs: Value) -> Value:
    """A call of a compiled function with settings of its own."""
    with configure(**chosen):
        return call(function, *args, **kwargs)


def _call_chosen(functions: UnionValue, *args: object, **kwargs: object) -> Value:
    """A call of one of a few functions."""
    return functions.through(lambda f: call(f, *args, **kwargs))


def _call_method(owner: UnionValue, name: str, *args: object, **kwargs: object) -> Value:
    """A call of a method of one of a few lists that may grow."""
    return owner.through(lambda one: call(getattr(one, name), *args, **kwargs))


def _constructor(cls: type) -> Value:
    """A class whose `__init__` is the user's own code gets it rewritten; others are called as they are."""
    if cls is type:
        return introspection.type_
    if cls in builtins_.COUNTERPARTS:
        return getattr(builtins_, builtins_.COUNTERPARTS[cls])
    if cls is np.dtype:
        return _dtype
    if staged_numpy(cls) is not cls:
        return staged_numpy(cls)
    if cls in lists.COUNTERPARTS and tracing():
        return fitted(lists.COUNTERPARTS[cls], cls)
    if cls in creation.COUNTERPARTS and tracing():
        return fitted(creation.COUNTERPARTS[cls], cls)
    if cls in itertools_.COUNTERPARTS and tracing():
        return fitted(functools.partial(itertools_.COUNTERPARTS[cls], call), cls)
    users_dict = creation.users_constructor(cls) if tracing() else None
    if users_dict is not None:
        return users_dict
    init = cls.__init__
    if not (_makes_new_ones(cls) and isinstance(init, types.FunctionType) and is_user_function(init)):
        return cls

    def construct(*args: object, **kwargs: object) -> Value:
        made = cls.__new__(cls, *args, **kwargs) if issubclass(cls, BaseException) else cls.__new__(cls)
        if tracing():
            current().trace.identity.created.add(made)
        rewritten(init)(made, *args, **kwargs)
        if tracing():
            object_arena.adopt(made)
        return made

    return construct


def _dtype(kind: Value, *args: Value, **kwargs: Value) -> Value:
    """As `numpy.dtype`, of one of several classes too."""
    if isinstance(kind, UnionValue):
        return kind.each(lambda one: np.dtype(one, *args, **kwargs))
    return np.dtype(kind, *args, **kwargs)


def _makes_new_ones(cls: type) -> bool:
    """Return whether a call of the class makes an instance as `object` does, rather than giving one that was there."""
    new: Any = cls.__new__
    usual = new is object.__new__ or (issubclass(cls, BaseException) and isinstance(new, types.BuiltinFunctionType))
    return type(cls).__call__ is type.__call__ and usual


class StagedCall:
    """A function that is called with what is unpacked, `f(*x)` and `f(**x)`, under its own name in Python's errors."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        named = original_of(function)
        self.__module__ = getattr(named, "__module__", None) or "builtins"
        if isinstance(getattr(named, "__qualname__", None), str):
            vars(self)["__qualname__"] = named.__qualname__

    def __str__(self) -> str:
        return str(self.function)

    def call(self, /, *args: object, **kwargs: object) -> Value:
        """Call the function with what was unpacked."""
        if Spread in map(type, args):
            return starred_calls.called(call, self.function, args, kwargs)
        if _is_staged(self.function):
            return self.function(*args, **kwargs)
        return call(self.function, *args, **kwargs)

    __call__ = call


class TailCalling(StagedCall):
    """A function that is called with what is unpacked as the last thing that another does."""

    def call(self, /, *args: object, **kwargs: object) -> Value:
        """The call with what was unpacked."""
        if Spread in map(type, args):
            return starred_calls.called(call, self.function, args, kwargs)
        return tail_call_from(sys._getframe(1).f_code, self.function, args, kwargs)

    __call__ = call


calling, tail_calling = StagedCall, TailCalling


def _is_staged(function: object) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and internal(code.co_filename)
