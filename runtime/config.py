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
    cache_dir : Path or None
        Where rewritten functions are kept for other processes (`ANABRANCH_CACHE_DIR`, by default `~/.cache/anabranch`);
        None, or `ANABRANCH_CACHE=0`, where they are not. Its files hold code: nobody else should be able to write.
    """

    checks: bool = True
    unroll_limit: int = 1024
    recursion_limit: int = 32
    full_tracebacks: bool = False
    cache_dir: Path | None = None


_OFF = ("", "0", "false", "no", "off")


def _from_environment() -> Settings:
    switches = {
        name: os.environ[f"ANABRANCH_{name.upper()}"].lower() not in _OFF
        for name in ("checks", "full_tracebacks")
        if f"ANABRANCH_{name.upper()}" in os.environ
    }
    numbers = {
        name: int(os.environ[f"ANABRANCH_{name.upper()}"])
        for name in ("unroll_limit", "recursion_limit")
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
def checking(checks: bool | None) -> Iterator[None]:
    """With run-time indices checked or not; None leaves that as it is."""
    if checks is None:
        yield
        return
    with configure(checks=checks):
        yield


@contextlib.contextmanager
def configure(**changes: Any) -> Iterator[Settings]:
    """Change settings within a `with` block; the names are those of `Settings`."""
    token = _current.set(dataclasses.replace(settings(), **changes))
    try:
        yield settings()
    finally:
        _current.reset(token)
