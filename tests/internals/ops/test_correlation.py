from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops.correlation import correlate
from tests.internals.ops.op_cases import Case
from tests.internals.ops.structural_cases import DTYPES, INEXACT, check, check_in_loop, of, sample

MODES = ("valid", "same", "full")


def windows(a, v, mode):
    return of(correlate, a, v, mode=mode, expected=np.correlate(a, v.conj() if v.dtype.kind == "c" else v, mode))


def test_every_dtype(rng):
    exact, close = [], []
    for dtype in DTYPES:
        a, v = sample(rng, dtype, 9), sample(rng, dtype, 4)
        (close if dtype in INEXACT else exact).extend(windows(a, v, mode) for mode in MODES)
    check(exact)
    check(close, ulps=8, absolute=1e-5, zero_signs=False)


@pytest.mark.parametrize("sizes", [(1, 1), (32, 32), (33, 33), (100, 64), (90, 70), (300, 131), (300, 300)])
def test_sizes(rng, sizes):
    a, v = map(rng.normal, (0, 0), (1, 1), sizes)
    check([windows(a, v, mode) for mode in MODES], absolute=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_not_finite_meets_nothing_beyond_the_ends(rng, dtype):
    checks = []
    for at in (0, 3, 34, 39):
        a, v = (rng.normal(size=n).astype(dtype) for n in (45, 40))
        v[at] = np.inf
        checks += [windows(a, v, mode) for mode in MODES]
    check(checks, ulps=64, absolute=1e-4)


def test_in_a_loop(rng):
    check_in_loop([Case(correlate, (rng.normal(size=50), rng.normal(size=40)), {"mode": "same"})], absolute=1e-12)


@pytest.mark.parametrize("shapes", [((3,), (4,)), ((3, 3), (3,)), ((3,), (0,))])
def test_misuse_is_refused(shapes):
    with pytest.raises(TypeError, match="correlate"):
        correlate.type(*(ArrayType(shape, np.dtype(float)) for shape in shapes), mode="full")
