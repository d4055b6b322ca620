"""Kalman filter.

The path of a thrown ball from noisy measurements, some of which are missing: matrix products, a linear system, and an
`if` on a measured value in each step.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


@jit
def follow(measured, state, doubt, step, noise, jitter):
    """States (x, y and their speeds) after each measurement; a measurement that is nan is missing."""
    advance = np.eye(4)
    advance[0, 2] = advance[1, 3] = step
    gravity = np.array([0.0, -0.5 * 9.81 * step**2, 0.0, -9.81 * step])
    see = np.eye(2, 4)
    states = np.zeros((len(measured), 4))
    for i in range(len(measured)):
        state = advance @ state + gravity
        doubt = advance @ doubt @ advance.T + jitter * np.eye(4)
        if not np.isnan(measured[i, 0]):
            spread = see @ doubt @ see.T + noise * np.eye(2)
            gain = np.linalg.solve(spread, see @ doubt).T
            state = state + gain @ (measured[i] - see @ state)
            doubt = doubt - gain @ see @ doubt
        states[i] = state
    return states


def start(count, seed):
    rng = np.random.default_rng(seed)
    times = np.arange(1, count + 1) * 0.05
    truth = np.stack([9.0 * times, 14.0 * times - 0.5 * 9.81 * times**2], axis=1)
    measured = truth + rng.normal(0.0, 0.7, truth.shape)
    measured[count // 3 : count // 2] = np.nan
    return truth, measured


def compute():
    truth, measured = start(56, seed=9)
    states = follow(measured, np.array([0.0, 0.0, 5.0, 5.0]), 10.0 * np.eye(4), 0.05, 0.5, 1e-4)
    print(f"mean error {np.abs(states[10:, :2] - truth[10:]).mean():.2f}, of the measurements 0.56")
    return truth, measured, states


def draw(figure, result):
    truth, measured, states = result
    axes = figure.add_subplot()
    axes.plot(*truth.T, color="0.6", linestyle="--", label="true path")
    axes.plot(*measured.T, "x", color="C1", markersize=5, label="measured")
    axes.plot(*states[:, :2].T, color="C0", label="filtered")
    axes.set_xlabel("distance")
    axes.set_ylabel("height")
    axes.legend()
    axes.grid(alpha=0.3)


if __name__ == "__main__":
    run(compute, draw)
