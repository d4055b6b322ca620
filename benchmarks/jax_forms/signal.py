"""Signals of one dimension."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="step")
def spectrogram(x, window, step):
    """All windows at once."""
    count = (x.shape[0] - window.shape[0]) // step + 1
    places = step * jnp.arange(count)[:, None] + jnp.arange(window.shape[0])
    spectrum = jnp.fft.rfft(x[places] * window)
    return spectrum.real**2 + spectrum.imag**2


@partial(jax.jit, static_argnames="width")
def moving_average(x, width):
    """As in NumPy; the width is static."""
    sums = jnp.cumsum(x)
    return (sums[width:] - sums[:-width]) / width


@jax.jit
def haar_wavelet(x):
    """Levels of halved length, joined at the end."""
    parts = []
    while x.shape[0] > 1:
        parts.append((x[0::2] - x[1::2]) * jnp.sqrt(0.5))
        x = (x[0::2] + x[1::2]) * jnp.sqrt(0.5)
    return jnp.concatenate([x, *reversed(parts)])
