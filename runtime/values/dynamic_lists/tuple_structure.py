"""The structure of tuples whose length is known only at run time, and how tuples of several lengths become one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.growable_list import ListContents
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import HostTuple, HostTupleStructure, joined
from anabranch.runtime.values.pytrees import layout as layouts


@frozen
class TupleStructure(Structure):
    """The structure of such a tuple. Its part holds its items; `extra` is the arena in which they lie, if they do."""

    mutable = False
    is_run_time_tuple = True

    def children(self, value: Value) -> list[Value]:
        return [ListContents(value) if type(value) is tuple else value.held_]

    def build(self, children: Sequence[Value]) -> Value:
        return self.cls(children[0])

    def hosted(self, members: Mapping[object, int]) -> Structure:
        return HostTupleStructure(HostTuple, self.keys)


def one_of(cls: type, options: Sequence[layouts.Node]) -> layouts.Node | None:
    """The layout, of a class, that holds tuples of several lengths; None where there is none."""
    contents: layouts.Layout | None = None
    for option in options:
        of_run_time = isinstance(option.structure, TupleStructure)
        node = option.children[0] if of_run_time else _contents(option)
        contents = node if contents is None else joined(contents, node, Items)  # type: ignore[arg-type]
        if contents is None:
            return None
    assert contents is not None
    return layouts.Node(TupleStructure(cls, ("items",)), (contents,))


def _contents(option: layouts.Node) -> layouts.Node:
    structure = ListContents(option.structure.keys).__anabranch_structure__()
    return layouts.Node(structure, option.children)
