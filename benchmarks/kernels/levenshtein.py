"""The edit distance of two sequences, with two rows of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import IntArray, Size, generator

SIZES = {"small": (7, 9), "full": (350, 400)}


def levenshtein(first: IntArray, second: IntArray) -> Any:
    """The fewest insertions, deletions and substitutions that turn `first` into `second`."""
    n = second.shape[0]
    previous = np.arange(n + 1)
    current = np.zeros(n + 1, dtype=np.int64)
    for i in range(first.shape[0]):
        current[0] = i + 1
        for j in range(n):
            if first[i] == second[j]:
                current[j + 1] = previous[j]
            else:
                current[j + 1] = 1 + min(previous[j], previous[j + 1], current[j])
        previous[:] = current
    return previous[n]


def arguments(size: Size) -> tuple[Any, ...]:
    """Two random sequences over an alphabet of four."""
    rng = generator()
    first, second = SIZES[size]
    return rng.integers(0, 4, first), rng.integers(0, 4, second)


def jax_kernel() -> Callable[..., Any]:
    """A `scan` over rows; each row is a `scan` that carries its left neighbour."""
    import jax.numpy as jnp
    from jax import lax

    def run(first: Any, second: Any) -> Any:
        def row(previous: Any, symbol: Any) -> Any:
            def cell(left: Any, inputs: Any) -> Any:
                diagonal, above, other = inputs
                changed = 1 + jnp.minimum(jnp.minimum(diagonal, above), left)
                value = jnp.where(symbol == other, diagonal, changed)
                return value, value

            start = previous[0] + 1
            _, values = lax.scan(cell, start, (previous[:-1], previous[1:], second))
            return jnp.concatenate([start[None], values]), None

        return lax.scan(row, jnp.arange(second.shape[0] + 1), first)[0][-1]

    return run
