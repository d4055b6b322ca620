"""Functions that write into an array."""

from __future__ import annotations

import numpy as np
import pytest

from tests.numpy.samples import FLOATS, INTS, TALL, TRUTHS, VECTOR
from tests.numpy.support import Table

case = Table()

case(np.copyto, FLOATS.copy(), VECTOR)
case(np.copyto, FLOATS.copy(), VECTOR, where=TRUTHS)
case(np.copyto, INTS.copy(), VECTOR)
case(np.putmask, FLOATS.copy(), TRUTHS, VECTOR)
case(np.place, FLOATS.copy(), TRUTHS, VECTOR)
case(np.put, FLOATS.copy(), np.array([1, 5, -1]), VECTOR[:2])
case(np.put, FLOATS.copy(), np.array([1, 50]), VECTOR)
case(np.fill_diagonal, FLOATS.copy(), 5)
case(np.fill_diagonal, TALL.copy(), VECTOR)
case(np.fill_diagonal, np.zeros((9, 3)), VECTOR, wrap=True)
case(np.fill_diagonal, np.zeros((3, 3, 3)), VECTOR)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
