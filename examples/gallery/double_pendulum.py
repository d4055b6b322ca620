"""When a double pendulum flips.

For each pair of starting angles: how long it takes until one of the two arms turns over. A `while` loop of its own
for each point, ended early, with the equations of motion in a helper.
"""

from __future__ import annotations

import math

import numpy as np
from picture import image, run

from anabranch import jit


def motion(a, b, va, vb):
    """The accelerations of two equal arms."""
    difference = a - b
    sine, cosine = math.sin(difference), math.cos(difference)
    below = 2.0 - cosine * cosine
    acceleration_a = (-sine * (vb * vb + va * va * cosine) - 19.62 * math.sin(a) + 9.81 * math.sin(b) * cosine) / below
    acceleration_b = (sine * (2.0 * va * va + vb * vb * cosine) + 19.62 * (math.sin(a) * cosine - math.sin(b))) / below
    return acceleration_a, acceleration_b


@jit
def flip_times(first, second, width, most):
    times = np.zeros((len(second), len(first)))
    for row in range(len(second)):
        for column in range(len(first)):
            a, b, va, vb = first[column], second[row], 0.0, 0.0
            step = 0
            while step < most and abs(a) < math.pi and abs(b) < math.pi:
                # Half a step of the speeds, a step of the angles, half a step of the speeds.
                aa, ab = motion(a, b, va, vb)
                va, vb = va + 0.5 * width * aa, vb + 0.5 * width * ab
                a, b = a + width * va, b + width * vb
                aa, ab = motion(a, b, va, vb)
                va, vb = va + 0.5 * width * aa, vb + 0.5 * width * ab
                step += 1
            times[row, column] = step * width
    return times


def compute():
    angles = np.linspace(-3.1, 3.1, 160)
    times = flip_times(angles, np.linspace(-3.1, 3.1, 120), 0.01, 1000)
    print(f"{(times < 9.995).mean():.1%} flip within ten seconds")
    return times


def draw(figure, times):
    image(figure, np.log(times + 0.1), cmap="cubehelix")


if __name__ == "__main__":
    run(compute, draw)
