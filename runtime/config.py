"""Settings: each is an argument of `jit`, a context manager and a variable."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import os
from collections.abc import Iterator
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
    """

    checks: bool = True
    unroll_limit: int = 1024
    recursion_limit: int = 32
    full_tracebacks: bool = False


def _from_environment() -> Settings:
    switches = {
        name: os.environ[f"ANABRANCH_{name.upper()}"].lower() not in ("", "0", "false", "no", "off")
        for name in ("checks", "full_tracebacks")
        if f"ANABRANCH_{name.upper()}" in os.environ
    }
    numbers = {
        name: int(os.environ[f"ANABRANCH_{name.upper()}"])
        for name in ("unroll_limit", "recursion_limit")
        if f"ANABRANCH_{name.upper()}" in os.environ
    }
    return Settings(**switches, **numbers)  # type: ignore[arg-type]


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
