"""Window analysis: at which positions of a strip an element can differ from a reduction's neutral value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from anabranch.runtime.ir.program import Atom, Literal
from anabranch.runtime.ops.elementwise.arithmetic import (
    absolute,
    add,
    fabs,
    multiply,
    negative,
    positive,
    square,
    subtract,
)
from anabranch.runtime.ops.elementwise.bits import bitwise_and
from anabranch.runtime.ops.elementwise.casts import convert_op, select
from anabranch.runtime.ops.elementwise.comparison import logical_and
from anabranch.runtime.ops.vector_lanes import excludes_nothing, window
from anabranch.runtime.ops.windowed_reduce import identity
from anabranch.runtime.passes.def_use import DefUse

# Positions at which a window begins (True) or before which it ends (False), by that and the number of their value.
Bounds: TypeAlias = dict[tuple[bool, int], Atom]

_NONE: Bounds = {}
# The number of operations through which a window is followed.
_DEEPEST = 64
_PRODUCTS = (multiply, add, subtract)
_KEEPS_ZERO = (square, negative, positive, absolute, fabs)


class Windows:
    """The bounds of the values along one strip of positions in a Program."""

    def __init__(self, defs: DefUse, combine: str) -> None:
        self.defs, self.combine = defs, combine
        self._depth = 0

    def of(self, element: Atom) -> Bounds:
        """Return the bounds outside of which an element is the reduction's neutral value."""
        return self._once(self._of, self.combine, element)

    def where(self, mask: Atom) -> Bounds:
        """Return the bounds outside of which a bool is false."""
        return self._once(self._where, "", mask)

    def _once(self, look: Callable[[Atom], Bounds], what: str, atom: Atom) -> Bounds:
        """Return the bounds of a value, found once in a Program, however many values are computed from it."""
        known: dict[tuple[str, Atom], Bounds] = self.defs.bounds
        if (what, atom) in known:
            return known[what, atom]
        if self._depth == _DEEPEST:
            return _NONE
        self._depth += 1
        try:
            found = known[what, atom] = look(atom)
        finally:
            self._depth -= 1
        return found

    def _of(self, element: Atom) -> Bounds:
        if self.combine == "bitwise_or":
            return self.where(element)
        maker = self.defs.maker(element)
        if maker is None:
            return _NONE
        op, inputs = maker.op, maker.inputs
        if op is select and self._is_identity(inputs[2]):
            return self.where(inputs[0]) | self.of(inputs[1])
        if self.combine != "add":
            return _NONE
        if op in _PRODUCTS:
            first, second = map(self.of, inputs)
            # Outside of one factor's window alone the other may be infinite.
            return {key: bound for key, bound in first.items() if key in second}
        if op is convert_op:
            return self.where(inputs[0]) if inputs[0].type.dtype == np.bool_ else self.of(inputs[0])
        return self.of(inputs[0]) if op in _KEEPS_ZERO else _NONE

    def _where(self, mask: Atom) -> Bounds:
        maker = self.defs.maker(mask)
        if maker is None:
            return _NONE
        if maker.op in (logical_and, bitwise_and):
            first, second = map(self.where, maker.inputs)
            return first | second
        if maker.op is not window or len(mask.type.shape) != 1:
            return _NONE
        return {
            (is_low, self.defs.key(bound)): bound
            for bound, is_low in zip(maker.inputs, (True, False), strict=False)
            if not excludes_nothing(bound, is_low, mask.type.size)
        }

    def _is_identity(self, atom: Atom) -> bool:
        value = self.defs.uniform(atom)
        dtype = atom.type.dtype
        return isinstance(value, Literal) and bool(value.value == np.asarray(identity(self.combine, dtype), dtype))
