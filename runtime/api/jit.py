"""`jit`: decorate a NumPy function, call it compiled."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, Unpack, overload

from anabranch.base.grammar import a
from anabranch.runtime.api.djit import Dynamic
from anabranch.runtime.api.generator_function import GeneratorFunction
from anabranch.runtime.api.jitted import Wrapped
from anabranch.runtime.api.options import JitOptions, flags_of
from anabranch.runtime.config import Switches, checked
from anabranch.runtime.errors import UnsupportedValueError
from anabranch.runtime.host.compile_options import FlagValue as Flag
from anabranch.runtime.signature.static_args import donated_parameters, static_parameters

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(
    func: Callable[P, R],
    static: bool = ...,
    show_graph: bool = ...,
    auto_device: bool = ...,
    *,
    static_argnums: int | Sequence[int] | None = ...,
    static_argnames: str | Sequence[str] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Sequence[str] | None = ...,
    compiler_options: Mapping[str, Flag] | None = ...,
    **switches: Unpack[Switches],
) -> Wrapped[P, R]: ...
@overload
def jit(
    *,
    static: bool = ...,
    show_graph: bool = ...,
    auto_device: bool = ...,
    static_argnums: int | Sequence[int] | None = ...,
    static_argnames: str | Sequence[str] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Sequence[str] | None = ...,
    compiler_options: Mapping[str, Flag] | None = ...,
    **switches: Unpack[Switches],
) -> Callable[[Callable[P, R]], Wrapped[P, R]]: ...


def jit(
    func: Callable[..., object] | None = None,
    static: bool = True,
    show_graph: bool = False,
    auto_device: bool = True,
    *,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    compiler_options: Mapping[str, Flag] | None = None,
    **switches: Unpack[Switches],
) -> Any:
    """Compile a NumPy function with XLA; calls give what the plain function gives.

    Parameters
    ----------
    func : callable
        A function, method, lambda, callable object or `functools.partial`. Its source is rewritten when it is first
        called.
    static : bool, optional
        With False the function is traced at each call, as `djit` says; by default once for each signature. As in Nabla.
    show_graph : bool, optional
        Whether each Program is printed when it is first compiled. As in Nabla.
    auto_device : bool, optional
        Whether arrays of the host are moved to the default accelerator where there is one. Programs run on the CPU,
        which has nothing to move. As in Nabla.
    static_argnums : int or sequence of int, optional
        Positions of arguments that are plain Python values while tracing, in `*args`, too; negative ones count from the
        end. Each value has an executable of its own: arrays and dataclasses are told apart by their contents, all
        others by type and value, so they must be hashable. As in `jax.jit`.
    static_argnames : str or sequence of str, optional
        The same by name; however the call passes the argument. Text, None, functions, classes, modules, enums, paths,
        dates and the like are static without being named.
    donate_argnums : int or sequence of int, optional
        Positions of arguments whose memory results may take over: each `anabranch.Array` in them is deleted by the call
        where a result has its shape and dtype, and where it has not, a warning says so. ndarrays and numbers stay as
        they are. As in `jax.jit`.
    donate_argnames : str or sequence of str, optional
        The same by name.
    compiler_options : mapping, optional
        XLA's flags for this function's executables, by name. As in `jax.jit`.
    **switches
        Settings that hold for this function, whatever `anabranch.configure` and the variables say: `checks`,
        `zero_division_errors`, `auto_static`, `unroll_budget`, `recursion_limit`, `capacity`, `capacity_limit`,
        `full_tracebacks`, `disable_jit`, `disable_passes`, `host_calls`, `eager_fallback`, `eager_refusals`,
        `native_loops`, `fastmath`, `threads`, `cache_size`, `kept_memory`, `log_compiles`, `explain_cache_misses`,
        `compile_warning`, `progress`, `progress_notice`, `progress_bar`, `dump_dir`, `cache_dir`.
        `anabranch.Settings` says what they mean.

    Returns
    -------
    Wrapped
        A callable; as a decorator with arguments, `jit(static_argnames="n")` returns the decorator.

    Raises
    ------
    StaticArgumentError
        For a position or name that the function does not have.
    DonationError
        The same of donated ones, and for one that is static, too.
    UnsupportedValueError
        For what cannot be called.
    TypeError
        For a switch that is no setting, or has a value of another type.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import jit
    >>> @jit
    ... def first_above(values, limit):
    ...     for i, value in enumerate(values):
    ...         if value > limit:
    ...             return i
    ...     return -1
    >>> first_above(np.array([0.5, 1.5, 2.5]), 1.0)
    1
    >>> window = jit(lambda n: np.hanning(n), static_argnames="n")
    >>> window(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    asked: dict[str, Any] = {
        "static_argnums": static_argnums,
        "static_argnames": static_argnames,
        "donate_argnums": donate_argnums,
        "donate_argnames": donate_argnames,
        "compiler_options": compiler_options,
    }
    _check_switches(static=static, show_graph=show_graph, auto_device=auto_device)
    form = {"static": static, "show_graph": show_graph, "auto_device": auto_device}
    _check_names(switches)
    given = checked(switches)
    again: Any = functools.partial(jit, **form, **asked, **switches)
    if func is None:
        return again
    if isinstance(func, (staticmethod, classmethod)):
        return type(func)(again(func.__func__))
    if not callable(func):
        instead = "; write @property above @jit" if isinstance(func, (property, functools.cached_property)) else ""
        raise UnsupportedValueError(f"jit takes a function, not {a(type(func).__name__)} ({func!r:.60}){instead}")
    kind: type[Wrapped[..., Any]] = Dynamic
    if static:
        plain = func.plain() if isinstance(func, Wrapped) else func
        kind = GeneratorFunction if inspect.isgeneratorfunction(plain) else Wrapped
    nothing_new = not given and not show_graph and all(value is None for value in asked.values())
    if isinstance(func, Wrapped) and nothing_new and (static or type(func) is kind):
        return func
    fixed = static_parameters(func, static_argnums, static_argnames)
    before = func.__anabranch_options__ if isinstance(func, Wrapped) else JitOptions()
    donated = donated_parameters(func, donate_argnums, donate_argnames, fixed | before.static)
    flags = flags_of(compiler_options)
    options = before.also(JitOptions(fixed, given, donated, flags, show_graph))
    if isinstance(func, Wrapped):
        return func.again(options) if static else kind(func.plain(), options)
    return kind(func, options)


# What `jax.jit` has and this has not.
_JAX_ONLY = {
    "inline": "a call from another compiled function is always traced along with its caller",
    "keep_unused": "arguments are always kept",
    **dict.fromkeys(
        ("device", "backend", "in_shardings", "out_shardings"), "programs run on one device, the CPU: nothing is spread"
    ),
}


def _check_names(given: Mapping[str, object]) -> None:
    settings = Switches.__annotations__
    for name in given:
        if name not in settings:
            why = f": {_JAX_ONLY[name]}" if name in _JAX_ONLY else ""
            raise TypeError(f"jit has no argument '{name}'{why}; leave it out. Its settings are {', '.join(settings)}")


def _check_switches(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, bool):
            raise TypeError(f"jit takes True or False for {name}, not {value!r}")


@overload
def djit(func: Callable[P, R], show_graph: bool = ..., auto_device: bool = ...) -> Dynamic[P, R]: ...
@overload
def djit(*, show_graph: bool = ..., auto_device: bool = ...) -> Callable[[Callable[P, R]], Dynamic[P, R]]: ...


def djit(func: Callable[..., object] | None = None, show_graph: bool = False, auto_device: bool = True) -> Any:
    """Compile a NumPy function with XLA, tracing it at each call, as Nabla's `djit`.

    Python's numbers among the arguments stay what they are, so `if n > 3` is decided by Python, `range(n)` and
    `np.zeros(n)` have a length, and results that depend on them alone are plain numbers. A call that leads to a program
    that was compiled before runs its executable; another one is compiled. It pays where numbers decide what is to be
    computed, and what is computed takes longer than tracing.

    Parameters
    ----------
    func : callable
        As for `jit`.
    show_graph : bool, optional
        Whether each Program is printed when it is first compiled.
    auto_device : bool, optional
        Whether arrays of the host are moved to the default accelerator where there is one. Programs run on the CPU,
        which has nothing to move.

    Returns
    -------
    Dynamic
        A callable; as a decorator with arguments, `djit(show_graph=True)` returns the decorator.

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import djit
    >>> @djit
    ... def powers(x, n):
    ...     return [x**k for k in range(n)] if n > 1 else x
    >>> powers(np.array([2.0, 3.0]), 2)
    [array([1., 1.]), array([2., 3.])]
    """
    return (
        jit(func, False, show_graph, auto_device)
        if func is not None
        else functools.partial(djit, show_graph=show_graph, auto_device=auto_device)
    )


def _wrapped(fun: Callable[..., object]) -> Wrapped[..., Any]:
    return fun if isinstance(fun, Wrapped) else Wrapped(fun, JitOptions())


def make_xpr(
    fun: Callable[..., object], /, static_argnums: int | Sequence[int] = (), return_shape: bool = False
) -> Callable[..., Any]:
    """A function that gives the Program of `fun` on its arguments, as `jax.make_jaxpr`.

    Parameters
    ----------
    fun : callable
        Jitted or not.
    static_argnums : int or sequence of int, optional
        As for `jit`.
    return_shape : bool, optional
        Whether a pair of the Program and of what `eval_shape` gives is wanted.

    Returns
    -------
    callable
        Takes arguments, or `ShapeDtypeStruct`s for them, and gives a `Program`; computes nothing.

    Examples
    --------
    >>> from anabranch import make_xpr
    >>> make_xpr(lambda x: x * 2.0)(1.5)
    { lambda a:f64[] ; let
        b:f64[] = multiply a 2.0:f64[]
      in (b,) }
    """
    wrapped = jit(_wrapped(fun), static_argnums=None if static_argnums == () else static_argnums)

    def traced(*args: object, **kwargs: object) -> Any:
        stage = wrapped.trace(*args, **kwargs)
        return (stage.program, stage.out_info) if return_shape else stage.program

    return functools.wraps(fun, updated=())(traced) if hasattr(fun, "__name__") else traced


def xpr(fun: Callable[..., object], /, *primals: object, **kwargs: object) -> str:
    """The Program of a function on these arguments, as text.

    Examples
    --------
    >>> from anabranch import xpr
    >>> print(xpr(lambda x: x * 2.0, 1.5))
    { lambda a:f64[] ; let
        b:f64[] = multiply a 2.0:f64[]
      in (b,) }
    """
    return str(make_xpr(fun)(*primals, **kwargs))


def eval_shape(fun: Callable[..., object], /, *args: object, **kwargs: object) -> Any:
    """Return what is known of a function's result without computing it, as `jax.eval_shape`.

    Parameters
    ----------
    fun : callable
        Jitted or not.
    *args, **kwargs
        Its arguments, or `ShapeDtypeStruct`s for them.

    Returns
    -------
    pytree of ShapeDtypeStruct

    Examples
    --------
    >>> import numpy as np
    >>> from anabranch import eval_shape
    >>> eval_shape(np.outer, np.ones(2), np.ones(3))
    ShapeDtypeStruct(shape=(2, 3), dtype=float64)
    """
    return _wrapped(fun).eval_shape(*args, **kwargs)
