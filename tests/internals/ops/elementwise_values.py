"""Values that elementwise ops are tried on."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.internals.ops.op_cases import NDArray

_REALS = (
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3,
    -3,
    7,
    8,
    10,
    1000,
    -0.3,
    0.1,
    1e-3,
    88,
    -20.7,
    np.inf,
    -np.inf,
    np.nan,
)
_PARTS = (0.0, -0.0, 1, -1, 0.5, -2.5, 3, 20, 1e-3, np.inf, -np.inf, np.nan)


def floats(dtype: np.dtype[Any], extra: int, rng: np.random.Generator) -> NDArray:
    """Halves, powers, limits and neighbours of 1, then random ones. No subnormal: XLA's CPU backend has none."""
    info = np.finfo(dtype)
    tiny, eps = float(info.tiny), float(info.eps)
    limits = [info.max, -info.max, tiny * 4, -tiny * 4, eps, 1 + eps, eps / 2 - 1, 2.0 ** (info.nmant + 1)]
    random = np.concatenate([rng.standard_normal(extra), rng.standard_normal(extra) * 30])
    return np.concatenate([_REALS, np.array(limits, np.float64), random]).astype(dtype)


def integers(dtype: np.dtype[Any], extra: int, rng: np.random.Generator) -> NDArray:
    """Small ones, limits, shift counts about the width, then random ones."""
    info = np.iinfo(dtype)
    some = [0, 1, 2, 3, 7, 10, 100, info.bits - 1, info.bits, info.bits + 1, info.max, info.max - 1, info.max // 2]
    if info.min < 0:
        some += [-1, -2, -3, -7, -info.bits, info.min, info.min + 1]
    random = rng.integers(info.min, info.max, extra, dtype=dtype, endpoint=True)
    return np.concatenate([np.array([n for n in some if n <= info.max], dtype), random])


def complexes(dtype: np.dtype[Any], extra: int, rng: np.random.Generator) -> NDArray:
    """All pairs of some parts, then random ones."""
    real, imag = (x.ravel() for x in np.meshgrid(_PARTS, _PARTS))
    random = rng.standard_normal((2, 4 * extra))
    result = np.empty(real.size + 4 * extra, dtype)
    result.real, result.imag = np.concatenate([real, random[0]]), np.concatenate([imag, random[1]])
    return result


def values(dtype: np.dtype[Any], extra: int, rng: np.random.Generator) -> NDArray:
    if dtype.kind == "b":
        return np.array([False, True])
    return {"i": integers, "u": integers, "f": floats, "c": complexes}[dtype.kind](dtype, extra, rng)


def pairs(a: NDArray, b: NDArray) -> tuple[NDArray, NDArray]:
    """Each of `a` with each of `b`."""
    first, second = np.meshgrid(a, b)
    return first.ravel(), second.ravel()
