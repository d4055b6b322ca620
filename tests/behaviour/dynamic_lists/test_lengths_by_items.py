"""Lists whose lengths hang on the items of the caller's lists: one compilation for all items."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from tests.equivalence import Outcome, alike


def common(a, b):
    out = []
    i = 0
    j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            out.append(a[i])
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return out


def positive(a, b):
    out = []
    i = 0
    while i < len(a):
        if a[i] > b[0]:
            out.append(a[i])
        i += 1
    return out, len(out)


def first_of(a, b):
    out = []
    if a[0] < b[0]:
        out.append(a[0])
    return out


@pytest.mark.parametrize("function", [common, positive, first_of])
def test_items_are_data(function):
    wrapped = jit(function)
    for a, b in (([1, 2, 5, 7], [2, 3, 5]), ([0, 3, 4, 9], [0, 9, 9]), ([5, 5, 5, 5], [1, 2, 3])):
        alike(Outcome(function, (a, b), {}), Outcome(wrapped, (a, b), {}))
    assert wrapped.cache_info().misses == 1


def test_many_items():
    rng = np.random.default_rng(3)
    a, b = (sorted(rng.integers(0, 900, 300).tolist()) for _ in range(2))
    wrapped = jit(common)
    assert wrapped(a, b) == common(a, b)
    assert "static" not in str(wrapped.explain(a, b)).partition("\n")[0]


def sizes(shape, x):
    return np.zeros(shape) + x, [0] * shape[0]


def test_sizes_are_known_all_the_same():
    alike(Outcome(sizes, ([2, 3], 1.5), {}), Outcome(jit(sizes), ([2, 3], 1.5), {}))
