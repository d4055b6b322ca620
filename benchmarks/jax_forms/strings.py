"""Sequences of symbols, and checksums."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def crc16(data):
    """A `scan` over the bytes with a `fori_loop` over the bits."""

    def bit(_, crc):
        shifted = crc << 1
        return jnp.where(crc & 0x8000 != 0, shifted ^ 0x1021, shifted) & 0xFFFF

    def byte(crc, value):
        return lax.fori_loop(0, 8, bit, crc ^ (value << 8)), None

    return lax.scan(byte, jnp.int64(0xFFFF), data)[0]


@jax.jit
def levenshtein(first, second):
    """A `scan` over rows; each row is a `scan` that carries its left neighbour."""

    def row(previous, symbol):
        def cell(left, inputs):
            diagonal, above, other = inputs
            changed = 1 + jnp.minimum(jnp.minimum(diagonal, above), left)
            value = jnp.where(symbol == other, diagonal, changed)
            return value, value

        start = previous[0] + 1
        _, values = lax.scan(cell, start, (previous[:-1], previous[1:], second))
        return jnp.concatenate([start[None], values]), None

    return lax.scan(row, jnp.arange(second.shape[0] + 1), first)[0][-1]


@jax.jit
def smith_waterman(first, second, match, mismatch, gap):
    """A `scan` over rows; each row is a `scan` that carries its left neighbour."""

    def row(previous, symbol):
        def cell(left, inputs):
            diagonal, above, other = inputs
            paired = diagonal + jnp.where(symbol == other, match, mismatch)
            value = jnp.maximum(jnp.maximum(0, paired), jnp.maximum(above, left) - gap)
            return value, value

        zero = jnp.int64(0)
        _, values = lax.scan(cell, zero, (previous[:-1], previous[1:], second))
        current = jnp.concatenate([zero[None], values])
        return current, current

    border = jnp.zeros(second.shape[0] + 1, dtype=jnp.int64)
    _, rows = lax.scan(row, border, first)
    score = jnp.concatenate([border[None, :], rows])
    return jnp.max(score), score
