"""`jit`: decorate a NumPy function, call it compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from anabranch.runtime.options import Options
from anabranch.runtime.statics import static_names
from anabranch.runtime.wrapped import Wrapped

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(fun: Callable[P, R], /) -> Wrapped[P, R]: ...
@overload
def jit(
    fun: Callable[P, R],
    /,
    *,
    static_argnums: int | Sequence[int] = ...,
    static_argnames: str | Sequence[str] = ...,
    checks: bool | None = ...,
) -> Wrapped[P, R]: ...
@overload
def jit(
    *, static_argnums: int | Sequence[int] = ..., static_argnames: str | Sequence[str] = ..., checks: bool | None = ...
) -> Callable[[Callable[P, R]], Wrapped[P, R]]: ...


def jit(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    checks: bool | None = None,
) -> Any:
    """Compile a NumPy function with XLA; calls give what the plain function gives.

    Parameters
    ----------
    fun : callable
        A function, method, lambda, callable object or `functools.partial`. Its source is rewritten when it is first
        called.
    static_argnums : int or sequence of int
        Positions of arguments that are plain Python values while tracing; negative ones count from the end. Each value
        has an executable of its own, and must be hashable. As in `jax.jit`.
    static_argnames : str or sequence of str
        The same by name.
    checks : bool, optional
        Whether an index out of range raises `IndexError`, as in NumPy, where it is known only at run time. Without the
        checks such an index is moved to the nearest end of its axis, for reading and for writing. By default as
        `anabranch.configure(checks=...)` or the variable `ANABRANCH_CHECKS` say, else True.

    Returns
    -------
    Wrapped
        A callable; as a decorator with arguments, `jit(static_argnames="n")` returns the decorator.

    Raises
    ------
    StaticArgumentError
        For a position or name that the function does not have.
    """
    if fun is None:
        return functools.partial(jit, static_argnums=static_argnums, static_argnames=static_argnames, checks=checks)
    if isinstance(fun, Wrapped) and (static_argnums, static_argnames, checks) == ((), (), None):
        return fun
    if isinstance(fun, (staticmethod, classmethod)):
        inner = jit(fun.__func__, static_argnums=static_argnums, static_argnames=static_argnames, checks=checks)
        return type(fun)(inner)
    options = Options(static_names(fun, static_argnums, static_argnames), {} if checks is None else {"checks": checks})
    if isinstance(fun, Wrapped):
        return Wrapped(fun.__anabranch_function__, fun.__anabranch_options__.also(options))
    return Wrapped(fun, options)


def xpr(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> str:
    """The Program of a function on these arguments, as text."""
    wrapped = fun if isinstance(fun, Wrapped) else jit(fun)
    return str(wrapped.trace(*args, **kwargs).program)
