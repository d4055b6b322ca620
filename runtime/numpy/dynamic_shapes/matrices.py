"""Arrays of run-time size compared as a whole, and what is computed of their rows and diagonals."""

from __future__ import annotations

import numpy as np

from anabranch.base.value import Value
from anabranch.runtime.ir.program import Atom
from anabranch.runtime.numpy.core import fresh
from anabranch.runtime.numpy.dynamic_shapes import operands
from anabranch.runtime.numpy.rules import Rules
from anabranch.runtime.values import atoms
from anabranch.runtime.values.dynamic_shapes import broadcasting
from anabranch.runtime.values.registry import FUNCTIONS

rules = Rules()


@rules.dynamic_shape(np.array_equal)
def array_equal(a1: object, a2: object, equal_nan: object = False) -> Value:
    """As `numpy.array_equal`: arrays of different sizes are not."""
    x, y = operands.array(a1), operands.array(a2)
    if x.ndim != y.ndim:
        return False
    alike: Atom = atoms.literal(True)
    for n, m in zip(x.shape, y.shape, strict=True):
        alike = atoms.logical_and(alike, atoms.logical_not(broadcasting.differ(n, m)))
    x, y = operands.left_packed(x), operands.left_packed(y)
    capacities = tuple(map(min, zip(operands.capacity(x), operands.capacity(y), strict=True)))
    key = tuple(slice(0, n) for n in capacities)
    there = FUNCTIONS[np.logical_and](*(fresh(operands.valid(v))[key] for v in (x, y)))
    a, b = (operands.memory(v)[key] for v in (x, y))
    same = FUNCTIONS[np.equal](a, b)
    if equal_nan and all(v.dtype.kind in "fcV" for v in (a, b)):
        same = FUNCTIONS[np.logical_or](same, FUNCTIONS[np.logical_and](FUNCTIONS[np.isnan](a), FUNCTIONS[np.isnan](b)))
    every = FUNCTIONS[np.all](FUNCTIONS[np.logical_or](same, FUNCTIONS[np.logical_not](there)))
    return FUNCTIONS[np.logical_and](fresh(alike)[()], every).item()
