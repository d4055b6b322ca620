"""Settings: each is an argument of `jit`, a context manager and a variable."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import operator
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from anabranch.base.frozen import frozen


class Switches(TypedDict, total=False):
    """The settings as keyword arguments; `Settings` says what they mean."""

    checks: bool
    zero_division_errors: bool
    auto_static: bool
    unroll_budget: int
    recursion_limit: int
    capacity: int
    capacity_limit: int
    full_tracebacks: bool
    disable_jit: bool
    disable_passes: tuple[str, ...]
    host_calls: bool
    eager_fallback: bool
    eager_refusals: bool
    native_loops: bool
    fastmath: tuple[str, ...]
    threads: int
    cache_size: int
    kept_memory: int
    log_compiles: bool
    explain_cache_misses: bool
    compile_warning: int
    progress: float
    progress_notice: float
    progress_bar: bool
    dump_dir: Path | str | None
    cache_dir: Path | str | None


@frozen
class Settings:
    """The settings.

    Attributes
    ----------
    checks : bool
        Whether a run-time index out of range raises `IndexError`. Without the checks such an index is moved to the
        nearest end of its axis, for reading and for writing.
    zero_division_errors : bool
        Whether dividing a Python number by zero raises `ZeroDivisionError` where the result is a float. Without it the
        result is that of NumPy's scalars: infinite, or NaN. `//` and `%` of ints, and complex numbers, raise in any
        case.
    auto_static : bool
        Whether a Python int or bool among the arguments becomes static where its value is needed while tracing (a
        shape, the structure of a result, how often a function calls itself); else that is an error which names the
        argument.
    unroll_budget : int
        How many equations loops that cannot be staged may add to the whole program when they are unrolled.
    recursion_limit : int
        To what depth a function may call itself under run-time conditions where it is traced again at each level: one
        that cannot be staged once. A call that goes deeper raises `RecursionError`.
    capacity : int
        The capacity, in elements, that a buffer starts with whose size is known only at run time and bounded by
        nothing: `np.zeros(n)` for a computed `n`, a list that a loop makes longer. A call that needs more is compiled
        anew with more.
    capacity_limit : int
        The greatest capacity that such a buffer may have; a call that needs more raises `CapacityError`.
    full_tracebacks : bool
        Whether tracebacks show the project's own frames, too.
    disable_jit : bool
        Whether jitted functions run as they were written.
    disable_passes : tuple of str
        The names of passes over the Program that are left out, to find the one that is to blame for something; in the
        variable they are separated by commas. Results are the same without them, and computed more slowly.
    host_calls : bool
        Whether functions that are not compiled, those of SciPy and those with `anabranch.host`, are called on the host
        while the program runs; else a call of one with values known only at run time is an error.
    eager_fallback : bool
        Whether a call whose values lead to what compiled code does not do is run again as plain Python, with an
        `EagerFallbackWarning`: a Python int leaves 64 bits, a float becomes complex. Else that is an error.
    eager_refusals : bool
        Whether a call that cannot be compiled is run as plain Python, with an `EagerFallbackWarning` that says why, and
        so are later calls of its signature, until `clear_cache`. Else that is an error. Functions that it calls are
        compiled by themselves where they are jitted.
    native_loops : bool
        Whether loops over single elements, and functions of nothing else, are compiled to machine code by LLVM, as far
        as they have such a form; else XLA compiles them, as all others.
    fastmath : tuple of str
        LLVM's flags for the arithmetic of floats in machine code, by their names: `reassoc`, `contract`, `arcp`, `afn`,
        `nsz`, `nnan`, `ninf`, or `fast`, which is all of them. With them results are not NumPy's to the last digits,
        with `nnan` and `ninf` anything where a NaN or an infinity is met. What XLA compiles is as ever.
    threads : int
        How many threads run a large loop of machine code at most; 0 for as many as the process has processors, 1 for
        none beside that of the call. Results do not depend on it. XLA and NumPy's BLAS have settings of their own.
    cache_size : int
        How many executables a jitted function keeps in memory.
    kept_memory : int
        How many bytes the process keeps for later calls: half of them of large results that nobody has any more, half
        of copied arguments. `memory_stats` says how many there are, `release_memory` gives them back.
    log_compiles : bool
        Whether each compilation is logged, to `anabranch.compiles`.
    explain_cache_misses : bool
        Whether it is logged what is new in the signature, beside the closest one before, or what has changed of what
        the function reads from outside.
    compile_warning : int
        After how many compilations of one function a warning says so.
    progress : float
        After how many seconds of a compilation, and again after as many, a line in the log `anabranch.progress` says
        that it goes on; 0 for never.
    progress_notice : float
        After how many seconds of a compilation a line on stderr says, once, what is being done and at which line of the
        user's code; 0 for never.
    progress_bar : bool
        Whether a terminal shows what `progress` logs, too, on the line that the cursor is on.
    dump_dir : Path or None
        A folder that gets the source, the rewritten source, the Program, the StableHLO and XLA's HLO of each
        compilation, in files of their own.
    cache_dir : Path or None
        Where rewritten functions and executables are kept for other processes, by default `~/.cache/anabranch`; None,
        or `ANABRANCH_CACHE=0`, where they are not. Its files hold code: nobody else should be able to write.

    Examples
    --------
    >>> from anabranch import Settings
    >>> Settings().unroll_budget
    4000
    """

    checks: bool = True
    zero_division_errors: bool = True
    auto_static: bool = True
    unroll_budget: int = 4000
    recursion_limit: int = 32
    capacity: int = 256
    capacity_limit: int = 2**26
    full_tracebacks: bool = False
    disable_jit: bool = False
    disable_passes: tuple[str, ...] = ()
    host_calls: bool = True
    eager_fallback: bool = True
    eager_refusals: bool = False
    native_loops: bool = True
    fastmath: tuple[str, ...] = ()
    threads: int = 0
    cache_size: int = 256
    kept_memory: int = 2**29
    log_compiles: bool = False
    explain_cache_misses: bool = False
    compile_warning: int = 64
    progress: float = 5.0
    progress_notice: float = 10.0
    progress_bar: bool = True
    dump_dir: Path | None = None
    cache_dir: Path | None = None

    @property
    def traced(self) -> tuple[object, ...]:
        """Those that decide what is compiled: a signature has an executable for each."""
        found: tuple[object, ...] = _traced(self)
        return found


TRACED = (
    "checks",
    "zero_division_errors",
    "unroll_budget",
    "recursion_limit",
    "capacity",
    "capacity_limit",
    "disable_passes",
    "host_calls",
    "native_loops",
    "fastmath",
    "threads",
)
# The settings that are names out of a list; those of passes are known where these are.
_NAMES: Mapping[str, Sequence[str]] = {
    "fastmath": ("fast", "reassoc", "contract", "arcp", "afn", "nsz", "nnan", "ninf")
}
_traced = operator.attrgetter(*TRACED)
_DEFAULTS: Mapping[str, Any] = {f.name: f.default for f in dataclasses.fields(Settings)}
_ON, _OFF = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def checked(changes: Mapping[str, object]) -> dict[str, Any]:
    """The settings by their names, paths as `Path`.

    Raises
    ------
    TypeError
        For a name that is no setting, or a value of another type.
    ValueError
        For a number below 0, and for a flag that LLVM does not have.
    """
    return {name: _checked(name, value) for name, value in changes.items()}


def _checked(name: str, value: Any) -> Any:
    if name not in _DEFAULTS:
        raise TypeError(f"'{name}' is no setting; there are {', '.join(_DEFAULTS)}")
    kind = type(_DEFAULTS[name])
    if kind is type(None):
        return value if value is None else Path(value)
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (kind is not bool and isinstance(value, bool)):
        raise TypeError(f"{name} is {value!r}, which is no {_WORDS[kind]}")
    if kind is tuple and not all(isinstance(item, str) for item in value):
        raise TypeError(f"{name} is {value!r}, which holds other things than names")
    if name in _NAMES and not set(value) <= set(_NAMES[name]):
        raise ValueError(f"{name} is {value!r}, and there are only {', '.join(_NAMES[name])}")
    if kind in (int, float) and not value >= 0:
        raise ValueError(f"{name} is {value!r}, which is less than 0")
    return value


_WORDS: Mapping[type, str] = {
    bool: "bool",
    int: "int",
    float: "number of seconds",
    tuple: "tuple of names",
}


def _truth(text: str) -> bool:
    if text.lower() in (*_ON, *_OFF):
        return text.lower() in _ON
    raise ValueError("neither 1 nor 0")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


_READERS: Mapping[type, Callable[[str], Any]] = {
    bool: _truth, int: int, float: float, tuple: _names, type(None): lambda text: Path(text) if text else None
}  # fmt: skip


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the variables name; one that is not understood is warned of, and left out."""
    found: dict[str, Any] = {"cache_dir": _cache_dir(environment)}
    for name, default in _DEFAULTS.items():
        variable = f"ANABRANCH_{name.upper()}"
        if variable not in environment or name == "cache_dir":
            continue
        try:
            found[name] = _checked(name, _READERS[type(default)](environment[variable]))
        except (TypeError, ValueError) as error:
            text = f"the variable {variable} is {environment[variable]!r} ({error}); {name} is {default!r} instead"
            warnings.warn(text, stacklevel=2)
    return Settings(**found)


