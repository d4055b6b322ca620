"""The base of dicts and sets whose keys may be known only at run time."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values.attributes import StandIn


class Hashed(StandIn):
    """A dict or a set of which the keys lie in a list, in the order in which they came, and are found by their hashes.

    It is no subclass of the class that it stands for: code that is not compiled would take it for an empty one.
    """

    __slots__ = ()
    keys_: Any  # the list of the keys
    values_: Any  # of a dict: the list of the values
    native: Any  # the built-in class that it stands for
    removals_: int  # how often code that was traced has removed a key

    def countable_(self) -> Any:
        """The keys, for a loop that counts over them."""
        raise NotImplementedError

    def members_(self) -> Any:
        """The same for what does not depend on the order."""
        return self.countable_()

    def contains_(self, key: Value) -> Value:
        """`key in self`."""
        raise NotImplementedError

    def __anabranch_sample__(self) -> object:
        return self.native()

    @property
    def count_(self) -> Value:
        """How many keys there are: a Python int, traced or not."""
        items = self.keys_.items
        return len(self.keys_) if items is None else items.length


def order_free(items: Value) -> Value:
    """The items, for an operation whose result does not depend on their order."""
    return items.members_() if isinstance(items, Hashed) else items
