"""Points, polygons and boxes."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def suppression(boxes, scores, threshold):
    """A box for each trip, best first, that puts out those it overlaps; how many stay is counted beside them."""
    n = boxes.shape[0]
    order = jnp.argsort(-scores)
    left, top, right, bottom = boxes[order].T
    areas = (right - left) * (bottom - top)
    index = jnp.arange(n)

    def put_out(i, alive):
        width = jnp.minimum(right[i], right) - jnp.maximum(left[i], left)
        height = jnp.minimum(bottom[i], bottom) - jnp.maximum(top[i], top)
        shared = jnp.maximum(width, 0.0) * jnp.maximum(height, 0.0)
        overlap = shared / (areas[i] + areas - shared)
        return alive & ~(alive[i] & (index > i) & (overlap > threshold))

    alive = lax.fori_loop(0, n, put_out, jnp.ones(n, bool))
    return order[jnp.nonzero(alive, size=n, fill_value=0)], jnp.sum(alive)
