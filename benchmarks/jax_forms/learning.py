"""Layers and steps of machine learning."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def softmax_mlp(samples, w1, b1, w2, b2):
    """The whole batch at once: the samples do not depend on one another."""
    logits = jnp.tanh(samples @ w1 + b1) @ w2 + b2
    weights = jnp.exp(logits - jnp.max(logits, axis=1, keepdims=True))
    return weights / jnp.sum(weights, axis=1, keepdims=True)


@jax.jit
def adam_step(weights, gradient, first, second, rate):
    """One step of the optimiser Adam."""
    first = 0.9 * first + 0.1 * gradient
    second = 0.999 * second + 0.001 * gradient**2
    return weights - rate * first / (jnp.sqrt(second) + 1e-8), first, second


@jax.jit
def recurrent_layer(x, w, u, b):
    """A `scan` over the steps."""

    def step(hidden, inputs):
        gate = 1.0 / (1.0 + jnp.exp(-(inputs + hidden @ u + b)))
        hidden = gate * hidden + (1.0 - gate) * jnp.tanh(inputs)
        return hidden, hidden

    return lax.scan(step, jnp.zeros_like(b), x @ w)[1]
