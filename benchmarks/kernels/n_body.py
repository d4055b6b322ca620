"""Gravity between all pairs of bodies, with semi-implicit Euler steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.arrays import FloatArray, Size, generator

SIZES = {"small": (4, 3), "full": (40, 20)}
SOFTENING = 1e-2


def n_body(
    position: FloatArray, velocity: FloatArray, mass: FloatArray, dt: float, steps: int
) -> tuple[FloatArray, FloatArray]:
    """Advance `position` and `velocity`, both of shape (bodies, 3), in place."""
    n = position.shape[0]
    for _ in range(steps):
        for i in range(n):
            ax = 0.0
            ay = 0.0
            az = 0.0
            for j in range(n):
                if j != i:
                    dx = position[j, 0] - position[i, 0]
                    dy = position[j, 1] - position[i, 1]
                    dz = position[j, 2] - position[i, 2]
                    squared = dx * dx + dy * dy + dz * dz + SOFTENING
                    pull = mass[j] / (squared * np.sqrt(squared))
                    ax += pull * dx
                    ay += pull * dy
                    az += pull * dz
            velocity[i, 0] += dt * ax
            velocity[i, 1] += dt * ay
            velocity[i, 2] += dt * az
        for i in range(n):
            for axis in range(3):
                position[i, axis] += dt * velocity[i, axis]
    return position, velocity


def arguments(size: Size) -> tuple[Any, ...]:
    """Bodies scattered in a unit cube, with small random velocities."""
    bodies, steps = SIZES[size]
    rng = generator()
    return rng.random((bodies, 3)), 0.1 * rng.standard_normal((bodies, 3)), rng.uniform(0.5, 1.5, bodies), 1e-3, steps


def jax_kernel() -> Callable[..., Any]:
    """All pairs as one array expression; a body's pull on itself is zero because its offset is."""
    import jax.numpy as jnp
    from jax import lax

    def run(position: Any, velocity: Any, mass: Any, dt: Any, steps: Any) -> Any:
        def step(_: Any, state: Any) -> Any:
            position, velocity = state
            offset = position[None, :, :] - position[:, None, :]
            squared = jnp.sum(offset * offset, axis=-1) + SOFTENING
            pull = mass[None, :] / (squared * jnp.sqrt(squared))
            velocity = velocity + dt * jnp.sum(pull[:, :, None] * offset, axis=1)
            return position + dt * velocity, velocity

        return lax.fori_loop(0, steps, step, (position, velocity))

    return run
