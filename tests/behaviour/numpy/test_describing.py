"""Functions that describe arrays and dtypes: their answers are known without running anything."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import COMPLEX, CUBE, FLOATS, INTS, SINGLE

case = Table()

case(np.shape, FLOATS)
case(np.result_type, FLOATS, INTS)
case(np.result_type, SINGLE, 2.5)
case(np.can_cast, FLOATS, Static("f4"))
case(np.common_type, FLOATS, SINGLE)
case(np.iterable, FLOATS)
case(np.isscalar, 2.5)
case(np.isscalar, FLOATS)
case(np.min_scalar_type, FLOATS)
case(np.size, FLOATS, Static(1))

case(np.isrealobj, COMPLEX)
case(np.isrealobj, FLOATS)
case(np.isfortran, FLOATS)
case(np.shares_memory, FLOATS, FLOATS.copy())
case(np.tril_indices_from, FLOATS)
case(np.triu_indices_from, FLOATS, k=1)
case(np.diag_indices_from, CUBE)
case(np.diag_indices_from, FLOATS[:, :3])
case(np.einsum_path, "ij,jk", FLOATS, FLOATS.T)
case(np.real_if_close, FLOATS)
case.refuses("run time", np.real_if_close, COMPLEX)
for X in (FLOATS, SINGLE, INTS, FLOATS * 50, np.array([29.9, 30.0, 30.1, -700.0, 0, np.nan, np.inf]), 2.5):
    case(np.i0, X)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
