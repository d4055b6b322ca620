"""A perceptron with one hidden layer and a softmax, one sample after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": (3, 4, 5, 3), "full": (4000, 64, 128, 10)}


def softmax_mlp(samples: FloatArray, w1: FloatArray, b1: FloatArray, w2: FloatArray, b2: FloatArray) -> FloatArray:
    """The class probabilities, of shape (samples, classes)."""
    probabilities = np.empty((samples.shape[0], b2.shape[0]))
    for i in range(samples.shape[0]):
        hidden = np.tanh(samples[i] @ w1 + b1)
        logits = hidden @ w2 + b2
        weights = np.exp(logits - np.max(logits))
        probabilities[i] = weights / np.sum(weights)
    return probabilities


def arguments(size: Size) -> tuple[Any, ...]:
    """Random samples and weights, scaled so that few units saturate."""
    count, inputs, units, classes = SIZES[size]
    rng = generator()
    w1 = rng.standard_normal((inputs, units)) / np.sqrt(inputs)
    w2 = rng.standard_normal((units, classes)) / np.sqrt(units)
    return rng.standard_normal((count, inputs)), w1, rng.standard_normal(units), w2, rng.standard_normal(classes)


def jax_kernel() -> Callable[..., Any]:
    """The whole batch at once: the samples do not depend on one another."""
    import jax.numpy as jnp

    def run(samples: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        logits = jnp.tanh(samples @ w1 + b1) @ w2 + b2
        weights = jnp.exp(logits - jnp.max(logits, axis=1, keepdims=True))
        return weights / jnp.sum(weights, axis=1, keepdims=True)

    return run
