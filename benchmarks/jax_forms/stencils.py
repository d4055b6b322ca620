"""Stencils on grids."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def jacobi_2d_slices(a, b, steps):
    """The same steps with both buffers carried through `fori_loop`."""

    def relax(source, target):
        total = source[1:-1, 1:-1] + source[1:-1, :-2] + source[1:-1, 2:] + source[2:, 1:-1] + source[:-2, 1:-1]
        return target.at[1:-1, 1:-1].set(0.2 * total)

    def step(_, buffers):
        a, b = buffers
        b = relax(a, b)
        return relax(b, a), b

    return lax.fori_loop(0, steps, step, (a, b))[0]


jacobi_2d_loops = jacobi_2d_slices


@jax.jit
def heat_3d(u, rate, steps):
    """The same step as the body of `fori_loop`."""

    def step(_, u):
        core = u[1:-1, 1:-1, 1:-1]
        along_x = u[2:, 1:-1, 1:-1] - 2.0 * core + u[:-2, 1:-1, 1:-1]
        along_y = u[1:-1, 2:, 1:-1] - 2.0 * core + u[1:-1, :-2, 1:-1]
        along_z = u[1:-1, 1:-1, 2:] - 2.0 * core + u[1:-1, 1:-1, :-2]
        return u.at[1:-1, 1:-1, 1:-1].set(core + rate * (along_x + along_y + along_z))

    return lax.fori_loop(0, steps, step, u)


@jax.jit
def gauss_seidel(u, source, tolerance):
    """A `while_loop` of sweeps; a sweep is a `scan` over rows, and a row a `scan` that carries its left neighbour."""

    def cell(state, inputs):
        left, change = state
        above, below, right, old, source = inputs
        value = 0.25 * (above + below + left + right + source)
        return (value, jnp.maximum(change, jnp.abs(value - old))), value

    def row(state, inputs):
        above, change = state
        old, below, source = inputs
        columns = (above[1:-1], below[1:-1], old[2:], old[1:-1], source[1:-1])
        (_, change), inner = lax.scan(cell, (old[0], change), columns)
        new = old.at[1:-1].set(inner)
        return (new, change), new

    def sweep(u, source):
        (_, change), inner = lax.scan(row, (u[0], jnp.float64(0.0)), (u[1:-1], u[2:], source[1:-1]))
        return u.at[1:-1].set(inner), change

    def advance(state):
        u, _, sweeps = state
        return *sweep(u, source), sweeps + 1

    start = (u, jnp.float64(tolerance + 1.0), jnp.int64(0))
    u, _, sweeps = lax.while_loop(lambda state: state[1] > tolerance, advance, start)
    return u, sweeps


@jax.jit
def game_of_life(cells, steps):
    """The same steps in `fori_loop`."""

    def step(_, cells):
        rows = jnp.roll(cells, 1, 0) + cells + jnp.roll(cells, -1, 0)
        around = jnp.roll(rows, 1, 1) + rows + jnp.roll(rows, -1, 1) - cells
        return ((around == 3) | ((cells == 1) & (around == 2))).astype(jnp.int64)

    return lax.fori_loop(0, steps, step, cells)


@jax.jit
def fdtd_2d(ex, ey, hz, steps):
    """The same steps in `fori_loop`."""

    def step(t, state):
        ex, ey, hz = state
        ey = ey.at[0, :].set(t)
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        return ex, ey, hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))

    return lax.fori_loop(0, steps, step, (ex, ey, hz))
