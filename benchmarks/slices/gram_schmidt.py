"""QR factorisation by the modified Gram-Schmidt process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, generator


def gram_schmidt(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The factors of `a`, whose columns lose what they have in common with those before them."""
    n = a.shape[1]
    q = np.zeros_like(a)
    r = np.zeros((n, n), a.dtype)
    for k in range(n):
        r[k, k] = np.sqrt(np.sum(a[:, k] ** 2))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return q, r


def arguments(n: int) -> tuple[Any, ...]:
    """A matrix of half as many columns as rows, far from singular."""
    return (generator().random((n, (n + 1) // 2)) + 4.0 * np.eye(n, (n + 1) // 2),)


def jax_kernel() -> Callable[..., Any]:
    """A column for each trip, and a masked rank-one update of those after it."""
    import jax.numpy as jnp
    from jax import lax

    def run(a: Any) -> Any:
        n = a.shape[1]
        index = jnp.arange(n)

        def column(k: Any, state: Any) -> Any:
            a, q, r = state
            norm = jnp.sqrt(jnp.sum(a[:, k] ** 2))
            unit = a[:, k] / norm
            row = jnp.where(index > k, unit @ a, 0.0)
            return a - jnp.outer(unit, row), q.at[:, k].set(unit), r.at[k].set(row.at[k].set(norm))

        return lax.fori_loop(0, n, column, (a, jnp.zeros_like(a), jnp.zeros((n, n), a.dtype)))[1:]

    return run
