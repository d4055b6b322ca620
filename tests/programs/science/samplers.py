"""Samplers: Metropolis, Gibbs, Hamiltonian, slice, rejection, and others."""

from __future__ import annotations

import math
import random

import numpy as np

from tests.programs.science.table import program


@program(lambda: (np.random.default_rng(0), 0.0, 1.0, 80), lambda: (np.random.default_rng(1), 2.0, 0.5, 80))
def metropolis(rng, x, step, n):
    def log_p(v):
        return np.logaddexp(-0.5 * (v - 2) ** 2, -0.5 * (v + 2) ** 2)

    samples = np.empty(n)
    accepted = 0
    current = log_p(x)
    for i in range(n):
        proposal = x + step * rng.standard_normal()
        new = log_p(proposal)
        if np.log(rng.random()) < new - current:
            x, current = proposal, new
            accepted += 1
        samples[i] = x
    return samples, accepted / n


@program(lambda: (np.random.default_rng(2), 0.8, 60, 10))
def gibbs_bivariate(rng, rho, n, burn):
    x = y = 0.0
    sd = np.sqrt(1 - rho**2)
    kept = []
    for i in range(n):
        x = rng.normal(rho * y, sd)
        y = rng.normal(rho * x, sd)
        if i >= burn:
            kept.append((x, y))
    chain = np.array(kept)
    return np.corrcoef(chain.T), chain.mean(axis=0)


@program(lambda: (np.random.default_rng(3), np.zeros(2), 0.15, 8, 12))
def hamiltonian(rng, q, eps, leaps, n):
    precision = np.linalg.inv(np.array([[1.0, 0.6], [0.6, 2.0]]))

    def potential(v):
        return 0.5 * v @ precision @ v

    chain = []
    accepted = 0
    for _ in range(n):
        p = rng.standard_normal(2)
        q_new, p_new = q.copy(), p.copy()
        p_new -= 0.5 * eps * precision @ q_new
        for step in range(leaps):
            q_new += eps * p_new
            if step != leaps - 1:
                p_new -= eps * precision @ q_new
        p_new -= 0.5 * eps * precision @ q_new
        delta = potential(q) + 0.5 * p @ p - potential(q_new) - 0.5 * p_new @ p_new
        if rng.random() < math.exp(min(0.0, delta)):
            q = q_new
            accepted += 1
        chain.append(q)
    return np.array(chain), accepted


@program(lambda: (np.random.default_rng(4), 0.5, 1.0, 20))
def slice_sampler(rng, x, width, n):
    def f(v):
        return math.exp(-0.5 * v * v) * (1 + math.sin(3 * v) ** 2)

    out = []
    for _ in range(n):
        level = rng.uniform(0, f(x))
        left = x - rng.random() * width
        right = left + width
        while f(left) > level:
            left -= width
        while f(right) > level:
            right += width
        while True:
            candidate = rng.uniform(left, right)
            if f(candidate) > level:
                x = candidate
                break
            if candidate < x:
                left = candidate
            else:
                right = candidate
        out.append(x)
    return out


@program(lambda: (5, 20, 2.0, 3.0))
def rejection_beta(seed, n, a, b):
    rng = random.Random(seed)
    mode = (a - 1) / (a + b - 2)
    peak = mode ** (a - 1) * (1 - mode) ** (b - 1)
    out, tries = [], 0
    while len(out) < n:
        x, u = rng.random(), rng.random()
        tries += 1
        if u * peak <= x ** (a - 1) * (1 - x) ** (b - 1):
            out.append(x)
    return out, n / tries


@program(lambda: (np.random.RandomState(6), 12))
def box_muller_polar(rs, pairs):
    values = []
    spare = None
    while len(values) < 2 * pairs:
        if spare is not None:
            values.append(spare)
            spare = None
            continue
        while True:
            u, v = 2 * rs.rand() - 1, 2 * rs.rand() - 1
            s = u * u + v * v
            if 0 < s < 1:
                break
        factor = math.sqrt(-2 * math.log(s) / s)
        values.append(u * factor)
        spare = v * factor
    return values


