"""Casts, choice and complex parts."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.array_type import ArrayType
from anabranch.runtime.ops import elementwise
from anabranch.runtime.ops.table import OPS
from tests.internals.ops.elementwise_values import pairs, values
from tests.internals.ops.op_cases import Case, differs, report, run

assert elementwise
DTYPES = [np.dtype(c) for c in "?bBhHiIlLefdFD"]
_TURNS = (0, 0.5, 1.5, 2.5, 127, 128, 255, 256, 129, 300.7, 32767, 32768, 65535, 65536, 70000.5, 65519.99, 65520)
_POWERS = (2.0**31 - 1, 2.0**31, 2.0**31 + 0.5, 2.0**32, 3e9, 1e10, 2.0**53 + 2, 2.0**62, 2.0**63, 2.0**64, 1e19, 2e19)
_FINE = (1 + 2**-11 + 2**-40, 6e-8, 3e-8, 2.98e-8, 1e-7, 1e300, np.inf, np.nan)


def source(dtype, rng):
    if dtype.kind not in "fc":
        return values(dtype, 300, rng)
    turns = np.array([*_TURNS, *_POWERS, *_FINE])
    with np.errstate(all="ignore"):
        return np.concatenate([turns, -turns, values(np.dtype(float), 200, rng)]).astype(dtype) * dtype.type(1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_convert(dtype, rng):
    x = source(dtype, rng)
    for outcome in run([Case(OPS["convert"], (x,), {"dtype": to}) for to in DTYPES]):
        got, wanted = outcome.got[0], outcome.wanted[0]
        wrong = differs(got, wanted)
        if got.dtype == np.uint32 and dtype.kind in "fc":
            # NumPy's vector loop and its scalar loop differ beyond the range; the op is the scalar one.
            wanted = np.array([x[i : i + 1].astype(np.uint32)[0] for i in range(x.size)])
            wrong = differs(got, wanted)
        assert not wrong.any(), report(outcome, wrong, 0)


def test_float64_to_float16_rounds_once(rng):
    x = np.concatenate(
        [
            (1 + rng.integers(0, 2**12, 4000) * 2.0**-12 + sign * 2.0**-45) * 2.0**e
            for sign in (-1, 0, 1)
            for e in (-20, 0, 9)
        ]
    )
    (outcome,) = run([Case(OPS["convert"], (x,), {"dtype": np.dtype(np.float16)})])
    np.testing.assert_array_equal(outcome.got[0], outcome.wanted[0])


def test_select_and_parts(rng):
    z = values(np.dtype(complex), 10, rng)
    x, y = pairs(np.array([0.0, -0.0, np.inf, np.nan, 1.0]), np.array([0.0, -0.0, -np.inf, np.nan, 2.0]))
    table = OPS
    outcomes = run(
        [
            Case(table["select"], (z.real > 0, z, -z)),
            Case(table["real"], (z,)),
            Case(table["imag"], (z.astype(np.complex64),)),
            Case(table["complex"], (x, y)),
        ]
    )
    for outcome in outcomes:
        wrong = differs(outcome.got[0], outcome.wanted[0])
        assert not wrong.any(), report(outcome, wrong, 0)


def test_types():
    f, c, b = (ArrayType((2,), np.dtype(d)) for d in (float, complex, bool))
    assert OPS["complex"].type(f, f) == (c,)
    assert OPS["imag"].type(c) == (f,)
    assert OPS["select"].type(b, f, f) == (f,)
    with pytest.raises(TypeError, match="not complex"):
        OPS["real"].type(f)
    with pytest.raises(TypeError, match="differ"):
        OPS["select"].type(b, f, c)
    with pytest.raises(TypeError, match="predicate"):
        OPS["select"].type(f, f, f)
