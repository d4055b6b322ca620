"""The base of dicts and sets whose keys may be known only at run time."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values.run_time_container import RunTimeContainer


class Hashed(RunTimeContainer):
    """A dict or a set: its keys lie in a list, in the order in which they came, and are found by their hashes."""

    __slots__ = ()
    keys_: Any  # the list of the keys
    values_: Any  # of a dict: the list of the values
    removals_: int  # how often code that was traced has removed a key

    def members_(self) -> Any:
        """The keys, as `countable_`, for what does not depend on the order."""
        return self.countable_()

    @property
    def count_(self) -> Value:
        items = self.keys_.items
        return len(self.keys_) if items is None else items.length


def order_free(items: Value) -> Value:
    """The items, for an operation whose result does not depend on their order."""
    return items.members_() if isinstance(items, Hashed) else items
