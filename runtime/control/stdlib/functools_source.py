"""The cache of `functools.cache`, as functions that are rewritten and staged as the user's own are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def no_results() -> dict[Any, Any]:
    """The results of a function that has not been called."""
    return {}


def remembered(function: Callable[..., Any], results: dict[Any, Any], key: Any, args: tuple[Any, ...]) -> Any:
    """The result of a call, which is made where there is none yet."""
    if key not in results:
        results[key] = function(*args)
    return results[key]
