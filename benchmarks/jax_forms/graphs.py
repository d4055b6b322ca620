"""Graphs."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def floyd_warshall(distance):
    """All rows at once for each intermediate node."""

    def through(k, distance):
        return jnp.minimum(distance, distance[:, k][:, None] + distance[k, :][None, :])

    return lax.fori_loop(0, distance.shape[0], through, distance)


@jax.jit
def connected_components(indptr, indices):
    """Each node takes the least label around it until none changes; then the labels are numbered."""
    n = indptr.shape[0] - 1
    rows = jnp.repeat(jnp.arange(n), jnp.diff(indptr), total_repeat_length=indices.shape[0])

    def spread(state):
        labels, _ = state
        least = labels.at[rows].min(labels[indices])
        # A label is a node, and that node's label is nearer to the least of the component.
        least = least[least]
        return least, jnp.any(least != labels)

    nodes = jnp.arange(n)
    labels, _ = lax.while_loop(lambda state: state[1], spread, (nodes, jnp.bool_(True)))
    return (jnp.cumsum(labels == nodes) - 1)[labels]


@jax.jit
def page_rank(links, damping, steps):
    """The same steps in `fori_loop`."""
    n = links.shape[0]
    shares = links / jnp.maximum(links.sum(axis=0), 1.0)
    return lax.fori_loop(0, steps, lambda _, r: damping * (shares @ r) + (1.0 - damping) / n, jnp.full(n, 1.0 / n))
