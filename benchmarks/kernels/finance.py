"""Finance."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from benchmarks.arrays import generator
from benchmarks.kernel import Kernel


def black_scholes(spot, strike, time, rate, volatility):
    """Prices of calls and puts; the normal distribution by a polynomial."""
    root = volatility * np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / root
    d2 = d1 - root
    k1 = 1.0 / (1.0 + 0.2316419 * np.abs(d1))
    k2 = 1.0 / (1.0 + 0.2316419 * np.abs(d2))
    tail1 = (
        0.3989422804
        * np.exp(-0.5 * d1 * d1)
        * k1
        * (0.31938153 + k1 * (-0.356563782 + k1 * (1.781477937 + k1 * -1.821255978)))
    )
    tail2 = (
        0.3989422804
        * np.exp(-0.5 * d2 * d2)
        * k2
        * (0.31938153 + k2 * (-0.356563782 + k2 * (1.781477937 + k2 * -1.821255978)))
    )
    n1 = np.where(d1 > 0.0, 1.0 - tail1, tail1)
    n2 = np.where(d2 > 0.0, 1.0 - tail2, tail2)
    discounted = strike * np.exp(-rate * time)
    call = spot * n1 - discounted * n2
    return call, call - spot + discounted


def binomial_tree(spot, strike, up, rate, steps):
    """An American put on a binomial tree, level by level."""
    down = 1.0 / up
    p = (np.exp(rate) - down) / (up - down)
    values = np.maximum(strike - spot * up ** (2.0 * np.arange(steps + 1) - steps), 0.0)
    for level in range(steps - 1, -1, -1):
        prices = spot * up ** (2.0 * np.arange(level + 1) - level)
        held = np.exp(-rate) * (p * values[1 : level + 2] + (1.0 - p) * values[: level + 1])
        values[: level + 1] = np.maximum(held, strike - prices)
    return values[0]


def binomial_tree_loops(spot, strike, up, rate, steps):
    """An American put on a binomial tree, node by node."""
    down = 1.0 / up
    p = (np.exp(rate) - down) / (up - down)
    discount = np.exp(-rate)
    values = np.zeros(steps + 1)
    for i in range(steps + 1):
        values[i] = max(strike - spot * up ** (2.0 * i - steps), 0.0)
    for level in range(steps - 1, -1, -1):
        for i in range(level + 1):
            held = discount * (p * values[i + 1] + (1.0 - p) * values[i])
            values[i] = max(held, strike - spot * up ** (2.0 * i - level))
    return values[0]


def asian_option(normals, spot, strike, rate, volatility):
    """The price of an option on a mean, over paths of given normal numbers."""
    dt = 1.0 / normals.shape[1]
    steps = (rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * normals
    paths = spot * np.exp(np.cumsum(steps, axis=1))
    return np.exp(-rate) * np.maximum(paths.mean(axis=1) - strike, 0.0).mean()


def drawdown(prices):
    """The largest fall from a peak, and where it begins and ends."""
    peak = prices[0]
    at = 0
    worst = 0.0
    start = 0
    end = 0
    for i in range(prices.shape[0]):
        if prices[i] > peak:
            peak = prices[i]
            at = i
        fall = (peak - prices[i]) / peak
        if fall > worst:
            worst = fall
            start = at
            end = i
    return worst, start, end


def garch_likelihood(returns, omega, alpha, beta):
    """The negative logarithm of a GARCH model's likelihood."""
    variance = omega / (1.0 - alpha - beta)
    total = 0.0
    for i in range(returns.shape[0]):
        total += np.log(variance) + returns[i] ** 2 / variance
        variance = omega + alpha * returns[i] ** 2 + beta * variance
    return 0.5 * total


KERNELS = (
    Kernel(
        black_scholes,
        "arrays",
        lambda n: (*(0.5 + generator().random((3, n))), 0.02, 0.3),
        (8,),
        (500,),
        (300_000,),
        same_in_jax=True,
    ),
    Kernel(binomial_tree, "slices", lambda n: (100.0, 105.0, 1.01, 1e-4, n), (5,), (30,), (800,)),
    Kernel(binomial_tree_loops, "elements", lambda n: (100.0, 105.0, 1.01, 1e-4, n), (5,), (15,), (300,)),
    Kernel(
        asian_option,
        "arrays",
        lambda n, m: (generator().standard_normal((n, m)), 100.0, 100.0, 0.02, 0.3),
        (4, 3),
        (60, 30),
        (10_000, 100),
        same_in_jax=True,
    ),
    Kernel(
        drawdown,
        "elements",
        lambda n: (100.0 * np.exp(0.01 * np.cumsum(generator().standard_normal(n))),),
        (8,),
        (400,),
        (150_000,),
    ),
    Kernel(
        garch_likelihood,
        "elements",
        lambda n: (generator().standard_normal(n), 0.05, 0.1, 0.85),
        (8,),
        (150,),
        (80_000,),
    ),
)
