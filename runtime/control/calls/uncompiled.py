"""Calls of functions that are not compiled: those written in C, the standard library's, other packages'.

They run while the function is traced, or on the host while the computation runs: those of libraries that keep to their
arguments, and named ones. Many work on values known only at run time as they are (`copy.copy`,
`list.append`); the others fail in words about classes that the user has never met, which is said here in other words.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard

import numpy as np

from anabranch import transpile
from anabranch.base.value import Value
from anabranch.runtime.config import settings
from anabranch.runtime.control import lists
from anabranch.runtime.control.arenas.arena_list import ArenaList
from anabranch.runtime.control.iteration.push_iterator import PushIterator
from anabranch.runtime.control.sequences.countable import Countable
from anabranch.runtime.errors import AnabranchError, ConcretizationError, UnsupportedOperationError
from anabranch.runtime.host.generator_state import is_generator
from anabranch.runtime.numpy import polynomial_series
from anabranch.runtime.numpy.namespace import namespace
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import installed, internal
from anabranch.runtime.values import decisions
from anabranch.runtime.values.arrays.numpy_scalar import NumPyLike
from anabranch.runtime.values.containers import has_traced
from anabranch.runtime.values.failures.refusals import not_compiled
from anabranch.runtime.values.host_calls import functions, stage, trial
from anabranch.runtime.values.host_calls.functions import is_of_library
from anabranch.runtime.values.host_types.byte_sequences import ByteSequence
from anabranch.runtime.values.python_numbers.python_scalar import PythonScalar
from anabranch.runtime.values.random_generators import TracedGenerator
from anabranch.runtime.values.static_requests import request_static, requests_of, with_static_request
from anabranch.runtime.values.tracer import Tracer

# How Python says that a call does not fit the parameters, whatever the arguments are.
_MISFIT = re.compile(r"takes |expected .* argument|unexpected keyword|missing |multiple values|object is not iterable")
# Errors that are not the program's own where values are meant that stand for others.
_MISREADINGS = (TypeError, AttributeError, RuntimeError, SystemError, NotImplementedError)
# Whose methods change nothing else, and look at nothing else.
_CONTAINERS = (list, dict, set, frozenset, tuple, str, bytes)
# These read the memory of a NumPy value, and ask it for nothing.
_OF_MEMORY = (bytes, bytearray, memoryview)
# Packages of which is known what they do with a generator of random numbers.
_OWN = ("anabranch", "numpy")
# Packages whose compiled code has no use for values known only at run time, and says so in any kind of error.
_NUMERIC = ("scipy", "pandas", "sklearn", "numba", "cython", "datetime", "decimal")


def run(function: object, target: Callable[..., Any], args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """`target(*args, **kwargs)`, which is what `function` really is.

    Raises `UnsupportedOperationError` or `ConcretizationError` where the function has no use for the values known only
    at run time among its arguments. Raises `Specialise` where these are integers computed from arguments that can be
    static.
    """
    if len(args) == 1 and not kwargs and isinstance(args[0], ByteSequence) and _is_one(function, (bytes, bytearray)):
        return args[0].copied_to(function)
    refusals = 0
    if tracing():
        if _package(function) not in (*_OWN, *sys.stdlib_module_names):
            _refuse_generators(function, (*args, *kwargs.values()))
        trace = current().trace
        refusals = trace.requests.refusals
        trace.calls.host_calls += not _keeps_to_itself(function)
    try:
        if tracing() and is_of_library(function):
            return trial.now(name_of(function), target, args, kwargs)
        return target(*args, **kwargs)
    except Exception as error:
        if not tracing() or not _misread(function, args, kwargs, error, current().trace.requests.refusals > refusals):
            raise
        for value in _integers((*args, *kwargs.values())):
            request_static(value.atom, f"an argument of {name_of(function)}()")
        raise _refusal(function, error, (*args, *kwargs.values())) from None


def _refuse_generators(function: object, arguments: Iterable[object]) -> None:
    """Refuse a library's function that might draw from a generator of random numbers, which it would while tracing."""
    if any(isinstance(value, TracedGenerator) or is_generator(value) for value in arguments):
        raise UnsupportedOperationError(
            f"{name_of(function)}() is not compiled, and would draw from a generator of random numbers only while the "
            "function is traced; call it outside, or draw the numbers here and pass them"
        )


def _is_one(function: Any, classes: tuple[type, ...]) -> TypeGuard[type]:
    """Return whether a function is one of the classes; it may be one of several, and say so where it is compared."""
    return any(function is cls for cls in classes)


