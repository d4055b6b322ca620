"""`set(items)` and set comprehensions where `in` asks them."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.control import lists, sets
from anabranch.runtime.control.call import call


def members_of(items: Any, function: Any = set) -> Any:
    """What stands behind `in` as `set(items)` or a set comprehension."""
    if (function is not set and function is not frozenset) or lists.is_of_run_time_length(items):
        return call(function, items)
    if isinstance(items, (set, frozenset)):
        return items
    listed = lists.items_of(items)
    return sets.members(*listed) if isinstance(listed, list) else call(function, listed)
