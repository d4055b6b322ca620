"""Functions of C in programs for Numba: `get_cython_function_address` and `WrapperAddressProtocol`."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.compat import numba
from anabranch.compat.numba import float64, int64, types

special = pytest.importorskip("scipy.special")


def of_scipy(name, signature):
    address = numba.extending.get_cython_function_address("scipy.special.cython_special", name)
    body = {"__wrapper_address__": lambda self: address, "signature": lambda self: signature}
    return type(name, (types.WrapperAddressProtocol,), body)()


gammainc = of_scipy("gammainc", float64(float64, float64))


@pytest.mark.parametrize("native", [True, False])
def test_values(native):
    def table(xs, a):
        made = np.zeros(len(xs))
        for i, x in enumerate(xs):
            made[i] = gammainc(a, x) * 2
        return made

    xs = np.linspace(0.0, 3.0, 5)
    from anabranch import configure

    with configure(native_loops=native):
        compiled = numba.njit(table)
        for _ in range(3):
            np.testing.assert_array_equal(compiled(xs, 1.5), special.gammainc(1.5, xs) * 2)
            np.testing.assert_array_equal(compiled(xs, 2), special.gammainc(2.0, xs) * 2)
    assert gammainc(np.float32(1.5), 1) == special.gammainc(1.5, 1.0)


def test_what_is_refused():
    with pytest.raises(ValueError, match="No function 'nothing'"):
        of_scipy("nothing", float64(float64))
    with pytest.raises(TypeError, match="takes 2 arguments, and was given 1"):
        gammainc(1.0)
    with pytest.raises(TypeError, match="real numbers"):
        of_scipy("gammainc", float64(int64[:]))(np.ones(3))
