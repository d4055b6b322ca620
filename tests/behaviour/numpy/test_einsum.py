"""Einstein summation."""

from __future__ import annotations

import numpy as np
import pytest

from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import FLOATS, INTS, TALL, TRUTHS, VECTOR

case = Table()

for s in ("ij,jk->ik", "ij,jk", "ij", "ij->ji", "ij->", "ij->j", "...j,jk->...k", "ij,jk->ik"):
    a = [FLOATS] if "," not in s else [FLOATS, TALL]
    case(np.einsum, s, *a)
case(np.einsum, "ii", TALL[:3])
case(np.einsum, "ii->i", TALL[:3])
case(np.einsum, "ij,kj->ijk", FLOATS, FLOATS)
case(np.einsum, "ij,jk,kl->il", FLOATS, TALL, FLOATS)
case(np.einsum, "ij,jk,kl->il", FLOATS, TALL, FLOATS, optimize=True)
case(np.einsum, "i,i", VECTOR, VECTOR)
case(np.einsum, "i,j", VECTOR, VECTOR)
case(np.einsum, "ij,ij->", FLOATS, INTS)
case(np.einsum, "ij,j", FLOATS, VECTOR)
case(np.einsum, "ij,jk", FLOATS, FLOATS)
case(np.einsum, "ij,ab", FLOATS, TALL)
case(np.einsum, FLOATS, Static([0, 1]), TALL, Static([1, 2]), Static([0, 2]))
case(np.einsum, "aij,aj->ai", np.ones((2, 3, 4)), np.ones((1, 4)))
case(np.einsum, "iij->j", np.arange(27).reshape(3, 3, 3))
case(np.einsum, "iii", np.arange(27).reshape(3, 3, 3))
case(np.einsum, "...", FLOATS)
case(np.einsum, "i...->...", FLOATS)
case(np.einsum, "ij,jk->ik", TRUTHS, TRUTHS.T.copy())
case(np.einsum, "ijk,k", np.ones((2, 3, 4)), VECTOR)


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)
