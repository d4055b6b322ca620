"""Views of arguments that are returned, call after call."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit

X = np.arange(900.0).reshape(30, 30)
FUNCTIONS = {
    "no axes": lambda x: x[1:2, 2:3].reshape(()),
    "row": lambda x: x[3],
    "new axes": lambda x: x[:, None, 3:4],
    "backwards": lambda x: x.T[::-2, 3],
    "reshaped": lambda x: x.reshape(3, -1),
    "diagonal": np.diag,
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("x", [X, X.T], ids=["c", "f"])
def test_same_as_eager(function, x):
    compiled, wanted = jit(function), function(x)
    for _ in range(4):
        got = compiled(x)
        assert type(got) is type(wanted)
        assert got.flags.writeable == wanted.flags.writeable
        assert np.may_share_memory(got, x) == np.may_share_memory(wanted, x)
        np.testing.assert_array_equal(got, wanted)
