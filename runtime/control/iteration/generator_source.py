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


def listed(
    begun: Callable[..., Iterable[Any]], function: Callable[..., Any], args: tuple[Any, ...]
) -> tuple[list[Any], Exception | None]:
    """The list of the items of a generator, and what it raises after the last of them."""
    out: list[Any] = []
    failed = None
    try:
        gather(out, begun, function, args)
    except Exception as error:
        failed = error
    return out, failed


def push(items: list[Any], failed: Exception | None, consume: Callable[[Any], bool]) -> None:
    """Call `consume` with each item, until it wants no more, and then raise what their generator raised."""
    for item in items:
        if consume(item):
            return
    if failed is not None:
        raise failed
