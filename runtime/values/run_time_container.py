"""The base of dicts, sets and lists whose items are known only at run time, and lie in memory that they share."""

from __future__ import annotations

from typing import Any

from anabranch.base.value import Value
from anabranch.runtime.values.attributes import ContainerStandIn


class RunTimeContainer(ContainerStandIn):
    """Such a container.

    It is no subclass of the class that it stands for: code that is not compiled would take it for an empty one.
    """

    __slots__ = ()
    arena_: Any = None  # what it lies in
    number_: Any  # its number there: it is the same one wherever the number is the same

    @property
    def count_(self) -> Value:
        """How many items there are: a Python int, traced or not."""
        raise NotImplementedError

    def countable_(self) -> Any:
        """The items, for a loop that counts over them."""
        raise NotImplementedError

    @property
    def memory_(self) -> tuple[Any, ...]:
        """The lists and the memory that it consists of, and that the caller has nothing of."""
        raise NotImplementedError

    def written_(self) -> Any:
        """The new contents of the caller's container, where it stands for one."""
        raise NotImplementedError

    def unpacked_(self, count: int) -> tuple[Value, ...]:
        """The items, for so many names."""
        items: Any = self
        return tuple(items)

    def contains_(self, item: Value) -> Value:
        """`item in self`."""
        raise NotImplementedError
