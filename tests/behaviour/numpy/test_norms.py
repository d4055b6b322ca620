"""Norms."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import COMPLEX, CUBE, EMPTY, FLOATS, INTS, SINGLE, VECTOR

case = Table()

for o in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf, 0, 3):
    for X in (FLOATS, VECTOR, INTS, COMPLEX, SINGLE):
        case(np.linalg.norm, X, Static(o))
        case(np.linalg.norm, X, Static(o), axis=0)
        case(np.linalg.norm, X, Static(o), axis=-1, keepdims=True)
    case(np.linalg.norm, np.ones((2, 3, 4)), Static(o), axis=(1, 2))
    case(np.linalg.norm, np.ones((2, 3, 4)), Static(o))
    case(np.linalg.norm, CUBE, Static(o), axis=(2, 0), keepdims=True)
    case(np.linalg.norm, EMPTY, Static(o), axis=(0, 1))
for X in (EMPTY, EMPTY[0:0], FLOATS[:0], FLOATS):
    case(np.linalg.vector_norm, X, axis=())
case(np.linalg.vector_norm, FLOATS)
case(np.linalg.vector_norm, FLOATS, axis=0, keepdims=True, ord=1)
case(np.linalg.matrix_norm, FLOATS)
case(np.linalg.vector_norm, FLOATS, keepdims=True)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