@program(lambda: (np.random.default_rng(7), np.array([0.1, 0.2, 0.3, 0.4]), 15))
def alias_method(rng, weights, draws):
    n = len(weights)
    scaled = weights * n
    prob, alias = np.zeros(n), np.zeros(n, dtype=int)
    small = [i for i in range(n) if scaled[i] < 1]
    large = [i for i in range(n) if scaled[i] >= 1]
    while small and large:
        s, g = small.pop(), large.pop()
        prob[s], alias[s] = scaled[s], g
        scaled[g] -= 1 - scaled[s]
        (small if scaled[g] < 1 else large).append(g)
    for i in large + small:
        prob[i] = 1.0
    out = np.zeros(n, dtype=int)
    for _ in range(draws):
        i = rng.integers(n)
        out[i if rng.random() < prob[i] else alias[i]] += 1
    return prob, alias, out


@program(lambda: (np.random.default_rng(8), 20, 4.0), lambda: (np.random.default_rng(8), 20, 0.5))
def poisson_knuth(rng, n, rate):
    limit = math.exp(-rate)
    counts = []
    for _ in range(n):
        k, p = 0, 1.0
        while True:
            p *= rng.random()
            if p <= limit:
                break
            k += 1
        counts.append(k)
    return counts


@program(lambda: (np.random.default_rng(9), np.array([3.1, 2.9, 3.4, 3.0, 2.7]), 30))
def gibbs_normal_unknown_variance(rng, data, n):
    mu, tau = 0.0, 1.0
    trace = np.zeros((n, 2))
    for i in range(n):
        precision = 0.01 + len(data) * tau
        mu = rng.normal(tau * data.sum() / precision, 1 / np.sqrt(precision))
        tau = rng.gamma(2 + len(data) / 2, 1 / (1 + 0.5 * ((data - mu) ** 2).sum()))
        trace[i] = mu, tau
    return trace.mean(axis=0), np.percentile(trace[:, 0], [2.5, 97.5])


@program(lambda: (10, [1.0, 0.5, 0.2], 12))
def parallel_tempering(seed, betas, n):
    rng = np.random.default_rng(seed)
    states = [0.0] * len(betas)
    swaps = 0

    def energy(x):
        return (x * x - 4) ** 2 / 4

    for _ in range(n):
        for k, beta in enumerate(betas):
            trial = states[k] + rng.normal()
            if rng.random() < np.exp(min(0.0, -beta * (energy(trial) - energy(states[k])))):
                states[k] = trial
        k = int(rng.integers(len(betas) - 1))
        d = (betas[k] - betas[k + 1]) * (energy(states[k]) - energy(states[k + 1]))
        if math.log(rng.random()) < d:
            states[k], states[k + 1] = states[k + 1], states[k]
            swaps += 1
    return states, swaps


@program(lambda: (np.random.default_rng(11), np.array([0.3, 0.9, 1.7, 2.2, 2.1, 3.0]), 40))
def particle_filter(rng, observations, n):
    particles = rng.normal(0, 1, n)
    means = []
    for z in observations:
        particles = particles + 0.5 + rng.normal(0, 0.2, n)
        w = np.exp(-0.5 * ((z - particles) / 0.3) ** 2)
        w /= w.sum()
        means.append(float(w @ particles))
        if 1 / (w**2).sum() < n / 2:
            positions = (rng.random() + np.arange(n)) / n
            cumulative = np.cumsum(w)
            cumulative[-1] = 1.0
            indices = np.zeros(n, dtype=int)
            i = j = 0
            while i < n:
                if positions[i] < cumulative[j]:
                    indices[i] = j
                    i += 1
                else:
                    j += 1
            particles = particles[indices]
    return means, particles.std()
