"""The connected components of a graph, depth first, with a list for a stack and a slice for each node's neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import IntArray, generator


def connected_components(indptr: IntArray, indices: IntArray) -> IntArray:
    """The component of each node, numbered from 0 in the order of their first nodes."""
    n = indptr.shape[0] - 1
    labels = np.full(n, -1)
    components = 0
    for start in range(n):
        if labels[start] < 0:
            labels[start] = components
            stack = [start]
            while len(stack) > 0:
                node = stack.pop()
                for other in indices[indptr[node] : indptr[node + 1]]:
                    if labels[other] < 0:
                        labels[other] = components
                        stack.append(other)
            components += 1
    return labels


def arguments(n: int) -> tuple[Any, ...]:
    """A random graph of as many edges as nodes, in compressed rows: a large component, and many small ones."""
    first, second = generator().integers(0, n, (2, n - 1))
    ends = np.stack([np.concatenate([first, second]), np.concatenate([second, first])])
    counts = np.bincount(ends[0], minlength=n)
    return np.concatenate([[0], np.cumsum(counts)]), ends[1][np.argsort(ends[0], kind="stable")]


def jax_kernel() -> Callable[..., Any]:
    """Each node takes the least label around it until none changes; then the labels are numbered."""
    import jax.numpy as jnp
    from jax import lax

    def run(indptr: Any, indices: Any) -> Any:
        n = indptr.shape[0] - 1
        rows = jnp.repeat(jnp.arange(n), jnp.diff(indptr), total_repeat_length=indices.shape[0])

        def spread(state: Any) -> Any:
            labels, _ = state
            least = labels.at[rows].min(labels[indices])
            # A label is a node, and that node's label is nearer to the least of the component.
            least = least[least]
            return least, jnp.any(least != labels)

        nodes = jnp.arange(n)
        labels, _ = lax.while_loop(lambda state: state[1], spread, (nodes, jnp.bool_(True)))
        return (jnp.cumsum(labels == nodes) - 1)[labels]

    return run
