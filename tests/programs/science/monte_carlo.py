"""Monte Carlo: seeded generators of NumPy and of the standard library."""

from __future__ import annotations

import math
import random

import numpy as np

from tests.programs.science.table import program


@program(lambda: (500, 1), lambda: (300, 2))
def estimate_pi(n, seed):
    rng = np.random.default_rng(seed)
    inside = 0
    for _ in range(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4 * inside / n


@program(lambda: (np.random.default_rng(5), 400))
def estimate_pi_vectorised(rng, n):
    points = rng.uniform(-1, 1, size=(n, 2))
    inside = (points**2).sum(axis=1) < 1
    estimate = 4 * inside.mean()
    error = 4 * inside.std() / np.sqrt(n)
    return estimate, error


@program(lambda: (np.random.RandomState(3), 200))
def legacy_integral(rs, n):
    x = rs.rand(n)
    values = np.exp(-(x**2))
    return values.mean(), values.std(ddof=1) / np.sqrt(n)


@program(lambda: (42, 20, 0.3))
def coin_runs(seed, n, p):
    rnd = random.Random(seed)
    longest = current = 0
    faces = []
    for _ in range(n):
        if rnd.random() < p:
            faces.append("H")
            current += 1
            longest = max(longest, current)
        else:
            faces.append("T")
            current = 0
    return "".join(faces), longest


@program(lambda: (7, 23, 40))
def birthday_collisions(seed, people, trials):
    rng = random.Random(seed)
    hits = 0
    for _ in range(trials):
        seen = set()
        for _ in range(people):
            day = rng.randrange(365)
            if day in seen:
                hits += 1
                break
            seen.add(day)
    return hits / trials


@program(lambda: (np.random.default_rng(9), 30))
def random_walk_first_return(rng, n):
    x = y = 0
    for step in range(1, n + 1):
        direction = rng.integers(4)
        if direction == 0:
            x += 1
        elif direction == 1:
            x -= 1
        elif direction == 2:
            y += 1
        else:
            y -= 1
        if x == 0 and y == 0:
            return step
    return None


@program(lambda: (np.random.default_rng(2), 50))
def importance_sampling(rng, n):
    shift = 3.0
    z = rng.normal(shift, 1.0, n)
    weights = np.exp(-0.5 * z**2 + 0.5 * (z - shift) ** 2)
    hits = np.where(z > 3.0, weights, 0.0)
    ess = weights.sum() ** 2 / (weights**2).sum()
    return hits.mean(), ess


@program(lambda: (np.random.RandomState(0), 10, 3))
def monty_hall(rs, games, doors):
    stay = switch = 0
    for _ in range(games):
        prize = rs.randint(doors)
        pick = rs.randint(doors)
        if pick == prize:
            stay += 1
        else:
            switch += 1
    return {"stay": stay / games, "switch": switch / games}


@program(lambda: (11, list(range(10))))
def fisher_yates(seed, items):
    rng = random.Random(seed)
    for i in range(len(items) - 1, 0, -1):
        j = rng.randint(0, i)
        items[i], items[j] = items[j], items[i]
    return items


@program(lambda: (4, 6, 2.0, 1.0))
def buffon(seed, n, spacing, length):
    rng = np.random.default_rng(seed)
    crossings = 0
    for _ in range(n * 10):
        centre = rng.uniform(0, spacing / 2)
        angle = rng.uniform(0, math.pi / 2)
        if centre <= length / 2 * math.sin(angle):
            crossings += 1
    if crossings == 0:
        return math.inf
    return 2 * length * n * 10 / (spacing * crossings)


# The differences from the true value are small beside what they are the differences of.
@program(lambda: (np.random.default_rng(1), 100, 0.5), ulps=1e7)
def stratified_and_antithetic(rng, n, scale):
    def f(u):
        return np.exp(scale * u)

    u = rng.random(n)
    plain = f(u).mean()
    anti = 0.5 * (f(u) + f(1 - u)).mean()
    strata = f((np.arange(n) + rng.random(n)) / n).mean()
    truth = (np.exp(scale) - 1) / scale
    return {name: abs(v - truth) for name, v in [("plain", plain), ("anti", anti), ("strata", strata)]}


@program(lambda: (8, 12), lambda: (9, 6))
def coupon_collector(seed, kinds):
    rng = np.random.default_rng(seed)
    have = np.zeros(kinds, dtype=bool)
    draws = 0
    while not have.all():
        have[rng.integers(kinds)] = True
        draws += 1
    return draws


@program(lambda: (3, ["a", "b", "c", "d"], [0.1, 0.2, 0.3, 0.4], 12))
def roulette_wheel(seed, names, weights, n):
    rng = random.Random(seed)
    counts = {name: 0 for name in names}
    for _ in range(n):
        u = rng.random() * sum(weights)
        for name, w in zip(names, weights):
            u -= w
            if u <= 0:
                counts[name] += 1
                break
    return counts


@program(lambda: (np.random.default_rng(13), 25, 6))
def reservoir_sample(rng, n, k):
    reservoir = []
    for i in range(n):
        if i < k:
            reservoir.append(i)
        else:
            j = int(rng.integers(0, i + 1))
            if j < k:
                reservoir[j] = i
    return reservoir
