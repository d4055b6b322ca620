"""Mandelbrot set.

How many steps it takes `z * z + c` to leave the circle of radius two: three loops in one another, complex numbers,
and a `break`.
"""

from __future__ import annotations

import numpy as np
from picture import image, run

from anabranch import jit


@jit
def escape_times(reals, imaginaries, limit):
    times = np.zeros((len(imaginaries), len(reals)), dtype=np.int64)
    for row in range(len(imaginaries)):
        for column in range(len(reals)):
            c = complex(reals[column], imaginaries[row])
            z = 0j
            for _ in range(limit):
                if z.real * z.real + z.imag * z.imag > 4.0:
                    break
                z = z * z + c
                times[row, column] += 1
    return times


def compute():
    times = escape_times(np.linspace(-2.1, 0.7, 480), np.linspace(-1.05, 1.05, 360), 200)
    print(f"{(times == 200).mean():.1%} of the points stay")
    return times


def draw(figure, times):
    image(figure, np.log(times + 1.0), cmap="magma")


if __name__ == "__main__":
    run(compute, draw)
