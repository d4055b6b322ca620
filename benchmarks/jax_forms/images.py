"""Images."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def azimuthal_integration(values, radius, edges):
    """A masked sum and a count for each trip."""

    def ring(i, means):
        inside = (radius >= edges[i]) & (radius < edges[i + 1])
        return means.at[i].set(jnp.sum(jnp.where(inside, values, 0.0)) / jnp.sum(inside))

    rings = edges.shape[0] - 1
    return lax.fori_loop(0, rings, ring, jnp.zeros(rings, values.dtype))


@jax.jit
def equalised(image):
    """As in NumPy, with a static number of bins."""
    levels = jnp.cumsum(jnp.bincount(image.ravel(), length=256))
    return (255 * levels[image]) // image.size
