"""Particles, spins and dynamical systems."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.kernels.physics import SOFTENING


@jax.jit
def n_body(position, velocity, mass, dt, steps):
    """All pairs as one array expression; a body's pull on itself is zero because its offset is."""

    def step(_, state):
        position, velocity = state
        offset = position[None, :, :] - position[:, None, :]
        squared = jnp.sum(offset * offset, axis=-1) + SOFTENING
        pull = mass[None, :] / (squared * jnp.sqrt(squared))
        velocity = velocity + dt * jnp.sum(pull[:, :, None] * offset, axis=1)
        return position + dt * velocity, velocity

    return lax.fori_loop(0, steps, step, (position, velocity))


@jax.jit
def mandelbrot(real, imaginary, limit):
    """A `while_loop` for one point, mapped over the window."""

    def survives(state):
        x, y, count = state
        return (count < limit) & (x * x + y * y <= 4.0)

    def escape(y0, x0):
        def step(state):
            x, y, count = state
            return x * x - y * y + x0, 2.0 * x * y + y0, count + 1

        return lax.while_loop(survives, step, (jnp.float64(0.0), jnp.float64(0.0), jnp.int64(0)))[2]

    over_columns = jax.vmap(escape, in_axes=(None, 0))
    return jax.vmap(over_columns, in_axes=(0, None))(imaginary, real)


n_body_arrays = n_body


@jax.jit
def ising(spins, chances, coupling):
    """A `scan` over the sweeps."""
    m, n = spins.shape
    board = (jnp.arange(m)[:, None] + jnp.arange(n)[None, :]) % 2

    def sweep(spins, inputs):
        chance, parity = inputs
        around = jnp.roll(spins, 1, 0) + jnp.roll(spins, -1, 0) + jnp.roll(spins, 1, 1) + jnp.roll(spins, -1, 1)
        flips = (chance < jnp.exp(-2.0 * coupling * spins * around)) & (board == parity)
        return jnp.where(flips, -spins, spins), None

    return lax.scan(sweep, spins, (chances, jnp.arange(chances.shape[0]) % 2))[0]
