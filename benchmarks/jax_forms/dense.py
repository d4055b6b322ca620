"""Products with dense matrices."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def conjugate_gradient(a, b, tolerance, limit):
    """The same steps in a `while_loop`, which tests the residual of the step before."""

    def unfinished(state):
        *_, squared, count = state
        return (count < limit) & ((count == 0) | (squared >= tolerance * tolerance))

    def advance(state):
        x, residual, direction, previous, count = state
        image = a @ direction
        step = previous / jnp.dot(direction, image)
        residual = residual - step * image
        squared = jnp.dot(residual, residual)
        return x + step * direction, residual, residual + squared / previous * direction, squared, count + 1

    start = (jnp.zeros_like(b), b, b, jnp.dot(b, b), jnp.int64(0))
    return lax.while_loop(unfinished, advance, start)[0]


@jax.jit
def syrk(alpha, beta, c, a):
    """A row for each trip, written under a mask."""
    index = jnp.arange(a.shape[0])

    def row(i, c):
        return c.at[i].set(jnp.where(index <= i, beta * c[i] + alpha * (a @ a[i]), c[i]))

    return lax.fori_loop(0, a.shape[0], row, c)


@jax.jit
def trmm(alpha, a, b):
    """A row for each trip, by a masked column."""
    index = jnp.arange(a.shape[0])

    def row(i, b):
        return b.at[i].set(alpha * (b[i] + jnp.where(index > i, a[:, i], 0.0) @ b))

    return lax.fori_loop(0, b.shape[0], row, b)


@jax.jit
def power_iteration(a, x, steps):
    """The same steps in `fori_loop`."""

    def step(_, state):
        y = a @ state[1]
        value = jnp.sqrt(y @ y)
        return value, y / value

    return lax.fori_loop(0, steps, step, (jnp.float64(0.0), x))
