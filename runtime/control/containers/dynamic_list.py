"""Lists and deques that may come to have a length known only at run time.

In a function that turned out to have such lists, a list display is rewritten to `ab.growing([...])`, which is the list
and no more until a branch or a loop gives it another length on one way than on another. From then on its elements are
`Items`, and what stands in the list itself refuses whatever is not staged.
"""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from anabranch.base.frozen import frozen
from anabranch.runtime.control import subscript
from anabranch.runtime.control.calls import restaging
from anabranch.runtime.control.containers import (
    array_lists,
    container_methods,
    dynamic_list_methods as staged,
    nested_lists,
)
from anabranch.runtime.errors import ConcretizationError
from anabranch.runtime.tracing.trace import Restart, current, tracing
from anabranch.runtime.values.containers import Structure, has_traced
from anabranch.runtime.values.dynamic_lists import records
from anabranch.runtime.values.dynamic_lists.growable import MayGrow, is_fixed, is_grown
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure, joined, kinds_of
from anabranch.runtime.values.dynamic_lists.list_contents import DequeContents, ListContents, side_by_side
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.pytrees import layout as layouts
from anabranch.runtime.values.static_requests import wanting
from anabranch.runtime.values.tracer import Traced


class _Marker:
    """What a list holds natively whose elements are kept elsewhere."""

    __slots__ = ()

    def _refuse(self, *_: Any) -> NoReturn:
        raise ConcretizationError(_TEXT)

    __eq__ = __lt__ = __gt__ = __bool__ = __hash__ = __len__ = __iter__ = __index__ = __float__ = __str__ = _refuse
    __array__ = __getattr__ = __getitem__ = __call__ = __reduce__ = _refuse


_TEXT = (
    "a list whose length is known only at run time is used where anabranch does not stage it (in code that is not "
    "rewritten, or by an operation of lists that needs the length); use a for statement over it, indices, or np.array"
)
_MARKER = _Marker()


