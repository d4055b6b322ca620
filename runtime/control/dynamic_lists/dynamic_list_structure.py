"""The structure and the heap slot of a list that may grow: how branches and loops carry it."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.columnar import nested_lists, row_tables
from anabranch.runtime.tracing.builder import tracing
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.host_lists import host_list_structure
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import joined
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.pytrees.layout import Node


class GrowableSlot(Slot):
    """The heap slot of a list that may grow: its contents before a branch or a loop."""

    __slots__ = ()

    def contents(self) -> Value:
        return self.target.state()

    def restore(self, contents: Value) -> None:
        self.target.resume(contents)

    def parts(self) -> Iterable[Value]:
        if isinstance(self.before, row_tables.RowBinding):
            return (self.before.table, *self.before.table.owners)
        if isinstance(self.before, row_tables.RowPart):
            return ()
        if isinstance(self.before, nested_lists.RowReferences):
            return self.before.owners
        if isinstance(self.before, Items):
            return (*nested_lists.reference_roots(self.before), *records.members(self.before))
        parts: Iterable[Any] = self.before
        return parts

    @staticmethod
    def same_contents(now: object, before: object) -> bool:
        if isinstance(before, row_tables.RowBinding) and not isinstance(now, (Items, row_tables.RowBinding)):
            # The rows hold what they held before they were in a table.
            before = before.before
        if isinstance(now, (row_tables.RowBinding, row_tables.RowPart, nested_lists.RowReferences)) or isinstance(
            before, row_tables.RowBinding
        ):
            return now is before
        if isinstance(now, Items) or isinstance(before, Items):
            return now is before
        return Slot.same_contents(now, before)


@frozen
class GrowableStructure(Structure):
    """The structure of a list that may grow: of its elements, or (dynamic) of one part, their `Items`.

    `origins` are the places in the user's code that may have made it.
    """

    origins: frozenset[Hashable] = dataclasses.field(default=frozenset(), compare=False)

    @property
    def is_dynamic_list(self) -> bool:
        """Return whether it has one part, its `Items`."""
        return self.keys == ("items",) or (len(self.keys) == 1 and isinstance(self.keys[0], tuple))

    @property
    def _cls(self) -> Value:
        return self.cls

    def children(self, value: Value) -> list[Value]:
        return [value.contents()] if self.is_dynamic_list else list(value.contents())

    def build(self, children: Sequence[object]) -> Value:
        contents = children[0] if self.is_dynamic_list else children
        if not tracing():
            native: Any = self._cls.native
            return native(contents) if self.extra is None else native(contents, self.extra)
        made = self.cls()
        made.origins = self.origins
        made.become(contents)
        return made

    def empty(self) -> Value:
        return self.cls()

    def fill(self, made: Any, children: Sequence[Value]) -> None:
        made.become(children[0] if self.is_dynamic_list else children)

    def hosted(self, members: Mapping[object, int]) -> Structure:
        native = self._cls.native
        return (
            host_list_structure(native, self.keys, self.extra)
            if self.is_dynamic_list
            else Structure(native, self.keys, self.extra)
        )

    def with_origins_of(self, other: Any) -> GrowableStructure:
        more = other.origins - self.origins
        return dataclasses.replace(self, origins=self.origins | more) if more else self

    def join(self, mine: Node, other: Node) -> Node | None:
        if not isinstance(other.structure, GrowableStructure) or other.structure.cls is not self.cls:
            return None
        contents = joined(_contents_node(mine), _contents_node(other), Items)
        if contents is None:
            return None
        structure: Any = contents.structure  # type: ignore[union-attr] # that of `Items`
        keys: tuple[Hashable, ...] = (("fixed", structure.capacity),) if structure.fixed else ("items",)
        origins = self.origins | other.structure.origins
        return type(mine)(GrowableStructure(self.cls, keys, None, origins), (contents,))


def keys_of(contents: Value) -> tuple[Hashable, ...]:
    """The keys of the structure of a list that holds this: those of its elements, or of its one part."""
    if isinstance(contents, row_tables.RowPart):
        return (("fixed", contents.width),)
    if isinstance(contents, nested_lists.RowReferences):
        return (("fixed", contents.items.length),) if contents.items.structure.fixed else ("items",)
    if not isinstance(contents, Items):
        return tuple(range(len(contents)))
    return (("fixed", contents.length),) if contents.structure.fixed else ("items",)


def _contents_node(node: Value) -> Value:
    if node.structure.is_dynamic_list:
        return node.children[0]
    structure = node.structure.cls._contents(node.structure.keys).__anabranch_structure__()
    return type(node)(structure, node.children)
