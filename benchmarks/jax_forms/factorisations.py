"""Factorisations of matrices, and systems of equations."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def cholesky(a):
    """One masked column for each trip of `fori_loop`."""
    index = jnp.arange(a.shape[0])

    def column(j, state):
        lower, definite = state
        rest = a[:, j] - lower @ lower[j, :]
        values = jnp.where(index >= j, rest / jnp.sqrt(rest[j]), 0.0)
        return lower.at[:, j].set(values), definite & (rest[j] > 0.0)

    lower, definite = lax.fori_loop(0, a.shape[0], column, (jnp.zeros_like(a), jnp.bool_(True)))
    return jnp.where(definite, lower, jnp.nan)


@jax.jit
def cholesky_slices(a):
    """A column for each trip: a product with a masked row, written under a mask."""
    index = jnp.arange(a.shape[0])

    def column(j, a):
        rest = a[:, j] - a @ jnp.where(index < j, a[j], 0.0)
        return a.at[:, j].set(jnp.where(index >= j, rest / jnp.sqrt(rest[j]), a[:, j]))

    return lax.fori_loop(0, a.shape[0], column, a)


@jax.jit
def lu(a):
    """One masked rank-one update for each trip of `fori_loop`."""
    index = jnp.arange(a.shape[0])

    def eliminate(k, a):
        below = index > k
        factors = jnp.where(below, a[:, k] / a[k, k], 0.0)
        updated = a - jnp.outer(factors, jnp.where(below, a[k, :], 0.0))
        return updated.at[:, k].set(jnp.where(below, factors, a[:, k]))

    return lax.fori_loop(0, a.shape[0] - 1, eliminate, a)


@jax.jit
def lu_slices(a):
    """One masked rank-one update for each trip."""
    index = jnp.arange(a.shape[0])

    def eliminate(k, a):
        below = index > k
        factors = jnp.where(below, a[:, k] / a[k, k], 0.0)
        updated = a - jnp.outer(factors, jnp.where(below, a[k], 0.0))
        return updated.at[:, k].set(jnp.where(below, factors, a[:, k]))

    return lax.fori_loop(0, a.shape[0] - 1, eliminate, a)


@jax.jit
def ludcmp(a, b):
    """A row and a column of the factors for each trip, with masked products; substitutions on what is zero so far."""
    n = a.shape[0]
    index = jnp.arange(n)

    def factor(k, a):
        row = a[k] - jnp.where(index < k, a[k], 0.0) @ a
        a = a.at[k].set(jnp.where(index >= k, row, a[k]))
        column = (a[:, k] - a @ jnp.where(index < k, a[:, k], 0.0)) / a[k, k]
        return a.at[:, k].set(jnp.where(index > k, column, a[:, k]))

    a = lax.fori_loop(0, n, factor, a)
    y = lax.fori_loop(0, n, lambda i, y: y.at[i].set(b[i] - a[i] @ y), jnp.zeros_like(b))

    def back(step, x):
        i = n - 1 - step
        return x.at[i].set((y[i] - a[i] @ x) / a[i, i])

    return lax.fori_loop(0, n, back, jnp.zeros_like(b))


@jax.jit
def durbin(r):
    """One `fori_loop` over the orders; the inner loops are reversed and masked arrays."""
    index = jnp.arange(r.shape[0])

    def extend(k, state):
        y, alpha, beta = state
        beta = (1.0 - alpha * alpha) * beta
        # Indices below zero wrap around, and the mask drops what they fetch.
        mirror = k - index - 1
        alpha = -(r[k] + jnp.sum(jnp.where(index < k, r[mirror] * y, 0.0))) / beta
        y = jnp.where(index < k, y + alpha * y[mirror], y)
        return y.at[k].set(alpha), alpha, beta

    start = (jnp.zeros_like(r).at[0].set(-r[0]), -r[0], jnp.float64(1.0))
    return lax.fori_loop(1, r.shape[0], extend, start)[0]


@jax.jit
def durbin_slices(r):
    """An order for each trip, with reversed and masked arrays."""
    index = jnp.arange(r.shape[0])

    def extend(k, state):
        y, alpha, beta = state
        beta = (1.0 - alpha * alpha) * beta
        # Indices below zero wrap around, and the mask drops what they fetch.
        mirror = k - index - 1
        alpha = -(r[k] + jnp.sum(jnp.where(index < k, r[mirror] * y, 0.0))) / beta
        y = jnp.where(index < k, y + alpha * y[mirror], y)
        return y.at[k].set(alpha), alpha, beta

    start = (jnp.zeros_like(r).at[0].set(-r[0]), -r[0], jnp.ones((), r.dtype))
    return lax.fori_loop(1, r.shape[0], extend, start)[0]


@jax.jit
def gram_schmidt(a):
    """A column for each trip, and a masked rank-one update of those after it."""
    n = a.shape[1]
    index = jnp.arange(n)

    def column(k, state):
        a, q, r = state
        norm = jnp.sqrt(jnp.sum(a[:, k] ** 2))
        unit = a[:, k] / norm
        row = jnp.where(index > k, unit @ a, 0.0)
        return a - jnp.outer(unit, row), q.at[:, k].set(unit), r.at[k].set(row.at[k].set(norm))

    return lax.fori_loop(0, n, column, (a, jnp.zeros_like(a), jnp.zeros((n, n), a.dtype)))[1:]


@jax.jit
def thomas(lower, diagonal, upper, right):
    """Two `scan`, the second one reversed."""

    def eliminate(state, row):
        scaled, x = state
        lower, diagonal, upper, right = row
        pivot = diagonal - lower * scaled
        state = upper / pivot, (right - lower * x) / pivot
        return state, state

    def substitute(following, row):
        scaled, x = row
        x = x - scaled * following
        return x, x

    zero = jnp.float64(0.0)
    _, (scaled, x) = lax.scan(eliminate, (zero, zero), (lower, diagonal, upper, right))
    _, head = lax.scan(substitute, x[-1], (scaled[:-1], x[:-1]), reverse=True)
    return jnp.append(head, x[-1])


@jax.jit
def triangular_solve(lower, b):
    """A row for each trip; what is not solved yet is zero, and masks the row."""

    def solve(i, x):
        return x.at[i].set((b[i] - lower[i] @ x) / lower[i, i])

    return lax.fori_loop(0, b.shape[0], solve, jnp.zeros_like(b))
