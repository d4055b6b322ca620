"""The traced value of memory that lists keep their elements in."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.values.abstract import Abstract, Kind
from anabranch.runtime.values.tracer import Tracer


class ListBuffer(Tracer):
    """Memory that no name of the program stands for."""

    __slots__ = ("atom",)

    def __init__(self, atom: Atom) -> None:
        self.atom = atom

    @property
    def abstract(self) -> Abstract:
        return Abstract(self.atom.type.shape, self.atom.type.dtype, Kind.BUFFER)

    def _binary(self, ufunc: np.ufunc, left: Value, right: Value) -> Value:
        return NotImplemented

    def _unary(self, ufunc: np.ufunc) -> Value:
        return NotImplemented


def room_for(count: int) -> int:
    """How many elements the memory of a sequence of so many has, as that of all of about this length."""
    return max(_LEAST_ROOM, 1 << (count - 1).bit_length())


_LEAST_ROOM = 16
