"""Lists of numbers that a loop carries as one array.

A name that each step of a loop binds to a new list of as many numbers is carried by those; where they are many, and of
one kind, they lie side by side. What the body sees is a list of the array's parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.interval import FULL
from anabranch.runtime.values import containers
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.dynamic_lists import item_forms
from anabranch.runtime.values.list_buffer import ListBuffer
from anabranch.runtime.values.pytrees import layout as layouts, layout_join
from anabranch.runtime.values.union import UnionValue

MOST_SEPARATE = 8  # lists of so many numbers are carried by their items


@frozen
class PackedListStructure(containers.Structure):
    """The structure of a list whose numbers, all of one kind (`extra`), are carried side by side."""

    flat = True

    @property
    def _form(self) -> item_forms.SequenceForm:
        return item_forms.SequenceForm(self._plain, item_forms.Number(self.extra, FULL), len(self.keys))

    @property
    def _plain(self) -> containers.Structure:
        return containers.Structure(self.cls, self.keys)

    def children(self, value: Value) -> list[Value]:
        numbers = [v.resolve() if isinstance(v, UnionValue) else v for v in value]
        return [ListBuffer(leaf) for leaf in self._form.leaves(numbers)]

    def build(self, children: Sequence[Value]) -> Value:
        return self._form.at(iter([c.atom for c in children]))

    def join(self, mine: layouts.Node, other: layouts.Node) -> layouts.Layout | None:
        if other.structure != self._plain:
            return None
        item: layouts.Layout = layouts.Leaf(self.extra)
        joined = layouts.Node(self._plain, tuple([layouts.widened(layout_join.join(item, c)) for c in other.children]))
        return packed(joined)


def packed(layout: layouts.Layout) -> layouts.Layout:
    """The layout of a list of many numbers of one kind with these side by side; any other as it is."""
    if not isinstance(layout, layouts.Node) or type(layout.structure) is not containers.Structure:
        return layout
    structure, children = layout.structure, layout.children
    if structure.cls is not list or len(children) <= MOST_SEPARATE or not isinstance(children[0], layouts.Leaf):
        return layout
    kind = children[0].abstract
    if kind.shape or kind.kind is Kind.ARRAY:
        return layout
    if not all(isinstance(c, layouts.Leaf) and c.abstract == kind for c in children):
        return layout
    whole = Abstract((len(children),), kind.dtype, Kind.BUFFER)
    return layouts.Node(PackedListStructure(list, structure.keys, kind), (layouts.Leaf(whole),))
