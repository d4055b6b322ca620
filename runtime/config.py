"""Settings: each is an argument of `jit`, a context manager and a variable."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """What can be set.

    Attributes
    ----------
    checks : bool
        Whether a run-time index out of range raises `IndexError` (`ANABRANCH_CHECKS`).
    unroll_limit : int
        How many steps of a loop that cannot be staged may be unrolled (`ANABRANCH_UNROLL_LIMIT`).
    recursion_limit : int
        To what depth a function may call itself under run-time conditions (`ANABRANCH_RECURSION_LIMIT`); a call that
        goes deeper raises `RecursionError`.
    full_tracebacks : bool
        Whether tracebacks show the project's own frames, too (`ANABRANCH_FULL_TRACEBACKS`).
    disable_jit : bool
        Whether jitted functions run as they were written (`ANABRANCH_DISABLE_JIT`).
    cache_size : int
        How many executables a jitted function keeps in memory (`ANABRANCH_CACHE_SIZE`).
    log_compiles : bool
        Whether each compilation is logged, to `anabranch.compiles` (`ANABRANCH_LOG_COMPILES`).
    explain_cache_misses : bool
        Whether it is logged what is new in the signature, beside the closest one before
        (`ANABRANCH_EXPLAIN_CACHE_MISSES`).
    compile_warning : int
        After how many compilations of one function a warning says so (`ANABRANCH_COMPILE_WARNING`).
    cache_dir : Path or None
        Where rewritten functions and executables are kept for other processes (`ANABRANCH_CACHE_DIR`, by default
        `~/.cache/anabranch`);
        None, or `ANABRANCH_CACHE=0`, where they are not. Its files hold code: nobody else should be able to write.
    """

    checks: bool = True
    unroll_limit: int = 1024
    recursion_limit: int = 32
    full_tracebacks: bool = False
    disable_jit: bool = False
    cache_size: int = 256
    log_compiles: bool = False
    explain_cache_misses: bool = False
    compile_warning: int = 64
    cache_dir: Path | None = None

    @property
    def traced(self) -> tuple[bool, int, int]:
        """Those that decide what is compiled: a signature has an executable for each."""
        return (self.checks, self.unroll_limit, self.recursion_limit)


_OFF = ("", "0", "false", "no", "off")


def _from_environment() -> Settings:
    switches = {
        name: os.environ[f"ANABRANCH_{name.upper()}"].lower() not in _OFF
        for name in ("checks", "full_tracebacks", "disable_jit", "log_compiles", "explain_cache_misses")
        if f"ANABRANCH_{name.upper()}" in os.environ
    }
    numbers = {
        name: int(os.environ[f"ANABRANCH_{name.upper()}"])
        for name in ("unroll_limit", "recursion_limit", "cache_size", "compile_warning")
        if f"ANABRANCH_{name.upper()}" in os.environ
    }
    return Settings(**switches, **numbers, cache_dir=_cache_dir())  # type: ignore[arg-type]


def _cache_dir() -> Path | None:
    """The folder that the environment names, or the user's own."""
    if os.environ.get("ANABRANCH_CACHE", "1").lower() in _OFF:
        return None
    named = os.environ.get("ANABRANCH_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # Without a home directory there is no place.
    return Path(base) / "anabranch" if os.path.isabs(base) else None


_current: contextvars.ContextVar[Settings | None] = contextvars.ContextVar("settings", default=None)
_default = _from_environment()


def settings() -> Settings:
    """The settings in force."""
    return _current.get() or _default


@contextlib.contextmanager
def configure(**changes: Any) -> Iterator[Settings]:
    """Change settings within a `with` block; the names are those of `Settings`."""
    token = _current.set(dataclasses.replace(settings(), **changes))
    try:
        yield settings()
    finally:
        _current.reset(token)


def disable_jit(disable: bool = True) -> contextlib.AbstractContextManager[Settings]:
    """Within a `with` block jitted functions run as they were written, as `jax.disable_jit`."""
    return configure(disable_jit=disable)