def _keeps_to_itself(function: object) -> bool:
    """Return whether a call surely looks at nothing but its arguments, and changes nothing but a built-in container."""
    if isinstance(function, type):
        return issubclass(function, BaseException) and function.__module__ == "builtins"
    return type(getattr(function, "__self__", None)) in _CONTAINERS


def _misread(
    function: object, args: tuple[object, ...], kwargs: dict[str, Value], error: Exception, is_refused: bool
) -> bool:
    """Return whether an error was raised because a function does not recognise the stand-in for a run-time value.

    `is_refused` says that it has asked one for a plain value: it may raise an error of its own instead of ours.
    """
    ours = isinstance(error, (ConcretizationError, UnsupportedOperationError))
    if isinstance(error, AnabranchError) and not ours:
        return False
    assert error.__traceback__ is not None
    codes = list(_codes(error.__traceback__.tb_next))
    if any(map(_is_user_code, codes)):
        return False
    in_library = [not internal(code.co_filename) for code in codes]
    if ours:
        # From a function in C it is ours alone, and names the operator that asked. The run-time value may come out of
        # a function that was passed.
        return any(in_library)
    if not has_traced((args, kwargs)):
        return False
    if _package(function) in _NUMERIC or (_is_one(function, _OF_MEMORY) and isinstance(args[0], NumPyLike)):
        return True
    if is_refused and _is_of_c(function) and not isinstance(error, TypeError):
        return True
    if not isinstance(error, _MISREADINGS) or _MISFIT.search(str(error)):
        return False
    # What our own code raises is what Python itself would have raised.
    return in_library[-1] if in_library else _is_of_c(function)


def _codes(traceback: types.TracebackType | None) -> Iterator[types.CodeType]:
    while traceback is not None:
        yield traceback.tb_frame.f_code
        traceback = traceback.tb_next


def _is_user_code(code: types.CodeType) -> bool:
    return transpile.is_rewritten(code) or not (internal(code.co_filename) or installed(code.co_filename))


def _is_of_c(function: object) -> bool:
    if isinstance(function, type):
        return _package(function) in sys.stdlib_module_names
    return isinstance(
        function,
        (types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType),
    )


def _package(function: object) -> str:
    owner = getattr(function, "__self__", None)  # a class method in C has no module
    module = getattr(function, "__module__", None) or (owner.__module__ if isinstance(owner, type) else "")
    return module.partition(".")[0]


def name_of(function: object) -> str:
    """The name of a function, as users know it."""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    module = getattr(function, "__module__", None)
    if module in (None, "builtins"):
        return name
    # The outermost package that has it is the one that users import it from; of `_struct` that is `struct`.
    public = sys.modules.get(module.lstrip("_"))
    outer = (module.lstrip("_") if getattr(public, name, None) is function else module).split(".")
    names = (".".join(outer[:n]) for n in range(1, len(outer)))
    return f"{next((m for m in names if getattr(sys.modules.get(m), name, None) is function), '.'.join(outer))}.{name}"


def _integers(arguments: Iterable[object]) -> list[Value]:
    """The integers and bools among the arguments that are known only at run time."""
    return [v for v in arguments if isinstance(v, Tracer) and _is_integer(v)]


def _is_integer(value: Tracer) -> bool:
    if isinstance(value, PythonScalar):
        return value.python in (int, bool)
    return not value.abstract.shape and np.dtype(value.abstract.dtype).kind in "iub" and hasattr(value, "atom")


def _refusal(function: object, error: Exception, arguments: Iterable[object]) -> AnabranchError:
    text = not_compiled(name_of(function), _said(error))
    concrete = isinstance(error, ConcretizationError)
    refusal: AnabranchError = ConcretizationError(text) if concrete else UnsupportedOperationError(text)
    if needs := requests_of(error):
        refusal.anabranch_needs = needs  # type: ignore[attr-defined]
    for value in _integers(arguments):
        refusal = with_static_request(refusal, value.atom, f"an argument of {name_of(function)}()")
    return refusal


def _said(error: Exception) -> str:
    """Return the reason that a ConcretizationError names, or the type and message of any other error."""
    if isinstance(error, ConcretizationError):
        return re.split(" while tracing|;", str(error), maxsplit=1)[0]
    return f"{type(error).__name__}: {error}"


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
    return tuple([make(arg) if isinstance(arg, (PushIterator, Countable, ArenaList)) else arg for arg in args])


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
