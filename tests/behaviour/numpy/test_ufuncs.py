"""The keywords of ufuncs."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ops.table import OPS
from anabranch.runtime.values import registry
from tests.behaviour.numpy.cases import Static, Table
from tests.behaviour.numpy.samples import BYTES, COMPLEX, FLOATS, INTS, NANS, SCALAR, SINGLE, TRUTHS, VECTOR
from tests.equivalence import check

case = Table()

case(np.add, FLOATS, 1, out=None)
case(np.add, FLOATS, INTS, dtype="f4")
case(np.add, INTS, INTS, dtype="f8")
case(np.add, FLOATS, INTS, dtype="i4")
case(np.add, FLOATS, INTS, dtype="i4", casting="unsafe")
case(np.add, INTS, FLOATS, casting="no")
case(np.sqrt, INTS, dtype="f4")
case(np.power, INTS, INTS)
case(np.power, INTS, 2)
case(np.power, 2, INTS)
case(np.power, INTS, -1)
case(np.power, INTS, Static(-1))
case(np.less, BYTES, 300)
case(np.less, BYTES, Static(300))
case(np.add, BYTES, 300)
case(np.add, BYTES, Static(300))
case(np.add, BYTES, 3)
case(np.less, BYTES.astype("u8"), -1)
case(np.less, BYTES.astype("u8"), Static(-1))
case(np.equal, np.array([300, 2]), 300)

# Every elementwise ufunc of NumPy.
UFUNCS = [f for f in registry.FUNCTIONS if isinstance(f, np.ufunc) and f.__name__ in OPS]
for f in UFUNCS:
    for X in (FLOATS, INTS, BYTES, TRUTHS, COMPLEX, SINGLE, NANS, SCALAR, 3, 2.5):
        if f.nin == 1:
            case(f, X)
        else:
            case(f, X, 2)
            case(f, X, X)
            case(f, 1.5, X)
case(np.add, FLOATS, np.ones(3))
case(np.add, Static([1, 2, 3, 4]), VECTOR)
case(np.sqrt, FLOATS, where=INTS)
case.refuses("extobj", np.add, FLOATS, 1, extobj=[1])


@pytest.mark.parametrize("name", case.names())
def test_as_numpy(name: str) -> None:
    case.check(name)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64])
def test_powers_of_ints_by_known_exponents(dtype):
    x = np.array([0, 1, 2, 3, 100, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)

    def powers(x):
        by_array = x ** np.array([[4]], dtype)
        return [x**n for n in range(9)], x**31, x**32, x**33, np.power(x, 5), by_array, np.power(x > 1, 2), (x > 1) ** 2

    check(powers, x)
