"""`f(*x)` and `f(**x)`: what is called has the name by which Python's errors about what is unpacked tell of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from anabranch.runtime.control.call import call as call_of, tail_call_from
from anabranch.runtime.control.stdlib import builtins_, math_
from anabranch.runtime.tracing.source_frames import internal
from anabranch.runtime.values import registry


class Calling:
    """A function whose call is staged."""

    def __init__(self, function: Any) -> None:
        self.function = function
        named = _original(function)
        self.__module__ = getattr(named, "__module__", None) or "builtins"
        if isinstance(getattr(named, "__qualname__", None), str):
            vars(self)["__qualname__"] = named.__qualname__

    def __str__(self) -> str:
        return str(self.function)

    def call(self, /, *args: Any, **kwargs: Any) -> Any:
        """The call with what was unpacked."""
        if _is_staged(self.function):
            return self.function(*args, **kwargs)
        return call_of(self.function, *args, **kwargs)

    __call__ = call


class TailCalling(Calling):
    """The same of the call with which a function ends."""

    def call(self, /, *args: Any, **kwargs: Any) -> Any:
        """The call with what was unpacked."""
        return tail_call_from(sys._getframe(1).f_code, self.function, args, kwargs)

    __call__ = call


calling, tail_calling = Calling, TailCalling


def _is_staged(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and internal(code.co_filename)


def _original(function: Any) -> Any:
    """The function of Python's or NumPy's that a staged one stands for; any other as it is."""
    if not (getattr(function, "__module__", None) or "").startswith("anabranch."):
        return function
    for original, staged in _pairs():
        if staged is function:
            return original
    return function


def _pairs() -> list[tuple[Any, Callable[..., Any]]]:
    found = [(original, getattr(builtins_, name)) for original, name in builtins_.COUNTERPARTS.items()]
    found += [(original, getattr(math_.mathematics, name)) for original, name in math_.COUNTERPARTS.items()]
    return [*found, *registry.FUNCTIONS.items()]
