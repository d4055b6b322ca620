"""A function as it is before it is compiled: its name, parameters and source; methods as functions."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

from anabranch import transpile
from anabranch.runtime.config import settings
from anabranch.runtime.control.call import resolve
from anabranch.runtime.control.calls.counterparts import counterpart, staged
from anabranch.runtime.errors import NoSourceError
from anabranch.runtime.tracing.builder import tracing
from anabranch.transpile.bytecode_scan import grows_in_loops


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function in messages."""
    return getattr(function, "__qualname__", "function")


def parameter_names(function: Callable[..., object]) -> tuple[str, ...]:
    """The positional parameters, for messages."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


def may_grow_lists(function: Callable[..., object]) -> bool:
    """Return whether a loop of the function, as its source says, may make a list longer."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and grows_in_loops(code)


def plain_function(function: Callable[..., object]) -> types.FunctionType:
    """The function that a method, a partial or a callable object comes down to.

    Raises `NoSourceError` when there is none that is written in Python.
    """
    inner = function
    for _ in range(16):
        if isinstance(inner, (types.FunctionType, functools._lru_cache_wrapper)):
            plain = inspect.unwrap(inner)
            if isinstance(plain, types.FunctionType):
                return plain
            break
        inner = getattr(inner, "__func__", None) or getattr(inner, "func", None) or type(inner).__call__
    raise NoSourceError(
        f"{function!r} is not written in Python, so it has no source to compile; wrap it in a function that calls it"
    )


def refuse_early(function: Callable[..., object]) -> None:
    """Refuse what cannot be rewritten at all: a function that yields or awaits, and one without source.

    Deeper in, generators and functions made by `exec` (a dataclass's methods) run as they are.
    """
    if isinstance(function, type) or counterpart(function) is not None or staged(function) is not function:
        return  # a class, whose methods are seen when they are called; NumPy's or Python's own
    plain = plain_function(function)
    code = plain.__code__
    yields = code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
    sourceless = code.co_filename.startswith("<") and not transpile.is_rewritten(code)
    if yields or (sourceless and transpile.needs_rewriting(plain)):
        transpile.rewrite(plain, counterpart, settings().cache_dir)


def method_of(function: Callable[..., object], instance: object) -> Callable[..., Any]:
    """The method of an instance, which it does not keep where it need not."""
    method = types.MethodType(function, instance)
    try:
        reference: Callable[[], Any] = weakref.ref(instance)
    except TypeError:
        return method

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        method = types.MethodType(function, reference())
        return (resolve(method) if tracing() else method)(*args, **kwargs)

    call.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    call.__anabranch_receiver__ = reference  # type: ignore[attr-defined]
    return call
