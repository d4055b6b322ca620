"""Making arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tests.numpy.samples import EMPTY, FLOATS, VECTOR
from tests.numpy.support import Static, Table

case = Table()

for f in (np.zeros, np.ones):
    case(f, Static(3))
    case(f, Static((2, 3)), dtype="i4")
    case(f, Static(-1))

case(np.empty_like, EMPTY)
case(np.empty_like, EMPTY, shape=Static((0, 2)), dtype="i4")
for X in (FLOATS, 3, [1, 2.5]):
    case(np.asanyarray, X)
case(np.asarray_chkfinite, Static([1.0, 2.0]))
case.refuses("isfinite", np.asarray_chkfinite, FLOATS)
case(np.astype, FLOATS, Static(np.int32))
case(np.resize, FLOATS, Static((2, 3)))
case(np.resize, VECTOR, Static((3, 3)))
case(np.resize, EMPTY, Static((2,)))
for f in (np.bartlett, np.blackman, np.hamming):
    case(f, Static(5))
case(np.kaiser, Static(5), Static(2.0))


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
