"""Signals of one dimension."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def fir_filter(x, taps):
    """A filter of finite response, in two loops."""
    out = np.zeros(x.shape[0] - taps.shape[0] + 1)
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(taps.shape[0]):
            total += taps[k] * x[i + taps.shape[0] - 1 - k]
        out[i] = total
    return out


def biquad(x, b0, b1, b2, a1, a2):
    """A recursive filter of second order."""
    y = np.empty_like(x)
    z1 = 0.0
    z2 = 0.0
    for i in range(x.shape[0]):
        y[i] = b0 * x[i] + z1
        z1 = b1 * x[i] - a1 * y[i] + z2
        z2 = b2 * x[i] - a2 * y[i]
    return y


def spectrogram(x, window, step):
    """The power of short windows at each frequency."""
    n = window.shape[0]
    count = (x.shape[0] - n) // step + 1
    power = np.zeros((count, n // 2 + 1))
    for i in range(count):
        spectrum = np.fft.rfft(x[i * step : i * step + n] * window)
        power[i] = spectrum.real**2 + spectrum.imag**2
    return power


def moving_average(x, width):
    """Means of a window that moves, as differences of a cumulative sum."""
    sums = np.cumsum(x)
    return (sums[width:] - sums[:-width]) / width


def autocorrelation(x):
    """The correlation of a signal with itself at every lag, by Fourier transforms."""
    centred = x - x.mean()
    spectrum = np.fft.rfft(centred, 2 * x.shape[0])
    return np.fft.irfft(spectrum * np.conj(spectrum))[: x.shape[0]] / x.shape[0]


def haar_wavelet(x):
    """All levels of the Haar transform, in place."""
    n = x.shape[0]
    while n > 1:
        half = n // 2
        low = (x[0:n:2] + x[1:n:2]) * np.sqrt(0.5)
        high = (x[0:n:2] - x[1:n:2]) * np.sqrt(0.5)
        x[:half] = low
        x[half:n] = high
        n = half
    return x


KERNELS = (
    Kernel(
        fir_filter,
        "elements",
        lambda n, k: (generator().random(n), generator().random(k)),
        (8, 3),
        (80, 16),
        (10_000, 32),
    ),
    Kernel(biquad, "elements", lambda n: (generator().random(n), 0.2, 0.4, 0.2, -0.4, 0.2), (8,), (400,), (150_000,)),
    Kernel(
        spectrogram,
        "arrays",
        lambda n, k: (generator().random(n), np.hanning(k), k // 2),
        (32, 8),
        (1000, 128),
        (100_000, 512),
    ),
    Kernel(
        moving_average, "arrays", lambda n, width: (generator().random(n), width), (8, 3), (4000, 20), (1_000_000, 100)
    ),
    Kernel(autocorrelation, "arrays", lambda n: (generator().random(n),), (8,), (512,), (131_072,), same_in_jax=True),
    Kernel(haar_wavelet, "arrays", lambda n: (generator().random(n),), (8,), (1024,), (1 << 20,)),
)
