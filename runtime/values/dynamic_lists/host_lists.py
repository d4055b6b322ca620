"""Lists, deques and tuples of run-time length as the caller gets them: built on the host, where nothing is traced."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.pytrees import layout as layouts


class HostList:
    """The class that structures of such lists name; there are no instances."""


@frozen
class HostListStructure(Structure):
    """That of a list or deque of one part, its elements; `extra` is the built-in class, and a deque's `maxlen`."""

    @property
    def is_dynamic_list(self) -> bool:
        """True: its length is known only at run time, or its elements are side by side."""
        return True

    def is_plain_list_of(self, part: layouts.Layout) -> bool:
        """Return whether it is a list, and what is built of its part is one that nobody else has."""
        is_built = isinstance(part, layouts.Node) and isinstance(part.structure, ItemsStructure)
        return self.extra == (list, None) and is_built

    def build(self, children: Sequence[object]) -> Value:
        native, maxlen = self.extra
        if native is list and type(children[0]) is list:
            return children[0]  # it has just been made
        return native(children[0]) if maxlen is None else native(children[0], maxlen)


def host_list_structure(native: type, keys: tuple[object, ...], maxlen: int | None) -> HostListStructure:
    """Return the structure of a list or deque that the caller gets."""
    return HostListStructure(HostList, keys, (native, maxlen))


class HostTuple:
    """The class that structures of such tuples name; there are no instances."""


@frozen
class HostTupleStructure(Structure):
    """The structure of a tuple on the host; its one part is the list of its items."""

    mutable = False

    def build(self, children: Sequence[Value]) -> Value:
        return tuple(children[0])
