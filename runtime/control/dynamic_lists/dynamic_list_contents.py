"""The contents of a list that may grow: its elements themselves, `Items`, or the number of a row of a table.

Where the elements are not in the list itself, something stands there that refuses whatever is not staged.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, Self, SupportsIndex

from anabranch.base.by_identity import IdentitySet
from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.control.columnar import array_lists, nested_lists, row_tables
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.tracing.source_frames import place
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.growable_list import (
    DequeContents,
    Growable,
    ListContents,
    is_fixed,
    side_by_side,
)
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure, host_list_structure, joined, kinds_of
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.pytrees.layout import Node
from anabranch.runtime.values.static_requests import with_static_request


class _Marker:
    """The one native element of a list whose elements are kept elsewhere."""

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise ConcretizationError(NEEDS_PLAIN)

    __eq__ = __lt__ = __gt__ = __bool__ = __hash__ = __len__ = __iter__ = __index__ = __float__ = __str__ = _refuse
    __array__ = __getattr__ = __getitem__ = __call__ = __reduce__ = _refuse


NEEDS_PLAIN = (
    "a list whose length is known only at run time is used in code that is not compiled, or by an operation that "
    "needs the length while tracing; use a for statement over it, indices, or np.array"
)
MARKER = _Marker()


class GrowableContents(Growable):
    """The contents of a list or a deque that grows; `native` is the built-in class."""

    __slots__ = ()
    _contents = ListContents
    append: Callable[[Any], None]  # the subclasses have these as methods
    extend: Callable[[Iterable[Any]], None]

    def __new__(cls, *args: Value, **kwargs: Value) -> Value:
        made: Any = cls.native.__new__(cls, *args, **kwargs)
        made._items = made.site = made.row_binding = None
        made.origins = frozenset()
        return made

    @property
    def items(self) -> Items | None:  # type: ignore[override]
        """The elements where they are side by side."""
        return self._items if self.row_binding is None else self.row_binding.table.row(self.row_binding.index)

    @property
    def is_dynamic(self) -> bool:  # type: ignore[override]
        """Return whether elements are side by side."""
        return self._items is not None or self.row_binding is not None

    @property
    def is_fixed(self) -> bool:  # type: ignore[override]
        """Return whether elements are side by side and their number stays the same."""
        return self.row_binding is not None or (self._items is not None and self._items.structure.fixed)

    def bind_row(self, home: row_tables.RowBinding) -> None:
        """Be a row of a table."""
        self.become(self._contents())
        self.row_binding = home
        self.native.append(self, MARKER)

    def unbind_row(self, contents: object) -> None:
        """Hold elements of its own."""
        self.row_binding = None
        self.become(contents)

    def state(self) -> Value:
        """Return the contents of the list, or the row of a table that it is."""
        return (
            self.contents() if self.row_binding is None or self.row_binding.table.last is not None else self.row_binding
        )

    def resume(self, state: Any) -> None:
        """Hold what it held, or be the row that it was."""
        if isinstance(state, row_tables.RowBinding):
            self.row_binding = None
            self.bind_row(state)
        else:
            self.unbind_row(state)

    def contents(self) -> Value:
        """The elements: `Items`, or a tuple where their number is known."""
        if self.row_binding is not None and self.row_binding.table.last is not None:
            return self.row_binding.table.contents(self.row_binding)
        if self.row_binding is None and self._items is not None:
            return nested_lists.finished(self._items)
        return self._contents(self.native.__iter__(self)) if self.items is None else self.items

    def become(self, contents: Value) -> None:
        """Hold these elements."""
        is_dynamic = isinstance(contents, Items)
        if is_dynamic and type(contents.length) is int and not contents.structure.fixed and is_fixed(self):
            contents = contents.with_static_length() if contents.length else self._contents()
            is_dynamic = isinstance(contents, Items)
        if self.row_binding is not None:
            self._become_row(contents)
            return
        self.native.clear(self)
        self._items = contents if is_dynamic else None  # type: ignore[misc] # a slot of each class
        self.native.extend(self, (MARKER,) if is_dynamic else contents)

    def _become_row(self, contents: Value) -> None:
        table, index = self.row_binding.table, self.row_binding.index
        if not isinstance(contents, Items):
            contents = side_by_side(contents, fixed=True) or contents
        if isinstance(contents, Items) and contents.structure.fixed and contents.length == table.width:
            table.set_row(index, contents)
        else:
            self._dissolve()
            self.become(contents)

    def _dissolve(self) -> None:
        """Let the rows of the table that it is a row of hold their elements by themselves."""
        table = self.row_binding.table
        if table.builder is not current() or self.row_binding.before is None:
            raise row_tables.without_tables("changes its length, or is used in code that is not compiled")
        table.dissolve()

    def as_items(self) -> Items:
        """The elements as `Items`, however many there are."""
        contents = self.contents()
        if isinstance(contents, Items):
            return contents
        kinds: list[layouts.Layout] = []
        for kind in kinds_of(layouts.describe(type(contents)(IdentitySet(contents)))):
            kinds += [kind] if kind not in kinds else []
        return Items.of(
            contents,
            ItemsStructure(Items, (), None, tuple(kinds), len(contents), None, self._contents is DequeContents),
        )

    def separate(self) -> None:
        """Hold elements that are side by side, and whose number is known, one by one."""
        if self.row_binding is not None:
            self._dissolve()
        if self.items is not None and self.items.structure.fixed:
            self.become(self._contents(map(self.items.item, range(self.items.length))))

    def made(self, contents: object) -> Self:
        """A new list of these elements."""
        new = type(self)()
        new.become(contents)
        current().trace.identity.created.add(new)
        array_lists.note_allocation(new, place())
        return new

    def __anabranch_structure__(self) -> Structure:
        row = None if self.row_binding is None else row_tables.structure_of_row(self)
        if row is not None:
            return row
        maxlen = self.maxlen if isinstance(self, collections.deque) else None
        given = self.row_binding is None or self.row_binding.table.last is not None
        keys = _keys_of(self.contents()) if given else (("fixed", len(self)),)
        return _GrowableStructure(type(self), keys, maxlen, self.origins)

    def __anabranch_slot__(self) -> Slot:
        return _GrowableSlot(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[type, tuple[Value, ...]]:
        return self.native, (self.native(self.contents()),)

    # ---- what needs a plain value -----------------------------------------------------------------------------------

    def _plain(self, need: str) -> NoReturn:
        if tracing():
            current().trace.outside.needs_plain()
        assert self.items is not None
        raise with_static_request(
            ConcretizationError(f"{need}: {NEEDS_PLAIN}"), self.items.length, "the length of a list"
        )

    def __len__(self) -> int:
        if self.row_binding is not None:
            width: int = self.row_binding.table.width
            return width
        if self.items is None:
            length: int = self.native.__len__(self)
            return length
        if isinstance(self.items.length, int):
            return self.items.length
        return self._plain("len()")


class _GrowableSlot(Slot):
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
class _GrowableStructure(Structure):
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

    def with_origins_of(self, other: Any) -> _GrowableStructure:
        more = other.origins - self.origins
        return dataclasses.replace(self, origins=self.origins | more) if more else self

    def join(self, mine: Node, other: Node) -> Node | None:
        if not isinstance(other.structure, _GrowableStructure) or other.structure.cls is not self.cls:
            return None
        contents = joined(_contents_node(mine), _contents_node(other), Items)
        if contents is None:
            return None
        structure: Any = contents.structure  # type: ignore[union-attr] # that of `Items`
        keys: tuple[Hashable, ...] = (("fixed", structure.capacity),) if structure.fixed else ("items",)
        origins = self.origins | other.structure.origins
        return type(mine)(_GrowableStructure(self.cls, keys, None, origins), (contents,))


def _keys_of(contents: Value) -> tuple[Hashable, ...]:
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
