"""Numbers of many objects that a branch or a loop changes, side by side: one value for each field, not for each object.

Any numbers of one type may lie so. Here they are those at one place in objects of one class, which are parts of one
array where a write by a number known only at run time has changed them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ir.program import Atom, Literal, Var
from anabranch.runtime.tracing.storage import Part
from anabranch.runtime.values import atoms
from anabranch.runtime.values.heap.slots import Slot
from anabranch.runtime.values.memory.item_memory import side_by_side
from anabranch.runtime.values.pytrees import layout as layouts

L = TypeVar("L")

# So many numbers at one place in objects of one class are carried one by one.
_MOST_SEPARATE = 8


@frozen
class FieldGroups:
    """Which of some leaves lie side by side."""

    types: tuple[ArrayType, ...]  # of the leaves
    # The leaves of each group, in order; one that is carried by itself is a group of its own.
    rows: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(before: Sequence[layouts.Layout], slots: Sequence[Slot], contents: Sequence[layouts.Layout]) -> FieldGroups:
        """The groups of the leaves of some layouts, and then of what objects hold."""
        types = [t for layout in before for t in layouts.leaf_types(layout)]
        found: dict[int | tuple[type, int, ArrayType], list[int]] = {k: [k] for k in range(len(types))}
        for slot, layout in zip(slots, contents, strict=True):
            for place, t in enumerate(layouts.leaf_types(layout)):
                alone = t.shape or not isinstance(slot.before, dict)
                key = len(types) if alone else (type(slot.target), place, t)
                found.setdefault(key, []).append(len(types))
                types.append(t)
        rows = [r for row in found.values() for r in ([row] if len(row) > _MOST_SEPARATE else [[k] for k in row])]
        return FieldGroups(tuple(types), tuple(map(tuple, sorted(rows))))

    def without(self, leaves: Collection[int]) -> FieldGroups:
        """The groups but for these leaves, each of which is carried by itself."""
        return FieldGroups(self.types, tuple([row for row in self.rows if row[0] not in leaves]))

    @property
    def whole_types(self) -> list[ArrayType]:
        """The types of what the groups are carried as."""
        return [self._whole_type(row) for row in self.rows]

    def _whole_type(self, row: tuple[int, ...]) -> ArrayType:
        own = self.types[row[0]]
        return own if len(row) == 1 else ArrayType((len(row), *own.shape), own.dtype)

    def joined(self, leaves: Sequence[Atom]) -> list[Atom]:
        """Return the atoms that the groups are carried as, of the leaves; in the current builder."""
        return [
            leaves[row[0]] if len(row) == 1 else side_by_side([leaves[k] for k in row], self.types[row[0]])
            for row in self.rows
        ]

    def spread(self, wholes: Sequence[Atom]) -> list[Value]:
        """The leaves, of what the groups are carried as; None for those that are in no group."""
        leaves: list[Any] = [None] * len(self.types)
        for row, whole in zip(self.rows, wholes, strict=True):
            if len(row) == 1:
                leaves[row[0]] = whole
                continue
            for place, k in enumerate(row):
                leaves[k] = Part(self.types[k], whole, place) if isinstance(whole, Var) else _known(whole, place)
        return leaves

    def formals(self, formal: Callable[[ArrayType], Var]) -> list[Var]:
        """The leaves of new inputs that are carried so."""
        return self.spread([formal(t) for t in self.whole_types])


def _known(whole: Literal, place: int) -> Atom:
    return atoms.literal(whole.value[place], whole.type.dtype)


def by_entry(leaves: Sequence[L], entries: Sequence[layouts.Layout]) -> list[list[L]]:
    """The leaves of each of some layouts."""
    left = iter(leaves)
    return [list(itertools.islice(left, len(layouts.leaf_types(layout)))) for layout in entries]
