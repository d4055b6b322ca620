"""Sorting and searching."""

from __future__ import annotations

import numpy as np
import pytest

from tests.numpy.samples import FLOATS, INTS, VECTOR
from tests.numpy.support import Static, Table

case = Table()

for ax in (0, 1, None, 2):
    case(np.sort, FLOATS, axis=ax)
    case(np.argsort, INTS, axis=ax, kind="stable")
    case(np.sort, FLOATS, axis=ax, kind="bad")
case(np.lexsort, [VECTOR, np.array([1, 1, 0, 0])])
case(np.lexsort, (VECTOR, np.array([1, 1, 0, 0])))
case(np.searchsorted, np.sort(VECTOR), FLOATS)
case(np.searchsorted, np.sort(VECTOR), FLOATS, side="right")
case(np.searchsorted, np.array([1, 2, 2, 3, 5]), np.array([0, 1, 2, 3, 4, 5, 6]))
case(np.searchsorted, np.array([1, 2, 2, 3, 5]), np.array([0, 1, 2, 3, 4, 5, 6]), side="right")
case(np.searchsorted, np.sort(VECTOR), 0.1)
case(np.searchsorted, np.array([]), FLOATS)
case(np.searchsorted, np.array([1, 2, np.nan]), np.array([np.nan, 1]))
case(np.digitize, FLOATS, Static([-1.0, 0, 1]))
case(np.digitize, FLOATS, Static([1.0, 0, -1]))
case(np.digitize, FLOATS, Static([1.0, 0, -1]), right=True)
case(np.digitize, np.array([1.0, 0, -1, 2, -2, 0.5]), Static([1.0, 0, -1]))
case(np.digitize, np.array([1.0, 0, -1, 2, -2, 0.5]), Static([1.0, 0, -1]), right=True)
case(np.digitize, np.array([1.0, 0, -1, 2, -2, 0.5]), Static([-1, 0.0, 1]), right=True)

ORDERED = np.arange(6.0).reshape(2, 3)
for f in (np.partition, np.argpartition):
    case(f, ORDERED, Static(1))
    case(f, ORDERED, Static(1), axis=0)
    case(f, ORDERED, Static(7))


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
