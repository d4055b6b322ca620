"""Dynamic programming."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def viterbi(start, transition, emission, observed):
    """Two `scan`, the second one reversed."""

    def forward(score, symbol):
        candidates = score[:, None] + transition
        return jnp.max(candidates, axis=0) + emission[:, symbol], jnp.argmax(candidates, axis=0)

    score, back = lax.scan(forward, start + emission[:, observed[0]], observed[1:])
    last = jnp.argmax(score)
    _, path = lax.scan(lambda state, row: (row[state], row[state]), last, back, reverse=True)
    return jnp.append(path, last)
