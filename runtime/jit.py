"""`jit`: decorate a NumPy function, call it compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, Unpack, overload

from anabranch.runtime.config import Switches, checked
from anabranch.runtime.ir import Program
from anabranch.runtime.options import Options
from anabranch.runtime.statics import static_parameters
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
    **switches: Unpack[Switches],
) -> Wrapped[P, R]: ...
@overload
def jit(
    *,
    static_argnums: int | Sequence[int] = ...,
    static_argnames: str | Sequence[str] = ...,
    **switches: Unpack[Switches],
) -> Callable[[Callable[P, R]], Wrapped[P, R]]: ...


def jit(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    **switches: Unpack[Switches],
) -> Any:
    """Compile a NumPy function with XLA; calls give what the plain function gives.

    Parameters
    ----------
    fun : callable
        A function, method, lambda, callable object or `functools.partial`. Its source is rewritten when it is first
        called.
    static_argnums : int or sequence of int
        Positions of arguments that are plain Python values while tracing, in `*args`, too; negative ones count from the
        end. Each value has an executable of its own: arrays and dataclasses are told apart by their contents, all
        others by type and value, so they must be hashable. As in `jax.jit`.
    static_argnames : str or sequence of str
        The same by name; however the call passes the argument. Text, None, functions, classes, modules, enums, paths,
        dates and the like are static without being named.
    **switches
        Settings that hold for this function, whatever `anabranch.configure` and the variables say: `checks`,
        `unroll_limit`, `recursion_limit`, `full_tracebacks`, `disable_jit`, `cache_size`, `log_compiles`,
        `explain_cache_misses`, `compile_warning`, `progress`, `progress_bar`, `dump_dir`, `cache_dir`.
        `anabranch.Settings` says what they mean.

    Returns
    -------
    Wrapped
        A callable; as a decorator with arguments, `jit(static_argnames="n")` returns the decorator.

    Raises
    ------
    StaticArgumentError
        For a position or name that the function does not have.
    TypeError
        For a switch that is no setting, or has a value of another type.
    """
    given = checked(switches)
    if fun is None:
        return functools.partial(jit, static_argnums=static_argnums, static_argnames=static_argnames, **switches)
    if isinstance(fun, Wrapped) and (static_argnums, static_argnames, given) == ((), (), {}):
        return fun
    if isinstance(fun, (staticmethod, classmethod)):
        inner = jit(fun.__func__, static_argnums=static_argnums, static_argnames=static_argnames, **switches)
        return type(fun)(inner)
    static = static_parameters(fun, static_argnums, static_argnames)
    options = Options(static, given)
    if isinstance(fun, Wrapped):
        return Wrapped(fun.__anabranch_function__, fun.__anabranch_options__.also(options))
    return Wrapped(fun, options)


def _wrapped(fun: Callable[..., Any]) -> Wrapped[..., Any]:
    return fun if isinstance(fun, Wrapped) else Wrapped(fun, Options())


def make_xpr(fun: Callable[..., Any], /) -> Callable[..., Program]:
    """A function that gives the Program of `fun` on its arguments, as `jax.make_jaxpr`.

    Parameters
    ----------
    fun : callable
        Jitted or not.

    Returns
    -------
    callable
        Takes arguments, or `ShapeDtypeStruct`s for them; computes nothing.
    """

    def traced(*args: Any, **kwargs: Any) -> Program:
        return _wrapped(fun).trace(*args, **kwargs).program

    return functools.wraps(fun, updated=())(traced) if hasattr(fun, "__name__") else traced


def xpr(fun: Callable[..., Any], /, *primals: Any, **kwargs: Any) -> str:
    """The Program of a function on these arguments, as text."""
    return str(make_xpr(fun)(*primals, **kwargs))


def eval_shape(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """What is known of a function's result without computing it, as `jax.eval_shape`.

    Parameters
    ----------
    fun : callable
        Jitted or not.
    *args, **kwargs
        Its arguments, or `ShapeDtypeStruct`s for them.

    Returns
    -------
    pytree of ShapeDtypeStruct
    """
    return _wrapped(fun).eval_shape(*args, **kwargs)
