"""The best local alignment of two sequences, with a linear gap penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import IntArray, Size, generator

SIZES = {"small": (7, 9), "full": (300, 350)}


def smith_waterman(first: IntArray, second: IntArray, match: int, mismatch: int, gap: int) -> tuple[Any, IntArray]:
    """The best score, and the table of scores with a border of zeros."""
    m = first.shape[0]
    n = second.shape[0]
    score = np.zeros((m + 1, n + 1), dtype=np.int64)
    best = score[0, 0]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            reward = match if first[i - 1] == second[j - 1] else mismatch
            value = max(0, score[i - 1, j - 1] + reward, score[i - 1, j] - gap, score[i, j - 1] - gap)
            score[i, j] = value
            if value > best:
                best = score[i, j]
    return best, score


def arguments(size: Size) -> tuple[Any, ...]:
    """Two random sequences over an alphabet of four, and the scores."""
    rng = generator()
    first, second = SIZES[size]
    return rng.integers(0, 4, first), rng.integers(0, 4, second), 3, -3, 2


def jax_kernel() -> Callable[..., Any]:
    """A `scan` over rows; each row is a `scan` that carries its left neighbour."""
    import jax.numpy as jnp
    from jax import lax

    def run(first: Any, second: Any, match: Any, mismatch: Any, gap: Any) -> Any:
        def row(previous: Any, symbol: Any) -> Any:
            def cell(left: Any, inputs: Any) -> Any:
                diagonal, above, other = inputs
                paired = diagonal + jnp.where(symbol == other, match, mismatch)
                value = jnp.maximum(jnp.maximum(0, paired), jnp.maximum(above, left) - gap)
                return value, value

            zero = jnp.int64(0)
            _, values = lax.scan(cell, zero, (previous[:-1], previous[1:], second))
            current = jnp.concatenate([zero[None], values])
            return current, current

        border = jnp.zeros(second.shape[0] + 1, dtype=jnp.int64)
        _, rows = lax.scan(row, border, first)
        score = jnp.concatenate([border[None, :], rows])
        return jnp.max(score), score

    return run
