"""Ising model.

Spins that like to agree with their neighbours, turned one at a time by Metropolis' rule at three temperatures. The
random numbers are those of NumPy's generator, bit for bit, drawn in compiled code.
"""

from __future__ import annotations

import math

import numpy as np
from picture import run

from anabranch import jit


@jit
def sweep(spins, temperature, rng, sweeps):
    """Turn spins in place; returns the mean magnetisation after each sweep."""
    rows, columns = spins.shape
    means = np.zeros(sweeps)
    for at in range(sweeps):
        for _ in range(rows * columns):
            i = int(rng.random() * rows)
            j = int(rng.random() * columns)
            around = spins[i - 1, j] + spins[(i + 1) % rows, j] + spins[i, j - 1] + spins[i, (j + 1) % columns]
            cost = 2.0 * spins[i, j] * around
            if cost <= 0.0 or rng.random() < math.exp(-cost / temperature):
                spins[i, j] = -spins[i, j]
        means[at] = spins.mean()
    return means


def compute():
    rng = np.random.default_rng(6)
    found = []
    for temperature in (1.6, 2.27, 3.5):
        spins = rng.choice([-1.0, 1.0], size=(120, 60))
        means = sweep(spins, temperature, rng, 150)
        print(f"temperature {temperature}: magnetisation {means[-1]:+.3f}")
        found.append((temperature, spins))
    return found


def draw(figure, found):
    for number, (temperature, spins) in enumerate(found, 1):
        axes = figure.add_subplot(1, len(found), number)
        axes.imshow(spins, cmap="cividis", aspect="auto", interpolation="nearest")
        axes.set_title(f"T = {temperature}")
        axes.set_axis_off()


if __name__ == "__main__":
    run(compute, draw)
