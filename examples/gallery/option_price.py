"""Price of an Asian option.

The mean of a share's price over a year decides what is paid. Prices walk at random; each path is a loop over days,
and each comes with its mirror image, which halves the error.
"""

from __future__ import annotations

import math

import numpy as np
from picture import run

from anabranch import jit


@jit
def payments(rng, paths, days, price, strike, rate, spread):
    paid = np.zeros(paths)
    drift = (rate - 0.5 * spread * spread) / days
    scale = spread / math.sqrt(days)
    for path in range(paths):
        up = down = price
        up_sum = down_sum = 0.0
        for _ in range(days):
            step = scale * rng.normal()
            up *= math.exp(drift + step)
            down *= math.exp(drift - step)
            up_sum += up
            down_sum += down
        paid[path] = 0.5 * (max(up_sum / days - strike, 0.0) + max(down_sum / days - strike, 0.0))
    return math.exp(-rate) * paid


def compute():
    paid = payments(np.random.default_rng(8), 20_000, 250, 100.0, 100.0, 0.03, 0.25)
    print(f"price {paid.mean():.3f}, give or take {1.96 * paid.std() / math.sqrt(len(paid)):.3f}")
    return paid


def draw(figure, paid):
    count = np.arange(1, len(paid) + 1)
    mean = np.cumsum(paid) / count
    error = 1.96 * np.sqrt(np.maximum(np.cumsum(paid**2) / count - mean**2, 0.0) / count)
    count, mean, error = count[50::50], mean[50::50], error[50::50]
    axes = figure.add_subplot()
    axes.fill_between(count, mean - error, mean + error, alpha=0.3, linewidth=0)
    axes.plot(count, mean)
    axes.set_xscale("log")
    axes.set_xlabel("paths")
    axes.set_ylabel("price")
    axes.grid(alpha=0.3)


if __name__ == "__main__":
    run(compute, draw)