def _cache_dir(environment: Mapping[str, str]) -> Path | None:
    """The folder that the environment names, or the user's own."""
    if environment.get("ANABRANCH_CACHE", "1").lower() in _OFF:
        return None
    named = environment.get("ANABRANCH_CACHE_DIR")
    if named:
        return Path(named)
    base = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # Without a home directory there is no place.
    return Path(base) / "anabranch" if os.path.isabs(base) else None


_current: contextvars.ContextVar[Settings | None] = contextvars.ContextVar("settings", default=None)
settings_or_none = _current.get  # those of the `configure` block; None outside of such blocks
DEFAULT = from_environment()


def settings() -> Settings:
    """The settings in force."""
    return _current.get() or DEFAULT


@contextlib.contextmanager
def configure(**changes: Unpack[Switches]) -> Iterator[Settings]:
    """Change settings within a `with` block; the names are those of `Settings`.

    Raises
    ------
    TypeError
        For a name that is no setting, or a value of another type.
    ValueError
        For a number below 0, and for a flag that LLVM does not have.

    Examples
    --------
    >>> import numpy as np
    >>> import anabranch
    >>> last = anabranch.jit(lambda a, i: a[i])
    >>> with anabranch.configure(checks=False):
    ...     int(last(np.arange(3), 7))
    2
    """
    token = _current.set(dataclasses.replace(settings(), **checked(changes)))
    try:
        yield settings()
    finally:
        _current.reset(token)


def disable_jit(disable: bool = True) -> contextlib.AbstractContextManager[Settings]:
    """Within a `with` block jitted functions run as they were written, as `jax.disable_jit`.

    Examples
    --------
    >>> import anabranch
    >>> kind = anabranch.jit(lambda x: print(type(x).__name__))
    >>> with anabranch.disable_jit():
    ...     kind(1)
    int
    """
    return configure(disable_jit=disable)
