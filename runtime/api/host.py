"""`anabranch.host`: functions of the user's that compiled code calls on the host, as they are."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.signature.shape_dtype_struct import ShapeDtypeStruct

P = ParamSpec("P")
R = TypeVar("R")
_NUMBERS = (bool, int, float, complex)
_UNKNOWN = object()


@frozen
class HostOptions:
    """How a function is called on the host."""

    example: tuple[Any] | None  # a result like all others


class HostFunction(Generic[P, R]):
    """A function that runs on the host, plainly, wherever it is called."""

    def __init__(self, function: Callable[P, R], options: HostOptions) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self.__anabranch_host__ = options

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.__wrapped__(*args, **kwargs)

    def __get__(self, owner: object, cls: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self) -> str:
        return f"<host function {self.__wrapped__!r}>"


@overload
def host(function: Callable[P, R], /) -> HostFunction[P, R]: ...


@overload
def host(*, result: Any = ...) -> Callable[[Callable[P, R]], HostFunction[P, R]]: ...


def host(function: Any = None, /, *, result: Any = _UNKNOWN) -> Any:
    """Let compiled functions call a function on the host.

    The function runs as plain Python, on ordinary numbers and writable copies of arrays, each time that the compiled
    function comes to the call, and in the order of the calls; what it raises is raised there. It returns numbers,
    arrays, None, or lists, tuples and dicts of these, always of the same types; sizes of arrays may change. It must not
    change its arguments, or return views of them.

    Parameters
    ----------
    function : callable
    result : object, optional
        A result like all others: of a number its type or an example, of an array an example or a `ShapeDtypeStruct`.
        Without it the function is called once more while a compiled function is traced, with the values of that call
        where they are known there, and with others of their types where they are not.

    Returns
    -------
    HostFunction
        Outside of compiled functions it is the function itself.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import host, jit
    >>> @host(result=float)
    ... def asked(x):
    ...     return float(input_of_some_instrument(x))
    >>> @jit
    ... def measure(xs):
    ...     total = 0.0
    ...     for x in xs:
    ...         total += asked(x)
    ...     return total
    """
    if function is not None:
        return HostFunction(function, HostOptions(None))
    options = HostOptions(None if result is _UNKNOWN else (_example(result),))
    return lambda function: HostFunction(function, options)


def _example(result: Any) -> Any:
    """A result of this description."""
    if isinstance(result, ShapeDtypeStruct):
        return np.zeros([0 if n is None else n for n in result.shape], result.dtype)
    if isinstance(result, type) and (result in _NUMBERS or issubclass(result, np.generic)):
        return result()
    if isinstance(result, tuple):
        parts = map(_example, result)
        return type(result)._make(parts) if hasattr(result, "_make") else tuple(parts)
    if isinstance(result, list):
        return [_example(part) for part in result]
    if isinstance(result, dict):
        return {key: _example(part) for key, part in result.items()}
    return result
