"""Lists and deques that may come to have a length known only at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.values.attributes import ContainerStandIn
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists import item_constants, item_kinds
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ElementsStructure, ItemsStructure, distinct
from anabranch.runtime.values.pytrees import layout as layouts


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


class ListContents(tuple[Any, ...]):
    """The contents of a list of static length at some moment, where it may come to have another length."""

    __slots__ = ()

    def __anabranch_structure__(self) -> Structure:
        return _ContentsStructure(type(self), tuple(range(len(self))))


class DequeContents(ListContents):
    """The contents of a deque."""

    __slots__ = ()


@frozen
class _ContentsStructure(ElementsStructure):
    """The structure of `ListContents`."""

    def build(self, children: Sequence[object]) -> Value:
        return tuple.__new__(self.cls, children)

    @property
    def is_circular(self) -> bool:
        return self.cls is DequeContents

    fixed = True

    @property
    def items_class(self) -> type:
        return Items


def element_kinds(contents: Sequence[object]) -> list[layouts.Layout] | None:
    """The kinds of a list's elements; None where some are neither numbers nor tuples of such, or there are many."""
    kinds = item_constants.kinds_of(contents)
    if kinds is None:
        described = list(map(layouts.describe, contents))
        options = [o for d in described for o in (d.options if isinstance(d, layouts.Union) else (d,))]
        if not all(map(item_constants.is_plain, options)):
            return None
        kinds = distinct(list(map(item_kinds.general, options)))
    return kinds if 0 < len(kinds) <= item_constants.MOST_KINDS else None


def side_by_side(contents: Sequence[Value], fixed: bool) -> Items | None:
    """The contents of a list as `Items`; None where `element_kinds` has none."""
    kinds = element_kinds(contents)
    if kinds is None:
        return None
    return Items.of(tuple(contents), ItemsStructure(Items, (), None, tuple(kinds), len(contents), fixed=fixed))
