"""The contents of a list that may grow: its elements themselves, `Items`, or the number of a row of a table.

Where the elements are not in the list itself, something stands there that refuses whatever is not staged.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Self, SupportsIndex

from anabranch.base.value import Value
from anabranch.runtime.control.columnar import array_lists, nested_lists, row_tables
from anabranch.runtime.control.dynamic_lists.dynamic_list_structure import GrowingSlot, GrowingStructure, keys_of
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.builder import current, tracing
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.growable_list import MayGrow, is_fixed
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure, kinds_of
from anabranch.runtime.values.dynamic_lists.list_contents import DequeContents, ListContents, side_by_side
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.static_requests import wanting


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


class GrowingContents(MayGrow):
    """The contents of a list or a deque that grows; `native` is the built-in class."""

    __slots__ = ()
    _contents = ListContents
    append: Callable[[Any], None]  # the subclasses have these as methods
    extend: Callable[[Iterable[Any]], None]

    def __new__(cls, *args: Value, **kwargs: Value) -> Value:
        made: Any = cls.native.__new__(cls, *args, **kwargs)
        made._items = made.site = made.home = None
        return made

    @property
    def items(self) -> Items | None:  # type: ignore[override]
        """The elements where they are side by side."""
        return self._items if self.home is None else self.home.table.row(self.home.index)

    @property
    def is_grown(self) -> bool:  # type: ignore[override]
        """Return whether elements are side by side."""
        return self._items is not None or self.home is not None

    @property
    def is_fixed(self) -> bool:  # type: ignore[override]
        """Return whether elements are side by side and their number stays the same."""
        return self.home is not None or (self._items is not None and self._items.structure.fixed)

    def enter_home(self, home: row_tables.Home) -> None:
        """Be a row of a table."""
        self.become(self._contents())
        self.home = home
        self.native.append(self, MARKER)

    def leave_home(self, contents: object) -> None:
        """Hold elements of its own."""
        self.home = None
        self.become(contents)

    def state(self) -> Value:
        """Return the contents of the list, or the row of a table that it is."""
        return self.contents() if self.home is None or self.home.table.last is not None else self.home

    def resume(self, state: Any) -> None:
        """Hold what it held, or be the row that it was."""
        if isinstance(state, row_tables.Home):
            self.home = None
            self.enter_home(state)
        else:
            self.leave_home(state)

    def contents(self) -> Value:
        """The elements: `Items`, or a tuple where their number is known."""
        if self.home is not None and self.home.table.last is not None:
            return self.home.table.contents(self.home)
        if self.home is None and self._items is not None:
            return nested_lists.finished(self._items)
        return self._contents(self.native.__iter__(self)) if self.items is None else self.items

    def become(self, contents: Value) -> None:
        """Hold these elements."""
        grown = isinstance(contents, Items)
        if grown and type(contents.length) is int and not contents.structure.fixed and is_fixed(self):
            contents = contents.fastened() if contents.length else self._contents()
            grown = isinstance(contents, Items)
        if self.home is not None:
            self._become_row(contents)
            return
        self.native.clear(self)
        self._items = contents if grown else None  # type: ignore[misc] # a slot of each class
        self.native.extend(self, (MARKER,) if grown else contents)

    def _become_row(self, contents: Value) -> None:
        table, index = self.home.table, self.home.index
        if not isinstance(contents, Items):
            contents = side_by_side(contents, fixed=True) or contents
        if isinstance(contents, Items) and contents.structure.fixed and contents.length == table.width:
            table.set_row(index, contents)
        else:
            self._dissolve()
            self.become(contents)

    def _dissolve(self) -> None:
        """Let the rows of the table that it is a row of hold their elements by themselves."""
        table = self.home.table
        if table.builder is not current() or self.home.before is None:
            raise row_tables.without_tables("changes its length, or is used in code that is not compiled")
        table.dissolve()

    def grown(self) -> Items:
        """The elements as `Items`, however many there are."""
        contents = self.contents()
        if isinstance(contents, Items):
            return contents
        kinds: list[layouts.Layout] = []
        for kind in kinds_of(layouts.describe(contents)):
            kinds += [kind] if kind not in kinds else []
        return Items.of(
            contents,
            ItemsStructure(Items, (), None, tuple(kinds), len(contents), None, self._contents is DequeContents),
        )

    def separate(self) -> None:
        """Hold elements that are side by side, and whose number is known, one by one."""
        if self.home is not None:
            self._dissolve()
        if self.items is not None and self.items.structure.fixed:
            self.become(self._contents(map(self.items.item, range(self.items.length))))

    def made(self, contents: object) -> Self:
        """A new list of these elements."""
        new = type(self)()
        new.become(contents)
        current().trace.identity.bear(new)
        array_lists.at_birth(new, array_lists.birthplace())
        return new

    def __anabranch_structure__(self) -> Structure:
        row = None if self.home is None else row_tables.structure_of_row(self)
        if row is not None:
            return row
        maxlen = self.maxlen if isinstance(self, collections.deque) else None
        given = self.home is None or self.home.table.last is not None
        keys = keys_of(self.contents()) if given else (("fixed", len(self)),)
        return GrowingStructure(type(self), keys, maxlen)

    def __anabranch_slot__(self) -> Slot:
        return GrowingSlot(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[type, tuple[Value, ...]]:
        return self.native, (self.native(self.contents()),)

    # ---- what needs a plain value -----------------------------------------------------------------------------------

    def _plain(self, need: str) -> NoReturn:
        if tracing():
            current().trace.outside.needs_plain()
        assert self.items is not None
        raise wanting(ConcretizationError(f"{need}: {NEEDS_PLAIN}"), self.items.length, "the length of a list")

    def __len__(self) -> int:
        if self.home is not None:
            width: int = self.home.table.width
            return width
        if self.items is None:
            length: int = self.native.__len__(self)
            return length
        if isinstance(self.items.length, int):
            return self.items.length
        return self._plain("len()")
