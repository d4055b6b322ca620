"""Window analysis: at which positions of a strip an element can differ from a reduction's neutral value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.ir.op import Op
from anabranch.runtime.ir.program import Atom, Equation, Literal
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
from anabranch.runtime.ops.elementwise.comparison import greater, greater_equal, less, less_equal, logical_and
from anabranch.runtime.ops.shape import broadcast_in_dim, iota
from anabranch.runtime.ops.windowed_reduce import identity
from anabranch.runtime.passes.def_use import DefUse


@frozen(eq=False)
class WindowBound:
    """A position, `offset` from a scalar, at which a window begins (`is_low`) or before which it ends."""

    is_low: bool
    value: Atom
    offset: int


Bounds: TypeAlias = dict[Hashable, WindowBound]

_NONE: Bounds = {}
# Comparisons of a position with a scalar: the bound that each is, and its offset; then with the sides changed.
_COMPARED: Mapping[Op, tuple[bool, int]] = {
    greater_equal: (True, 0),
    greater: (True, 1),
    less: (False, 0),
    less_equal: (False, 1),
}
_MIRRORED: Mapping[Op, Op] = {greater_equal: less_equal, greater: less, less: greater, less_equal: greater_equal}
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
        found = self.compared(maker)
        return _NONE if found is None else dict([found])

    def compared(self, maker: Equation) -> tuple[Hashable, WindowBound] | None:
        """Return the bound that a comparison of positions with a scalar is."""
        op = maker.op
        if op not in _COMPARED:
            return None
        position, scalar = maker.inputs
        if not self.is_position(position):
            position, scalar, op = scalar, position, _MIRRORED[op]
        value = self.uniform(scalar)
        if value is None or not self.is_position(position) or value.type.dtype.kind != "i":
            return None
        is_low, offset = _COMPARED[op]
        return (is_low, self.defs.key(value), offset), WindowBound(is_low, value, offset)

    def is_position(self, atom: Atom) -> bool:
        """Return whether each element is its own index, as int64."""
        maker = self.defs.maker(atom)
        if maker is None or maker.op is not iota or len(atom.type.shape) != 1:
            return False
        return bool(atom.type.dtype == np.int64)

    def uniform(self, atom: Atom) -> Atom | None:
        """Return the scalar that all elements are equal to; None where there is none."""
        if isinstance(atom, Literal):
            value = atom.value
            alike = value.size and not any(n > 1 and s for n, s in zip(value.shape, value.strides, strict=True))
            return Literal(value[(0,) * value.ndim].copy()) if alike else None
        maker = self.defs.maker(atom)
        if maker is None or maker.op is not broadcast_in_dim or maker.inputs[0].type.shape != ():
            return None
        return maker.inputs[0]

    def _is_identity(self, atom: Atom) -> bool:
        value = self.uniform(atom)
        dtype = atom.type.dtype
        return isinstance(value, Literal) and bool(value.value == np.asarray(identity(self.combine, dtype), dtype))
