"""Lists of numbers as arguments, of any length: the numbers side by side, with room for more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.base.value import Value
from anabranch.runtime.values import wrap
from anabranch.runtime.values.abstract import PYTHON_DTYPES, python_abstract
from anabranch.runtime.values.containers import Structure
from anabranch.runtime.values.dynamic_lists.items import Items
from anabranch.runtime.values.dynamic_lists.items_structure import ItemsStructure
from anabranch.runtime.values.list_buffer import ListBuffer, room_for
from anabranch.runtime.values.pytrees import layout as layouts


@frozen
class NumberListStructure(Structure):
    """That of a list of Python's ints, floats or bools: an array with as much room as lists of about its length get."""

    mutable = True

    def parts(self, value: list[Any]) -> tuple[np.ndarray, int] | None:
        """The numbers and their count; None for a list of others."""
        if set(map(type, value)) != {self.extra}:
            return None
        count = len(value)
        line = np.zeros(room_for(count), PYTHON_DTYPES[self.extra])
        try:
            line[:count] = value
        except OverflowError:
            return None
        line.flags.writeable = False
        return line, count

    def children(self, value: Value) -> list[Value]:
        found = self.parts(value)
        assert found is not None
        return list(found)

    def empty(self) -> Value:
        return []

    def fill(self, made: Value, children: Sequence[Value]) -> None:
        line, count = children
        kind = layouts.Leaf(python_abstract(self.extra))
        structure = ItemsStructure(Items, (), None, (kind,), line.shape[0])
        made.become(Items(structure, (count, ListBuffer(wrap.as_atom(line)))))


STRUCTURES = {kind: NumberListStructure(list, ("items", "length"), kind) for kind in (int, float, bool)}


def are_among(arguments: Iterable[layouts.Layout]) -> bool:
    """Return whether some of these are lists of numbers of any length, so that lists may grow from the start."""
    return any(isinstance(a, layouts.Node) and isinstance(a.structure, NumberListStructure) for a in arguments)
