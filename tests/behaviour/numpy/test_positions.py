"""Arrays of positions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, COMPLEX, FLOATS, INTS, SINGLE, TRUTHS

case = Table()

case(np.ix_, INTS[0], INTS[:, 0])
case(np.ix_, INTS)
case(np.ix_, [1, 2], np.zeros(0))
case(np.ix_, Static([]), INTS[0])
case(np.ix_, TRUTHS[0])
case(np.ix_, INTS[0], TRUTHS[0])
case(np.mask_indices, Static(3), Static(np.triu))
case(np.mask_indices, Static(3), Static(np.tril), k=-1)
for X in (INTS, BYTES, COMPLEX, SINGLE, TRUTHS, FLOATS.astype("f2")):
    case(np.sort_complex, X)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
