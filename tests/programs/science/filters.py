"""Digital filters and signals."""

from __future__ import annotations

import cmath
import math
from collections import deque

import numpy as np

from tests.programs.science.table import program


def _signal(n=64, seed=1):
    rng = np.random.default_rng(seed)
    t = np.arange(n) / n
    return np.sin(2 * np.pi * 3 * t) + 0.5 * np.sin(2 * np.pi * 11 * t) + 0.1 * rng.standard_normal(n)


@program(lambda: (np.array([0.1, 0.2, 0.1]), np.array([1.0, -0.8, 0.3]), _signal()))
def iir_direct_form_two(b, a, x):
    z = np.zeros(len(a) - 1)
    y = np.empty_like(x)
    for n in range(len(x)):
        y[n] = b[0] * x[n] + z[0]
        for i in range(len(z) - 1):
            z[i] = b[i + 1] * x[n] + z[i + 1] - a[i + 1] * y[n]
        z[-1] = b[-1] * x[n] - a[-1] * y[n]
    return y, z


@program(lambda: (_signal(), 5), lambda: (_signal(40, 2), 3))
def moving_average_deque(x, width):
    window = deque(maxlen=width)
    out = []
    for v in x:
        window.append(float(v))
        out.append(sum(window) / len(window))
    return out


@program(lambda: (_signal(), 5))
def median_filter(x, width):
    half = width // 2
    out = np.zeros_like(x)
    for i in range(len(x)):
        lo = max(0, i - half)
        hi = min(len(x), i + half + 1)
        out[i] = np.median(x[lo:hi])
    return out


@program(lambda: (_signal(32),))
def fft_recursive(x):
    def fft(v):
        n = len(v)
        if n == 1:
            return v.astype(complex)
        even, odd = fft(v[::2]), fft(v[1::2])
        w = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + w, even - w])

    return np.abs(fft(x)) ** 2


@program(lambda: ([0.0, 1.0, 0.5, -0.25, 2.0, 1.0, -1.0, 0.0],))
def dft_lists(x):
    n = len(x)
    out = []
    for k in range(n):
        acc = 0j
        for j, v in enumerate(x):
            acc += v * cmath.exp(-2j * math.pi * k * j / n)
        out.append(acc)
    return out, [abs(c) for c in out]


@program(lambda: (_signal(), 0.3))
def find_peaks(x, height):
    peaks = []
    i = 1
    while i < len(x) - 1:
        if x[i] > height and x[i] > x[i - 1]:
            ahead = i + 1
            while ahead < len(x) - 1 and x[ahead] == x[i]:
                ahead += 1
            if x[ahead] < x[i]:
                peaks.append((i + ahead - 1) // 2)
                i = ahead
                continue
        i += 1
    return np.array(peaks, dtype=int)


@program(lambda: (_signal(48), _signal(48, 3), 0.05, 4))
def lms_adaptive(x, desired, mu, taps):
    w = np.zeros(taps)
    errors = np.zeros(len(x))
    for n in range(taps - 1, len(x)):
        window = x[n - taps + 1 : n + 1][::-1]
        errors[n] = desired[n] - w @ window
        w += 2 * mu * errors[n] * window
    return w, errors


@program(lambda: (_signal(50), 0.01, 0.1))
def kalman_1d(z, q, r):
    x, p = z[0], 1.0
    estimates, gains = [], []
    for measurement in z[1:]:
        p += q
        k = p / (p + r)
        x += k * (measurement - x)
        p *= 1 - k
        estimates.append(x)
        gains.append(k)
    return np.array(estimates), gains[-1]


@program(lambda: (_signal(64), 440.0, 8000.0), lambda: (_signal(64), 375.0, 8000.0))
def goertzel(samples, target, rate):
    n = len(samples)
    k = int(0.5 + n * target / rate)
    coeff = 2.0 * math.cos(2.0 * math.pi * k / n)
    s1 = s2 = 0.0
    for v in samples:
        s1, s2 = v + coeff * s1 - s2, s1
    return s1 * s1 + s2 * s2 - coeff * s1 * s2


@program(lambda: (_signal(60), 0.05))
def zero_crossings_with_hysteresis(x, band):
    state = None
    crossings = []
    for i, v in enumerate(x):
        if v > band:
            new = "high"
        elif v < -band:
            new = "low"
        else:
            continue
        if state is not None and new != state:
            crossings.append(i)
        state = new
    periods = [b - a for a, b in zip(crossings, crossings[1:])]
    return crossings, sum(periods) / len(periods) if periods else float("nan")


@program(lambda: (_signal(64), 16, 8))
def welch_spectrum(x, size, step):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    total = np.zeros(size // 2 + 1)
    count = 0
    for start in range(0, len(x) - size + 1, step):
        segment = x[start : start + size]
        spectrum = np.fft.rfft(window * (segment - segment.mean()))
        total += np.abs(spectrum) ** 2
        count += 1
    return total / count / (window**2).sum()


@program(lambda: (_signal(32), 2))
def haar_levels(x, levels):
    details = []
    approx = x
    for _ in range(levels):
        even, odd = approx[0::2], approx[1::2]
        details.append((even - odd) / np.sqrt(2))
        approx = (even + odd) / np.sqrt(2)
    rebuilt = approx
    for d in reversed(details):
        longer = np.empty(2 * len(d))
        longer[0::2] = (rebuilt + d) / np.sqrt(2)
        longer[1::2] = (rebuilt - d) / np.sqrt(2)
        rebuilt = longer
    return approx, details, np.allclose(rebuilt, x)


@program(lambda: (np.array([0, 1, 3, 7, 7, 6, 2, 0, 0, 5], dtype=np.int16), 3))
def delta_encode(samples, limit):
    encoded, previous, clipped = [], 0, 0
    for s in samples:
        delta = int(s) - previous
        if delta > limit:
            delta, clipped = limit, clipped + 1
        elif delta < -limit:
            delta, clipped = -limit, clipped + 1
        encoded.append(delta)
        previous += delta
    decoded = np.cumsum(encoded)
    return encoded, decoded, clipped, np.abs(decoded - samples).max()
