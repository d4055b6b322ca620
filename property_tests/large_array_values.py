"""The numbers in the arrays of programs on large arrays, and how far results may be apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from anabranch.base.frozen import frozen
from anabranch.runtime.testing.compare_outcomes import Tolerance

_SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-5, -1e-5, 700.0, -700.0, 0.5)


def values(seed: int, shape: tuple[int, ...], dtype: str, special: bool = False) -> Any:
    """An array of few binary digits, so that sums are exact in any order; some are special ones where asked for."""
    rng, kind = np.random.default_rng(seed), np.dtype(dtype).kind
    made = rng.integers(-8 if kind != "u" else 0, 9, shape)
    if kind == "b":
        return made > 0
    if kind in "iu":
        if special:
            limits = np.iinfo(dtype)
            return np.where(rng.random(shape) < 0.1, rng.choice([limits.min, limits.max, 0], shape), made).astype(dtype)
        return made.astype(dtype)
    array = made / 4
    # Which parts of complex infinities are NaN depends on the order of sums, and on the library.
    if special and kind == "f":
        array = np.where(rng.random(shape) < 0.1, rng.choice(_SPECIAL, shape), array)
    if kind == "c":
        array = array + 1j * (rng.integers(-8, 9, shape) / 4)
    return array.astype(dtype)


def places(seed: int, size: int, count: int) -> Any:
    """Positions in an axis, some of them more than once."""
    return np.random.default_rng(seed).integers(0, size, count)


@frozen
class OfTheLargest(Tolerance):
    """Bounds for numbers that stand beside the sums that they may be differences of."""

    def _far(self, want: np.ndarray, got: np.ndarray, scale: np.ndarray) -> np.ndarray:
        finite = scale[np.isfinite(scale)]
        largest = np.max(finite, initial=1.0)
        near = np.abs(want - got) <= self.ulps * np.finfo(want.dtype).eps * largest
        return np.asarray(Tolerance._far(self, want, got, scale) & ~near)


SUMS = OfTheLargest(ulps=2**11, atol=1e-9, copies=True)
