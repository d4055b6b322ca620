"""Rewriting with nothing staged, and running with the eager vocabulary."""

from __future__ import annotations

import linecache
import types
from collections.abc import Callable
from typing import Any

from anabranch.transpile import rewrite
from tests.internals.transpile import eager_vocabulary


def nothing_staged(value: object) -> None:
    """No global has a counterpart."""


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    assert isinstance(function, types.FunctionType)
    return rewrite(function, nothing_staged).bind(function, eager_vocabulary)


def from_text(text: str, filename: str, **names: Any) -> types.FunctionType:
    """The function `f` of a program, with its text where Python looks for source."""
    return module_from_text(text, filename, **names)["f"]


def module_from_text(text: str, filename: str, **names: Any) -> dict[str, Any]:
    """The names of a program that has been run, with its text where Python looks for source."""
    namespace: dict[str, Any] = dict(names)
    run_text(text, filename, namespace)
    return namespace


def run_text(text: str, filename: str, namespace: dict[str, Any]) -> None:
    """Run a program in a namespace, with its text where Python looks for source."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), namespace)


def outcome(function: Callable[..., Any], *args: Any) -> tuple[str, str]:
    try:
        return "value", repr(function(*args))
    except Exception as error:
        # Where an inner function finds the outer one's name unset, Python says NameError; rewritten code its subclass.
        return "raised", "NameError" if isinstance(error, NameError) else type(error).__name__
