"""Greedy non-maximum suppression: of boxes that overlap, the one of the highest score stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, IntArray, generator


def suppression(boxes: FloatArray, scores: FloatArray, threshold: float) -> IntArray:
    """The boxes that stay, best first; a row of `boxes` has left, top, right and bottom."""
    left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    areas = (right - left) * (bottom - top)
    order = np.argsort(-scores)
    keep = []
    while order.size > 0:
        best = order[0]
        rest = order[1:]
        keep.append(best)
        width = np.minimum(right[best], right[rest]) - np.maximum(left[best], left[rest])
        height = np.minimum(bottom[best], bottom[rest]) - np.maximum(top[best], top[rest])
        shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
        overlap = shared / (areas[best] + areas[rest] - shared)
        order = rest[overlap <= threshold]
    return np.array(keep)


def arguments(n: int) -> tuple[Any, ...]:
    """Boxes of which about half overlap others, and their scores, no two alike."""
    rng = generator()
    corner, size = rng.random((n, 2)) * np.sqrt(n), rng.random((n, 2)) + 1.0
    return np.concatenate([corner, corner + size], axis=1), rng.permutation(n) / n, 0.2


def jax_kernel() -> Callable[..., Any]:
    """A box for each trip, best first, that puts out those it overlaps; how many stay is counted beside them."""
    import jax.numpy as jnp
    from jax import lax

    def run(boxes: Any, scores: Any, threshold: Any) -> Any:
        n = boxes.shape[0]
        order = jnp.argsort(-scores)
        left, top, right, bottom = boxes[order].T
        areas = (right - left) * (bottom - top)
        index = jnp.arange(n)

        def put_out(i: Any, alive: Any) -> Any:
            width = jnp.minimum(right[i], right) - jnp.maximum(left[i], left)
            height = jnp.minimum(bottom[i], bottom) - jnp.maximum(top[i], top)
            shared = jnp.maximum(width, 0.0) * jnp.maximum(height, 0.0)
            overlap = shared / (areas[i] + areas - shared)
            return alive & ~(alive[i] & (index > i) & (overlap > threshold))

        alive = lax.fori_loop(0, n, put_out, jnp.ones(n, bool))
        return order[jnp.nonzero(alive, size=n, fill_value=0)], jnp.sum(alive)

    return run


def from_jax(result: Any) -> IntArray:
    """The boxes that stay: a size that is known when they are."""
    order, count = result
    kept: IntArray = order[:count]
    return kept
