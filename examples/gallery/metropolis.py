"""Sampling by Metropolis and Hastings.

A random walk that visits the places of a crooked density as often as they are probable; the density is a function
that the sampler gets as an argument.
"""

from __future__ import annotations

import math

import numpy as np
from picture import run

from anabranch import jit


def banana(x, y):
    """The logarithm of Rosenbrock's density."""
    return -((1.0 - x) ** 2 + 20.0 * (y - x * x) ** 2) / 2.5


@jit
def sample(density, rng, x, y, width, count):
    chain = np.zeros((count, 2))
    accepted = 0
    at = density(x, y)
    for i in range(count):
        new_x, new_y = x + width * rng.normal(), y + width * rng.normal()
        there = density(new_x, new_y)
        if math.log(1.0 - rng.random()) < there - at:
            x, y, at = new_x, new_y, there
            accepted += 1
        chain[i, 0] = x
        chain[i, 1] = y
    return chain, accepted / count


def compute():
    chain, share = sample(banana, np.random.default_rng(24), 0.0, 0.0, 0.5, 60_000)
    print(f"{share:.0%} accepted, mean of x {chain[1000:, 0].mean():.2f}")
    return chain


def draw(figure, chain):
    axes = figure.add_subplot()
    axes.hexbin(*chain[1000:].T, gridsize=60, cmap="BuPu", bins="log", linewidths=0)
    axes.plot(*chain[:60].T, color="C1", linewidth=1)
    axes.set_xlabel("x")
    axes.set_ylabel("y")


if __name__ == "__main__":
    run(compute, draw)