class _Grows(MayGrow):
    """What lists and deques that grow have in common; `native` is the built-in class."""

    __slots__ = ()
    _contents = ListContents

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
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

    def enter_home(self, home: Any) -> None:
        """Be a row of a table."""
        self.become(self._contents())
        self.home = home
        self.native.append(self, _MARKER)

    def leave_home(self, contents: Any) -> None:
        """Hold elements of its own."""
        self.home = None
        self.become(contents)

    def state(self) -> Any:
        """Return the contents of the list, or the row of a table that it is."""
        return self.contents() if self.home is None or self.home.table.last is not None else self.home

    def resume(self, state: Any) -> None:
        """Hold what it held, or be the row that it was."""
        if isinstance(state, nested_lists.Home):
            self.home = None
            self.enter_home(state)
        else:
            self.leave_home(state)

    # ---- contents ----------------------------------------------------------------------------------------------------

    def contents(self) -> Any:
        """The elements: `Items`, or a tuple where their number is known."""
        if self.home is not None and self.home.table.last is not None:
            return self.home.table.contents(self.home)
        if self.home is None and self._items is not None:
            return nested_lists.finished(self._items)
        return self._contents(self.native.__iter__(self)) if self.items is None else self.items

    def become(self, contents: Any) -> None:
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
        self.native.extend(self, (_MARKER,) if grown else contents)

    def _become_row(self, contents: Any) -> None:
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
            raise nested_lists.without_tables("changes its length, or is used where anabranch does not stage it")
        table.dissolve()

    def grown(self) -> Items:
        """The elements as `Items`, however many there are."""
        contents = self.contents()
        if isinstance(contents, Items):
            return contents
        kinds: list[Any] = []
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

    def made(self, contents: Any) -> Any:
        """A new list of these elements."""
        new = type(self)()
        new.become(contents)
        current().trace.bear(new)
        array_lists.at_birth(new, array_lists.birthplace())
        return new

    def __anabranch_structure__(self) -> Structure:
        row = None if self.home is None else nested_lists.structure_of_row(self)
        if row is not None:
            return row
        maxlen = getattr(self, "maxlen", None)
        given = self.home is None or self.home.table.last is not None
        keys = _keys(self.contents()) if given else (("fixed", len(self)),)
        return GrowingStructure(type(self), keys, maxlen)

    def __anabranch_slot__(self) -> Slot:
        return GrowingSlot(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.native, (self.native(self.contents()),)

    # ---- what needs a plain value -----------------------------------------------------------------------------------

    def _plain(self, need: str) -> NoReturn:
        if tracing():
            current().trace.needs_plain()
        assert self.items is not None
        raise wanting(ConcretizationError(f"{need}: {_TEXT}"), self.items.length, "the length of a list")

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

    def __iter__(self) -> Iterator[Any]:
        if self.items is None:
            return self._steps()
        if isinstance(self.items.length, int):
            return self._elements()
        return self._plain("an iteration")

    def _elements(self) -> Iterator[Any]:
        position = 0
        while position < len(self):
            yield self[position]
            position += 1

    def _steps(self) -> Iterator[Any]:
        for item in self.native.__iter__(self):
            if item is _MARKER:
                self._plain("an iteration over a list that grows in it")
            yield item

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: '{self.native.__name__}'")

    def __repr__(self) -> str:
        if is_fixed(self):
            return repr(self.native(self._elements()))
        return self.native.__repr__(self) if self.items is None else "<a list of run-time length>"

    # ---- elements ----------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if is_fixed(self) and isinstance(key, slice) and not has_traced((key.start, key.stop, key.step)):
            return self._part(range(len(self))[key])
        if self.items is not None:
            return staged.get(self, key)
        if isinstance(key, slice):
            if any(isinstance(k, Traced) for k in (key.start, key.stop, key.step)):
                return staged.get(self, key)
            return self.made(self.native.__getitem__(self, key))
        return subscript.Indexed(self)[key] if isinstance(key, Traced) else self.native.__getitem__(self, key)

    def _part(self, places: range) -> Any:
        assert self.items is not None
        return self.made(self.items.at(places) if places else self._contents())

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_fixed(self) and (isinstance(key, slice) or not array_lists.fits(value)):
            self.separate()
        if self.items is not None:
            staged.set_(self, key, value)
        elif isinstance(key, Traced):
            subscript.Indexed(self)[key] = value
        else:
            self.native.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        if is_fixed(self) and not has_traced(key):
            self.separate()
        if self.items is not None or isinstance(key, Traced):
            staged.delete(self, key)
        else:
            self.native.__delitem__(self, key)

    def append(self, value: Any) -> None:
        """As `list.append`."""
        if is_fixed(self) and not array_lists.fits(value):
            self.separate()
        if self.items is None:
            self.native.append(self, value)
        else:
            self.become(self.items.pushed(value))

    def extend(self, values: Iterable[Any]) -> None:
        """As `list.extend`."""
        if self.items is not None and is_fixed(self) and isinstance(values, MayGrow) and is_fixed(values):
            assert values.items is not None
            self.become(self.items.followed_by(values.items))
        else:
            staged.extend(self, values)

    def __iadd__(self, values: Any) -> Any:
        self.extend(values)
        return self

    def pop(self, *place: Any) -> Any:
        """As `list.pop`."""
        if self.items is None and not has_traced(place):
            return self.native.pop(self, *place)
        return staged.pop(self, *place)

    def insert(self, place: Any, value: Any) -> None:
        """As `list.insert`."""
        if is_fixed(self) and not array_lists.fits(value):
            self.separate()
        if self.items is None and not isinstance(place, Traced):
            self.native.insert(self, place, value)
        else:
            staged.insert(self, place, value)

    def clear(self) -> None:
        """As `list.clear`."""
        self.become(self._contents() if self.items is None or is_fixed(self) else self.items.cut(0))

    def copy(self) -> Any:
        """As `list.copy`."""
        return self.made(self.contents())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        contents = self.contents()
        return self.copy() if isinstance(contents, Items) else self.made([copy.deepcopy(v, memo) for v in contents])

    def reverse(self) -> None:
        """As `list.reverse`."""
        if self.items is None:
            self.native.reverse(self)
        else:
            self.become(staged.reversed_items(self.items))

    def index(self, *args: Any) -> Any:
        """As `list.index`."""
        return staged.index(self, *args) if self.items is not None else self._staged_method("index")(*args)

    def count(self, value: Any) -> Any:
        """As `list.count`."""
        return staged.count(self, value) if self.items is not None else self._staged_method("count")(value)

    def remove(self, value: Any) -> None:
        """As `list.remove`."""
        if self.items is None and not (has_traced(value) or has_traced(self)):
            self.native.remove(self, value)
        else:
            staged.remove(self, value)

    def _staged_method(self, name: str) -> Callable[..., Any]:
        """The method of the built-in class, staged where run-time values take part."""
        method: Callable[..., Any] = container_methods.staged(getattr(super(), name))
        return method

    # ---- with others -------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, self.native):
            return NotImplemented
        made = self.copy()
        made.extend(other)
        return made

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, self.native):
            return NotImplemented
        if restaging.adds_in_place():
            # Of an exact list Python asks this one first, which would make a new list of both.
            if is_grown(self) and not current().trace.lists:
                raise Restart(lists=True)
            other.extend(self)
            return other
        made = self.made(tuple(other))
        made.extend(self)
        return made

    def __mul__(self, times: Any) -> Any:
        if is_fixed(self) and type(times) is int:
            return self.made(self._contents(self.native.__mul__(self.native(self._elements()), times)))
        if self.items is not None:
            if type(self.items.length) is int and type(times) is int:
                return self.made(tuple(self) * times)
            self._plain("a list repeated")
        return self.made(self.native.__mul__(self, times))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> Any:
        return staged.equal(self, other) if self.items is not None or is_grown(other) else _same(self, other)

    def __ne__(self, other: object) -> Any:
        return staged.differ(self, other) if self.items is not None or is_grown(other) else not _same(self, other)

    def __contains__(self, value: Any) -> bool:
        if is_fixed(self):
            return value in self.native(self._elements())
        if self.items is not None:
            self._plain("in")
        found: bool = self.native.__contains__(self, value)
        return found


