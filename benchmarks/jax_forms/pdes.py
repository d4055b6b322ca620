"""Partial differential equations."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def burgers_1d(u, ratio, steps):
    """The same steps in `fori_loop`."""
    return lax.fori_loop(0, steps, lambda _, u: u - ratio * u * (u - jnp.roll(u, 1)), u)


@jax.jit
def wave_2d(u, previous, rate, steps):
    """The same steps in `fori_loop`."""

    def step(_, state):
        u, previous = state
        laplacian = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        return jnp.pad(2.0 * u[1:-1, 1:-1] - previous[1:-1, 1:-1] + rate * laplacian, 1), u

    return lax.fori_loop(0, steps, step, (u, previous))[0]


@jax.jit
def gray_scott(u, v, steps):
    """The same steps in `fori_loop`."""

    def around(x):
        return jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) + jnp.roll(x, 1, 1) + jnp.roll(x, -1, 1) - 4.0 * x

    def step(_, state):
        u, v = state
        reaction = u * v * v
        changed = v + 0.08 * around(v) + reaction - 0.122 * v
        return u + 0.16 * around(u) - reaction + 0.06 * (1.0 - u), changed

    return lax.fori_loop(0, steps, step, (u, v))


@jax.jit
def shallow_water(h, u, v, steps):
    """The same steps in `fori_loop`."""

    def step(_, state):
        h, u, v = state
        u = u.at[1:, :].add(-0.1 * (h[1:, :] - h[:-1, :]))
        v = v.at[:, 1:].add(-0.1 * (h[:, 1:] - h[:, :-1]))
        h = h.at[:-1, :].add(-0.1 * (u[1:, :] - u[:-1, :]))
        return h.at[:, :-1].add(-0.1 * (v[:, 1:] - v[:, :-1])), u, v

    return lax.fori_loop(0, steps, step, (h, u, v))


@jax.jit
def spectral_heat(u, rate, steps):
    """The same steps in `fori_loop`."""
    k = 2.0 * jnp.pi * jnp.fft.fftfreq(u.shape[0])
    decay = jnp.exp(-rate * k * k)
    return lax.fori_loop(0, steps, lambda _, u: jnp.fft.ifft(jnp.fft.fft(u) * decay).real, u)
