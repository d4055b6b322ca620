"""Parts of static arrays whose bounds no argument decides: a number that is drawn, or that a draw chooses."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch import jit
from anabranch.runtime.testing.compare_outcomes import Tolerance
from tests.equivalence import Outcome, alike

TABLE = np.arange(12.0).reshape(6, 2)


def drawn(a, rng):
    k = int(rng.integers(0, 5))
    return a[:k] + 1, a[k:, 1] * 2, a[1:-1][:k].sum()


def chosen(a, rng):
    k = 5 if rng.normal() > 0.3 else 2
    return a[:k] + 1, -a[0, :k]


@pytest.mark.parametrize("function", [drawn, chosen])
@pytest.mark.parametrize("native", [True, False])
def test_as_eager(function, native):
    f = jit(function, static_argnames="a", native_loops=native)
    for seed in (1, 2, 3):
        want = Outcome(function, (TABLE, np.random.default_rng(seed)), {})
        alike(want, Outcome(f, (TABLE, np.random.default_rng(seed)), {}), Tolerance(0))
