"""Calls of staged forms of Python's functions with arguments that do not fit: Python's own function says so."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.errors import AnabranchError, UnsupportedOperationError


def fitted(function: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the staged form, which raises what the original raises for arguments that do not fit its parameters."""
    plain: Any = function
    while isinstance(plain, functools.partial):
        plain = plain.func
    code = getattr(inspect.unwrap(plain), "__code__", None)

    @functools.wraps(function, assigned=("__name__", "__qualname__", "__doc__", "__module__"))
    def call(*args: object, **kwargs: object) -> Value:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if code is None or isinstance(error, AnabranchError) or _ran(code, error.__traceback__):
                raise
        original(*args, **kwargs)
        raise UnsupportedOperationError(f"{original.__name__}() with these arguments is not supported in compiled code")

    return call


def staged_form_of(original: Callable[..., object]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that makes a function the staged form of another, which refuses the arguments that it does."""

    def decorate(function: Callable[..., object]) -> Callable[..., Any]:
        return fitted(function, original)

    return decorate


def _ran(code: types.CodeType, tb: types.TracebackType | None) -> bool:
    """Return whether a function had its arguments when an error was raised."""
    while tb is not None and tb.tb_frame.f_code is not code:
        tb = tb.tb_next
    return tb is not None
