"""Polynomials as coefficients."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, COMPLEX, CUBE, INTS, SINGLE, VECTOR

case = Table()

for X in (VECTOR, INTS[0], SINGLE[0], 2.5, BYTES[0], COMPLEX[0]):
    for Y in (VECTOR[:2], INTS[0, :3], 3):
        for f in (np.polyadd, np.polysub, np.polymul):
            case(f, X, Y)
    for m in (0, 1, 2, 5, -1):
        case(np.polyder, X, Static(m))
        case(np.polyint, X, Static(m))
    for k in (Static([3, 4.0]), np.array([3]), np.array([3, 4, 5])):
        case(np.polyint, X, Static(2), k=k)
for X in (VECTOR, INTS[0], SINGLE[0], VECTOR.astype("f2"), 2.5, np.zeros(0), CUBE):
    case(np.poly, X)
case.refuses("complex", np.poly, COMPLEX[0])
case.refuses("begin with zero", np.polymul, np.array([0, 1]), VECTOR)
for X in (VECTOR, INTS[0], COMPLEX[0], np.array([1.0, 3, 2]), np.array([2, 4, 8, 1])):
    for Y in (VECTOR[:2], np.array([1, 2]), np.array([2.0]), np.array([1.0, 2, 3, 4, 5, 6, 7])):
        case(np.polydiv, X, Y)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
