"""Lists and deques that may come to have a length known only at run time."""

from __future__ import annotations

from typing import Any

from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.dynamic_lists.items import Items


class Growable(ContainerStandIn):
    """The base of lists and deques that may come to have a length known only at run time: then they have `items`."""

    __slots__ = ()
    items: Items | None
    site: Any
    origins: frozenset[Any]  # the places in the user's code that may have made it
    row_binding: Any  # the row of a table that it is
    is_dynamic: bool
    is_fixed: bool


def is_dynamic_list(value: object) -> bool:
    """Return whether a value is a list or deque whose length is known only at run time."""
    return isinstance(value, Growable) and value.is_dynamic


def is_fixed(value: object) -> bool:
    """Return whether a value is a list of static length whose elements are side by side."""
    return isinstance(value, Growable) and value.is_fixed
