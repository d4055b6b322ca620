"""Options, loans, portfolios, order books."""

from __future__ import annotations

import heapq
import math
from collections import deque

import numpy as np

from tests.programs.science.table import program


@program(lambda: (100.0, 105.0, 1.0, 0.03, 0.2, "call"), lambda: (100.0, 105.0, 0.5, 0.03, 0.3, "put"))
def black_scholes(s, k, t, r, sigma, kind):
    def cdf(x):
        return 0.5 * (1 + math.erf(x / math.sqrt(2)))

    d1 = (math.log(s / k) + (r + sigma**2 / 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    if kind == "call":
        return s * cdf(d1) - k * math.exp(-r * t) * cdf(d2)
    elif kind == "put":
        return k * math.exp(-r * t) * cdf(-d2) - s * cdf(-d1)
    raise ValueError(f"unknown kind {kind!r}")


@program(lambda: (100.0, 100.0, 1.0, 0.05, 0.25, 40))
def american_put_binomial(s, k, t, r, sigma, n):
    dt = t / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    prices = s * d ** np.arange(n, -1, -1) * u ** np.arange(0, n + 1)
    values = np.maximum(k - prices, 0)
    for i in range(n - 1, -1, -1):
        values = np.exp(-r * dt) * (p * values[1:] + (1 - p) * values[:-1])
        prices = s * d ** np.arange(i, -1, -1) * u ** np.arange(0, i + 1)
        values = np.maximum(values, k - prices)
    return values[0]


@program(lambda: (10.45, 100.0, 100.0, 1.0, 0.05))
def implied_volatility(price, s, k, t, r):
    def cdf(x):
        return 0.5 * math.erfc(-x / math.sqrt(2))

    sigma = 0.5
    for i in range(50):
        d1 = (math.log(s / k) + (r + 0.5 * sigma * sigma) * t) / (sigma * math.sqrt(t))
        d2 = d1 - sigma * math.sqrt(t)
        value = s * cdf(d1) - k * math.exp(-r * t) * cdf(d2)
        vega = s * math.sqrt(t) * math.exp(-0.5 * d1 * d1) / math.sqrt(2 * math.pi)
        diff = value - price
        if abs(diff) < 1e-10:
            return sigma, i
        sigma -= diff / vega
    raise ArithmeticError("no convergence")


@program(lambda: (200000.0, 0.04, 15, 300.0))
def amortisation(principal, rate, years, extra):
    n = years * 12
    monthly = rate / 12
    payment = principal * monthly / (1 - (1 + monthly) ** -n)
    balance, interest_paid, month = principal, 0.0, 0
    yearly = []
    while balance > 0:
        interest = balance * monthly
        pay = min(payment + extra, balance + interest)
        balance = round(balance + interest - pay, 2)
        interest_paid += interest
        month += 1
        if month % 12 == 0:
            yearly.append(balance)
    return month, round(interest_paid, 2), yearly


@program(lambda: ([-1000.0, 300.0, 400.0, 500.0],), lambda: ([100.0, 200.0],))
def internal_rate_of_return(flows):
    def npv(rate):
        return sum(c / (1 + rate) ** i for i, c in enumerate(flows))

    low, high = -0.9, 1.0
    if npv(low) * npv(high) > 0:
        raise ValueError("no sign change")
    while high - low > 1e-10:
        mid = (low + high) / 2
        if npv(low) * npv(mid) <= 0:
            high = mid
        else:
            low = mid
    return (low + high) / 2


@program(lambda: (100.0, 0.05, 0.2, 1.0, 12, 30, 7))
def asian_option_paths(s0, r, sigma, t, steps, paths, seed):
    rng = np.random.default_rng(seed)
    dt = t / steps
    z = rng.standard_normal((paths, steps))
    log_paths = np.cumsum((r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z, axis=1)
    prices = s0 * np.exp(log_paths)
    payoff = np.maximum(prices.mean(axis=1) - s0, 0)
    return np.exp(-r * t) * payoff.mean(), np.percentile(payoff, [5, 50, 95])


@program(lambda: (np.array([100, 102, 101, 105, 107, 103, 99, 98, 104, 110, 108.0]), 3, 5))
def moving_average_crossover(prices, fast, slow):
    position, cash, shares = None, 1000.0, 0.0
    trades = []
    for i in range(slow, len(prices)):
        f = prices[i - fast : i].mean()
        s = prices[i - slow : i].mean()
        if f > s and position != "long":
            shares, cash = cash / prices[i], 0.0
            position = "long"
            trades.append(("buy", i))
        elif f < s and position == "long":
            cash, shares = shares * prices[i], 0.0
            position = "flat"
            trades.append(("sell", i))
    return trades, cash + shares * prices[-1]


@program(lambda: ([("B", 100, 10), ("S", 99, 4), ("S", 101, 5), ("B", 101, 3), ("S", 100, 8), ("B", 98, 2)],))
def order_book(orders):
    bids, asks = [], []
    trades = []
    for side, price, size in orders:
        if side == "B":
            while size and asks and asks[0][0] <= price:
                ask, available = heapq.heappop(asks)
                filled = min(size, available)
                trades.append((ask, filled))
                size -= filled
                if available > filled:
                    heapq.heappush(asks, (ask, available - filled))
            if size:
                heapq.heappush(bids, (-price, size))
        else:
            while size and bids and -bids[0][0] >= price:
                bid, available = heapq.heappop(bids)
                filled = min(size, available)
                trades.append((-bid, filled))
                size -= filled
                if available > filled:
                    heapq.heappush(bids, (bid, available - filled))
            if size:
                heapq.heappush(asks, (price, size))
    return trades, sorted(bids), sorted(asks)


@program(lambda: (np.array([100.0, 110, 105, 120, 90, 95, 130, 125]),))
def max_drawdown(prices):
    peak, worst = prices[0], 0.0
    start = end = best_start = 0
    for i, p in enumerate(prices):
        if p > peak:
            peak, start = p, i
        drop = (peak - p) / peak
        if drop > worst:
            worst, best_start, end = drop, start, i
    return worst, best_start, end


@program(lambda: ([("buy", 10, 5.0), ("buy", 5, 6.0), ("sell", 12, 8.0), ("buy", 3, 7.0), ("sell", 4, 9.0)],))
def fifo_gains(transactions):
    lots = deque()
    gains = []
    for action, quantity, price in transactions:
        if action == "buy":
            lots.append([quantity, price])
            continue
        gain = 0.0
        while quantity > 0:
            lot = lots[0]
            used = min(lot[0], quantity)
            gain += used * (price - lot[1])
            lot[0] -= used
            quantity -= used
            if lot[0] == 0:
                lots.popleft()
        gains.append(gain)
    return gains, [tuple(lot) for lot in lots]


@program(lambda: (np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]]), np.array([0.05, 0.08, 0.12])))
def efficient_portfolio(cov, mu):
    inverse = np.linalg.inv(cov)
    ones = np.ones(len(mu))
    a, b, c = ones @ inverse @ ones, ones @ inverse @ mu, mu @ inverse @ mu
    frontier = {}
    for target in (0.06, 0.08, 0.10):
        lam = (c - b * target) / (a * c - b * b)
        gam = (a * target - b) / (a * c - b * b)
        w = inverse @ (lam * ones + gam * mu)
        frontier[target] = (np.sqrt(w @ cov @ w), w.round(6).tolist())
    return frontier


@program(lambda: (54000.0,), lambda: (8000.0,), lambda: (310000.0,))
def income_tax(income):
    brackets = [(10000, 0.10), (40000, 0.2), (90000, 0.3), (float("inf"), 0.4)]
    tax, previous = 0.0, 0
    for limit, rate in brackets:
        if income <= previous:
            break
        tax += (min(income, limit) - previous) * rate
        previous = limit
    return round(tax, 2), f"{tax / income:.1%}"
