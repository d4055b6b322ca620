"""The statements of docs/testing.md on other compilers and on reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from anabranch.testing import arrays, check_equivalent, equivalent, integers

PAGE = (Path(__file__).parents[3] / "docs" / "testing.md").read_text()
FEW = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
DRAWN = {"x": arrays(np.float32, 3, elements=integers(0, 9).map(np.float32)), "n": integers(-3, 9)}


def comes_before(a, c):
    before = False
    for v in a:
        if v > 1:
            before = (v, 1) < (c, 2)
    return before


def element(x, n):
    return x[n]


def test_the_report():
    assert str(check_equivalent(comes_before, np.arange(4.0), 9)) in PAGE


def test_an_index_out_of_range():
    equivalent(settings=FEW, **DRAWN)(element)()


def test_an_index_out_of_range_by_jax():
    jax = pytest.importorskip("jax")

    def by_jax(function):
        compiled = jax.jit(function)
        return lambda *args, **kwargs: np.asarray(compiled(*args, **kwargs))[()]

    with pytest.raises(AssertionError) as caught:
        equivalent(settings=FEW, compiler=by_jax, **DRAWN)(element)()
    assert "plain:    raises IndexError: index 3 is out of bounds for axis 0 with size 3" in str(caught.value)
    assert "compiled: returns np.float32(0.0)\n  made by: by_jax" in str(caught.value)
