"""The decorators that extend Numba; functions that are written in Python need none of them here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.runtime.compat.c_functions import get_cython_function_address as get_cython_function_address
from anabranch.runtime.compat.dispatcher import jit
from anabranch.runtime.compat.overloads import overload as overload
from anabranch.runtime.compat.uncallable import intrinsic as _intrinsic


def intrinsic(function: Any = None, **options: Any) -> Any:
    """The function, which can be defined and not called: it is written for LLVM."""
    return _intrinsic if function is None else _intrinsic(function)


def register_jitable(function: Any = None, **options: Any) -> Any:
    """The function, which compiled functions may call as any other."""
    return function if function is not None else lambda one: one


def overload_method(*names: Any, **options: Any) -> Callable[[Any], Any]:
    """A decorator that leaves its function as it is."""
    return lambda implementation: implementation


overload_attribute = overload_method


def is_jitted(function: object) -> bool:
    """Return whether a function was made by `jit`."""
    return isinstance(function, type(jit(is_jitted)))
