"""Functions that are rewritten and staged as the user's own are, by which generators call themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def gather(
    out: list[Any], begun: Callable[..., Iterable[Any]], function: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    """Append the items of a generator to a list; `begun` gives them, and calls this for those that it delegates to."""
    for item in begun(function, args, out):
        out.append(item)
