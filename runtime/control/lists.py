"""`list`, `deque`, `len`, `sorted` and comprehensions, where the length may be known only at run time."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from typing import Any

from anabranch.runtime.control import growing_items
from anabranch.runtime.control.each import Each
from anabranch.runtime.control.growing import growing
from anabranch.runtime.control.iteration import Countable
from anabranch.runtime.control.sources import Source
from anabranch.runtime.trace import current, tracing
from anabranch.runtime.values.items import is_grown


def length(items: Any) -> Any:
    """`len(items)`."""
    return items.items.length if is_grown(items) else len(items)


def list_(*args: Any) -> Any:
    """As `list`."""
    if not args:
        return growing([]) if current().trace.lists else []
    (items,) = args
    if is_grown(items) or isinstance(items, Source) or _is_of_run_time_length(items):
        return growing_items.listed(items)
    made = list(items)
    return growing(made) if current().trace.lists else made


def _is_of_run_time_length(items: Any) -> bool:
    return isinstance(items, Countable) and not isinstance(items.length, int)


def deque_(items: Iterable[Any] = (), maxlen: Any = None) -> Any:
    """As `collections.deque`."""
    if is_grown(items) or isinstance(items, Source) or _is_of_run_time_length(items):
        made = growing(collections.deque())
        made.extend(items)
        return made
    made = collections.deque(items, maxlen)
    return growing(made) if current().trace.lists else made


def comprehension(items: Each) -> Any:
    """A list comprehension."""
    if not tracing():
        return list(items)
    made = items.pulled_or(growing_items.listed)
    return growing(made) if type(made) is list else made


COUNTERPARTS: dict[Any, Callable[..., Any]] = {list: list_, collections.deque: deque_}