def _same(a: Any, b: object) -> Any:
    return a.native.__eq__(a, b)


class Growing(_Grows, list[Any]):  # type: ignore[misc]
    """A list that may grow."""

    __slots__ = ("_items", "home", "site")
    native = list

    def sort(self, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        """As `list.sort`."""
        if is_fixed(self) and len(self) <= _FEW:
            self.separate()
        if self.items is None:
            container_methods.staged(super().sort)(key=key, reverse=reverse)
        else:
            staged.sort(self, key, reverse)

    def _ordered(self, other: Any) -> Any:
        if is_grown(self) or is_grown(other):
            raise ConcretizationError(f"an ordering of lists: {_TEXT}")
        return NotImplemented


class GrowingDeque(_Grows, collections.deque[Any]):  # type: ignore[misc]
    """A deque that may grow."""

    __slots__ = ("_items", "home", "site")
    native = collections.deque
    _contents = DequeContents

    def appendleft(self, value: Any) -> None:
        """As `deque.appendleft`."""
        if self.items is None:
            super().appendleft(value)
        else:
            self.become(self.items.pushed(value, front=True))

    def popleft(self) -> Any:
        """As `deque.popleft`."""
        return super().popleft() if self.items is None else staged.popleft(self)

    def extendleft(self, values: Iterable[Any]) -> None:
        """As `deque.extendleft`."""
        for value in values:
            self.appendleft(value)

    def rotate(self, n: Any = 1) -> None:
        """As `deque.rotate`."""
        if self.items is not None or isinstance(n, Traced):
            raise ConcretizationError(f"deque.rotate: {_TEXT}")
        super().rotate(n)


def growing(values: Any) -> Any:
    """The list (or deque) as one that may grow; outside of tracing, itself."""
    if not tracing() or type(values) not in KINDS or getattr(values, "maxlen", None) is not None:
        return values
    made = KINDS[type(values)](values)
    current().trace.bear(made)
    array_lists.at_birth(made, array_lists.birthplace())
    return made


# So many run-time values are compared one by one to be sorted.
_FEW = 32


KINDS: dict[type, Any] = {list: Growing, collections.deque: GrowingDeque}


class GrowingSlot(Slot):
    """What is remembered of a list that may grow."""

    __slots__ = ()

    def contents(self) -> Any:
        return self.target.state()

    def restore(self, contents: Any) -> None:
        self.target.resume(contents)

    def parts(self) -> Iterable[Any]:
        if isinstance(self.before, nested_lists.Home):
            return (self.before.table, *self.before.table.owners)
        if isinstance(self.before, nested_lists.RowPart):
            return ()
        if isinstance(self.before, nested_lists.RowReferences):
            return self.before.owners
        if isinstance(self.before, Items):
            return (*nested_lists.referred(self.before), *records.members(self.before))
        parts: Iterable[Any] = self.before
        return parts

    @staticmethod
    def same_contents(now: Any, before: Any) -> bool:
        if isinstance(before, nested_lists.Home) and not isinstance(now, (Items, nested_lists.Home)):
            # The rows hold what they held before they were in a table.
            before = before.before
        if isinstance(now, (nested_lists.Home, nested_lists.RowPart, nested_lists.RowReferences)) or isinstance(
            before, nested_lists.Home
        ):
            return now is before
        if isinstance(now, Items) or isinstance(before, Items):
            return now is before
        return Slot.same_contents(now, before)


@frozen
class GrowingStructure(Structure):
    """That of a list that may grow: of its elements, or (grown) of one part, their `Items`."""

    @property
    def grown(self) -> bool:
        """Whether it has one part, its `Items`."""
        return self.keys == ("items",) or (len(self.keys) == 1 and isinstance(self.keys[0], tuple))

    @property
    def _cls(self) -> Any:
        return self.cls

    def children(self, value: Any) -> list[Any]:
        return [value.contents()] if self.grown else list(value.contents())

    def build(self, children: Sequence[Any]) -> Any:
        contents = children[0] if self.grown else children
        if not tracing():
            native: Any = self._cls.native
            return native(contents) if self.extra is None else native(contents, self.extra)
        made = self.cls()
        made.become(contents)
        return made

    def empty(self) -> Any:
        return self.cls()

    def fill(self, made: Any, children: Sequence[Any]) -> None:
        made.become(children[0] if self.grown else children)

    def hosted(self, members: Mapping[int, int]) -> Structure:
        return self if self.grown else Structure(self._cls.native, self.keys, self.extra)

    def meet(self, mine: Any, other: Any) -> Any:
        if not isinstance(other.structure, GrowingStructure) or other.structure.cls is not self.cls:
            return None
        contents = joined(_contents_node(mine), _contents_node(other), Items)
        if contents is None:
            return None
        structure: Any = contents.structure  # type: ignore[union-attr] # that of `Items`
        keys: tuple[Any, ...] = (("fixed", structure.capacity),) if structure.fixed else ("items",)
        return type(mine)(GrowingStructure(self.cls, keys), (contents,))


def _keys(contents: Any) -> tuple[Any, ...]:
    """The keys of the structure of a list that holds this: those of its elements, or of its one part."""
    if isinstance(contents, nested_lists.RowPart):
        return (("fixed", contents.width),)
    if isinstance(contents, nested_lists.RowReferences):
        return (("fixed", contents.items.length),) if contents.items.structure.fixed else ("items",)
    if not isinstance(contents, Items):
        return tuple(range(len(contents)))
    return (("fixed", contents.length),) if contents.structure.fixed else ("items",)


def _contents_node(node: Any) -> Any:
    if node.structure.grown:
        return node.children[0]
    structure = node.structure.cls._contents(node.structure.keys).__anabranch_structure__()
    return type(node)(structure, node.children)
