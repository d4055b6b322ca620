"""Images."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def azimuthal_integration(values, radius, edges):
    """The mean of the `values` in each ring; ring i goes from ``edges[i]`` to ``edges[i + 1]``."""
    means = np.zeros(edges.shape[0] - 1, values.dtype)
    for i in range(means.shape[0]):
        inside = (radius >= edges[i]) & (radius < edges[i + 1])
        means[i] = values[inside].mean()
    return means


def azimuthal_integration_arguments(n):
    """A hundred times n pixels, and rings of equal width, none of them empty."""
    rng = generator()
    return rng.random(100 * n), rng.random(100 * n), np.linspace(0.0, 1.0, (n + 1) // 2 + 1)


def sobel(image):
    """The strength of edges."""
    gx = (
        image[:-2, 2:]
        + 2.0 * image[1:-1, 2:]
        + image[2:, 2:]
        - image[:-2, :-2]
        - 2.0 * image[1:-1, :-2]
        - image[2:, :-2]
    )
    gy = (
        image[2:, :-2]
        + 2.0 * image[2:, 1:-1]
        + image[2:, 2:]
        - image[:-2, :-2]
        - 2.0 * image[:-2, 1:-1]
        - image[:-2, 2:]
    )
    return np.sqrt(gx * gx + gy * gy)


def gaussian_blur(image, taps):
    """A blur by columns and then by rows."""
    k = taps.shape[0]
    m, n = image.shape
    rows = np.zeros((m - k + 1, n))
    for i in range(k):
        rows += taps[i] * image[i : m - k + 1 + i, :]
    out = np.zeros((m - k + 1, n - k + 1))
    for i in range(k):
        out += taps[i] * rows[:, i : n - k + 1 + i]
    return out


def equalised(image):
    """An image of bytes whose histogram is made even."""
    counts = np.bincount(image.ravel(), minlength=256)
    levels = np.cumsum(counts)
    return (255 * levels[image]) // image.size


def dithered(image):
    """Floyd and Steinberg's error diffusion to black and white, in place."""
    m, n = image.shape
    for i in range(m):
        for j in range(n):
            old = image[i, j]
            new = 1.0 if old > 0.5 else 0.0
            image[i, j] = new
            error = old - new
            if j + 1 < n:
                image[i, j + 1] += error * 7.0 / 16.0
            if i + 1 < m:
                if j > 0:
                    image[i + 1, j - 1] += error * 3.0 / 16.0
                image[i + 1, j] += error * 5.0 / 16.0
                if j + 1 < n:
                    image[i + 1, j + 1] += error / 16.0
    return image


def integral_image(image):
    """The sums of all rectangles that begin at the corner."""
    return np.cumsum(np.cumsum(image, axis=0), axis=1)


def eroded(image, radius):
    """The least value in a square around each pixel, pixel by pixel."""
    m, n = image.shape
    out = np.zeros_like(image)
    for i in range(m):
        for j in range(n):
            least = image[i, j]
            for p in range(max(0, i - radius), min(m, i + radius + 1)):
                for q in range(max(0, j - radius), min(n, j + radius + 1)):
                    least = min(least, image[p, q])
            out[i, j] = least
    return out


def sheared(image, slope):
    """Each row moved around by a number of pixels that grows from row to row."""
    m, n = image.shape
    columns = (np.arange(n)[None, :] + np.arange(m)[:, None] // slope) % n
    return image[np.arange(m)[:, None], columns]


def packed_mask(image, threshold):
    """Which pixels are brighter than a threshold, eight of them in each byte."""
    return np.packbits(image > threshold, axis=1)


KERNELS = (
    Kernel(azimuthal_integration, "slices", azimuthal_integration_arguments, (7,), (40,), (400,)),
    Kernel(sobel, "arrays", lambda n: (generator().random((n, n)),), (6,), (40,), (1000,), same_in_jax=True),
    Kernel(
        gaussian_blur,
        "arrays",
        lambda n: (generator().random((n, n)), np.hanning(9)[1:-1]),
        (9,),
        (40,),
        (700,),
        same_in_jax=True,
    ),
    Kernel(equalised, "arrays", lambda n: (generator().integers(0, 256, (n, n)),), (6,), (64,), (1000,)),
    Kernel(dithered, "elements", lambda n: (generator().random((n, n)),), (6,), (16,), (200,)),
    Kernel(integral_image, "arrays", lambda n: (generator().random((n, n)),), (5,), (50,), (1000,), same_in_jax=True),
    Kernel(eroded, "elements", lambda n, radius: (generator().random((n, n)), radius), (6, 1), (10, 1), (80, 2)),
    Kernel(sheared, "arrays", lambda n: (generator().random((n, n)), 3), (6,), (40,), (1200,), same_in_jax=True),
    Kernel(
        packed_mask, "arrays", lambda n: (generator().random((n, n + 1)), 0.5), (9,), (64,), (1500,), same_in_jax=True
    ),
)
