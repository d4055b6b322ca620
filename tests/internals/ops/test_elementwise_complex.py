"""Complex functions on a grid of special, huge and tiny parts, in both widths: infinities, NaN and signs of zeros."""

from __future__ import annotations

import numpy as np
import pytest

from anabranch.runtime.ir.op import Op
from anabranch.runtime.ops.elementwise.ufunc import Ufunc
from anabranch.runtime.ops.table import OPS
from tests.internals.ops.op_cases import Case, NDArray, differs, report, run

DTYPES = [np.dtype(np.complex128), np.dtype(np.complex64)]
PARTS = (0.0, 1, 0.5, 1.5, 2, 20.5, 30, 100, 800, 1e-6, np.inf)
# Their quotients and products are no subnormal numbers, which XLA has none of.
FACTORS = (0.0, 1, 0.5, 30, 800, np.inf)
BASES = (0.0, 1, 0.5, 2, 3, np.inf)
# Errors in y log x count as often as it is large.
POWER_ULPS = 300


def grid(dtype: np.dtype, parts: tuple[float, ...], *others: float) -> NDArray:
    """All pairs of these parts of either sign, NaN and some more."""
    line = np.array([*parts, *(-part for part in parts), *others, np.nan])
    real, imag = (x.ravel() for x in np.meshgrid(line, line))
    made = np.empty(real.size, dtype)
    made.real, made.imag = real, imag
    return made


def special(dtype: np.dtype) -> NDArray:
    info = np.finfo(dtype)
    huge, tiny, limit = 1e300 if dtype.itemsize == 16 else 1e30, float(info.tiny) * 4, float(info.max)
    return grid(dtype, PARTS, huge, -huge, tiny, -tiny, limit, np.pi / 2)


def pairs(a: NDArray, b: NDArray) -> tuple[NDArray, NDArray]:
    first, second = np.meshgrid(a, b)
    return first.ravel(), second.ravel()


def of_complex(op: Op, count: int) -> bool:
    """Return whether an op is a ufunc of `count` operands with a loop for complex numbers."""
    return isinstance(op, Ufunc) and op.ufunc.nin == count and "D" * count in {t.split("->")[0] for t in op.ufunc.types}


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if of_complex(op, 1)])
def test_special_parts(name):
    for outcome in run([Case(OPS[name], (special(dtype),)) for dtype in DTYPES]):
        ((got,), (wanted,)) = outcome.got, outcome.wanted
        absolute = 3 * np.finfo(got.real.dtype).eps if name == "log1p" else 0  # NumPy rounds the sum first
        # Each part to within its own last places, which a tolerance for the whole number would not see.
        parts = [(got, wanted)] if wanted.dtype.kind != "c" else [(got.real, wanted.real), (got.imag, wanted.imag)]
        wrong = np.logical_or.reduce([differs(g, w, ulps=16, absolute=absolute) for g, w in parts])
        assert not wrong.any(), report(outcome, wrong, 0)


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if of_complex(op, 2)])
def test_pairs_of_special_parts(name):
    power = "power" in name
    loops = DTYPES[:1] if name == "float_power" else DTYPES
    cases = []
    for dtype in loops:
        huge = () if power else (1e300 if dtype.itemsize == 16 else 1e30,)
        values = grid(dtype, BASES if power else FACTORS, *huge)
        cases.append(Case(OPS[name], pairs(values, values)))
    for outcome in run(cases):
        wrong = differs(outcome.got[0], outcome.wanted[0], ulps=POWER_ULPS if power else 4)
        assert not wrong.any(), report(outcome, wrong, 0)
