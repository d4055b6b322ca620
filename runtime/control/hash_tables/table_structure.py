"""The structure and the heap slot of dicts and sets whose keys are known only at run time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values.containers import Structure, update
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.pytrees import layout as layouts, layout_join


class TableSlot(Slot):
    """The keys, the values and the index of a table, as they were before a branch or a loop."""

    __slots__ = ()

    def contents(self) -> Value:
        return self.target.parts_

    def parts(self) -> Iterable[Value]:
        """Its parts, and the function that makes missing values."""
        return [*super().parts(), *(self.target.extra_ or ())]

    def restore(self, contents: Value) -> None:
        self.target.parts_ = tuple(contents)


@frozen
class TableStructure(Structure):
    """That of a dict or a set; `keys` are the names of its parts, `extra` is what it was made with."""

    @property
    def _cls(self) -> Value:
        return self.cls

    def children(self, value: Value) -> list[Value]:
        request = self.extra[0]
        return list((value if value.request_.size == request.size else value.resized_(request)).parts_)

    def join(self, mine: Value, other: Value) -> Value:
        """Of two tables that are alike but for their capacities the larger capacity."""
        if not isinstance(other.structure, TableStructure) or self._kind != other.structure._kind:
            return None
        larger, smaller = mine, other
        if self.extra[0].size < other.structure.extra[0].size:
            larger, smaller = other, mine
        index = self.keys.index("index")
        parts = [*smaller.children[:index], larger.children[index], *smaller.children[index + 1 :]]
        pairs = zip(larger.children, parts, strict=True)
        # The parts are nobody else's, so that what they are joined to is no other object.
        joined = [layout_join.join(layout_join.unboxed(a), layout_join.unboxed(b), unboxing=True) for a, b in pairs]
        return layouts.Node(larger.structure, tuple(joined))

    @property
    def _kind(self) -> tuple[Any, ...]:
        return (self.cls, self.keys, self.extra[1])

    def empty(self) -> Value:
        return self._cls.bare_(self.extra)

    def fill(self, made: Value, children: Sequence[Value]) -> None:
        made.parts_ = tuple(children)

    def build(self, children: Sequence[Value]) -> Value:
        made = self.empty()
        self.fill(made, children)
        return made

    def hosted(self, members: Mapping[object, int]) -> Structure:
        return HostTableStructure(HostTable, self.keys, (self._cls.native, self.extra[1]))


class HostTable:
    """The class that structures of the caller's dicts and sets name; there are no instances."""


@frozen
class HostTableStructure(Structure):
    """That of a dict or set as the caller gets it, of its keys and values; `extra` is its class and its factory."""

    def build(self, children: Sequence[Value]) -> Value:
        native, factory = self.extra
        if tracing():
            raise AssertionError("what the caller gets is built where nothing is traced")
        if self.keys[1] != "values":
            return native(children[0])
        made = native() if factory is None else native(getattr(factory[0], "native", factory[0]))
        update(made, dict(zip(children[0], children[1], strict=True)))  # a Counter would count the pairs
        return made
