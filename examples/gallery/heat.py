"""Heat in a plate.

A plate with a hot edge, a cold edge and a cooled hole, by successive over-relaxation in place until the largest
change is small. Each point uses its neighbours' new values, so there is no whole-array form.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


@jit
def settle(plate, fixed, factor, tolerance):
    """Change `plate` to the steady temperatures; returns the number of sweeps."""
    sweeps = 0
    while True:
        largest = 0.0
        for i in range(1, plate.shape[0] - 1):
            for j in range(1, plate.shape[1] - 1):
                if fixed[i, j]:
                    continue
                mean = 0.25 * (plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1])
                change = factor * (mean - plate[i, j])
                plate[i, j] += change
                largest = max(largest, abs(change))
        sweeps += 1
        if largest < tolerance:
            return sweeps


def start(rows, columns):
    plate, fixed = np.zeros((rows, columns)), np.zeros((rows, columns), dtype=bool)
    plate[:, 0] = 100.0
    plate[0, :] = plate[-1, :] = np.linspace(100.0, 0.0, columns)
    i, j = np.mgrid[:rows, :columns]
    fixed[(i - rows * 0.5) ** 2 + (j - columns * 0.45) ** 2 < (rows * 0.17) ** 2] = True
    return plate, fixed


def compute():
    plate, fixed = start(90, 120)
    sweeps = settle(plate, fixed, 1.9, 1e-6)
    print(f"{sweeps} sweeps, mean temperature {plate.mean():.2f}")
    return plate


def draw(figure, plate):
    axes = figure.add_subplot()
    shown = axes.imshow(plate, cmap="inferno", aspect="auto")
    axes.contour(plate, levels=np.arange(10, 100, 10), colors="white", linewidths=0.7)
    axes.set_axis_off()
    figure.colorbar(shown, label="temperature")


if __name__ == "__main__":
    run(compute, draw)
