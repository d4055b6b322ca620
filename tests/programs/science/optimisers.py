"""Optimisation and roots."""

from __future__ import annotations

import math
import random

import numpy as np

from tests.programs.science.table import program


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def rosenbrock_gradient(x):
    return np.array([-2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] ** 2), 200 * (x[1] - x[0] ** 2)])


@program(lambda: (np.array([-0.5, 0.8]), 1e-6, 60))
def gradient_descent_backtracking(x, tol, max_iter):
    history = []
    for it in range(max_iter):
        g = rosenbrock_gradient(x)
        if np.linalg.norm(g) < tol:
            break
        step, fx = 1.0, rosenbrock(x)
        while rosenbrock(x - step * g) > fx - 1e-4 * step * (g @ g):
            step *= 0.5
            if step < 1e-12:
                return x, history, "line search failed"
        x = x - step * g
        history.append(fx)
    return x, history, it


@program(lambda: ([-1.0, 1.0], 60))
def nelder_mead(start, max_iter):
    n = len(start)
    simplex = [np.array(start)]
    for i in range(n):
        p = np.array(start)
        p[i] += 0.5
        simplex.append(p)
    for _ in range(max_iter):
        simplex.sort(key=rosenbrock)
        best, worst, second = simplex[0], simplex[-1], simplex[-2]
        centroid = sum(simplex[:-1]) / n
        reflected = centroid + (centroid - worst)
        if rosenbrock(reflected) < rosenbrock(best):
            expanded = centroid + 2 * (centroid - worst)
            simplex[-1] = expanded if rosenbrock(expanded) < rosenbrock(reflected) else reflected
        elif rosenbrock(reflected) < rosenbrock(second):
            simplex[-1] = reflected
        else:
            contracted = centroid + 0.5 * (worst - centroid)
            if rosenbrock(contracted) < rosenbrock(worst):
                simplex[-1] = contracted
            else:
                simplex = [best] + [best + 0.5 * (p - best) for p in simplex[1:]]
    return min(simplex, key=rosenbrock), rosenbrock(simplex[0])


@program(lambda: (np.array([-1.2, 1.0]), 1e-8))
def bfgs(x, tol):
    h = np.eye(2)
    g = rosenbrock_gradient(x)
    iterations = 0
    while np.linalg.norm(g) > tol and iterations < 100:
        p = -h @ g
        t = 1.0
        while rosenbrock(x + t * p) > rosenbrock(x) + 1e-4 * t * g @ p:
            t /= 2
        s = t * p
        g_new = rosenbrock_gradient(x + s)
        y = g_new - g
        x, g = x + s, g_new
        sy = s @ y
        if sy > 1e-12:
            r = 1 / sy
            v = np.eye(2) - r * np.outer(s, y)
            h = v @ h @ v.T + r * np.outer(s, s)
        iterations += 1
    return np.round(x, 6), iterations


@program(lambda: (np.linspace(0, 2, 12), 2.5 * np.exp(-1.3 * np.linspace(0, 2, 12)) + 0.5, [1.0, 1.0, 0.0]))
def levenberg_marquardt(t, y, start):
    p = np.array(start)
    lam = 1e-2
    cost = np.inf
    for _ in range(30):
        e = np.exp(-p[1] * t)
        r = p[0] * e + p[2] - y
        new_cost = 0.5 * r @ r
        jac = np.column_stack([e, -p[0] * t * e, np.ones_like(t)])
        a = jac.T @ jac
        step = np.linalg.solve(a + lam * np.diag(np.diag(a)), jac.T @ r)
        trial = p - step
        tr = trial[0] * np.exp(-trial[1] * t) + trial[2] - y
        if 0.5 * tr @ tr < new_cost:
            p = trial
            lam = max(lam / 3, 1e-12)
            if abs(cost - new_cost) < 1e-14:
                break
            cost = new_cost
        else:
            lam *= 5
    return np.round(p, 6)


@program(lambda: (np.array([3.0, 2.0]), np.array([[1.0, 1.0], [1.0, 3.0], [1.0, 0.0]]), np.array([4.0, 6.0, 3.0])))
def simplex_tableau(c, a, b):
    m, n = a.shape
    tableau = np.zeros((m + 1, n + m + 1))
    tableau[:m, :n] = a
    tableau[:m, n : n + m] = np.eye(m)
    tableau[:m, -1] = b
    tableau[-1, :n] = -c
    basis = list(range(n, n + m))
    while True:
        column = int(np.argmin(tableau[-1, :-1]))
        if tableau[-1, column] >= -1e-12:
            break
        ratios = [tableau[i, -1] / tableau[i, column] if tableau[i, column] > 1e-12 else np.inf for i in range(m)]
        row = int(np.argmin(ratios))
        if ratios[row] == np.inf:
            raise ValueError("unbounded")
        tableau[row] /= tableau[row, column]
        for i in range(m + 1):
            if i != row:
                tableau[i] -= tableau[i, column] * tableau[row]
        basis[row] = column
    x = np.zeros(n + m)
    for i, j in enumerate(basis):
        x[j] = tableau[i, -1]
    return x[:n], tableau[-1, -1], basis


@program(lambda: (4, 10.0, 0.9, 60))
def simulated_annealing(seed, temperature, cooling, steps):
    rng = random.Random(seed)

    def cost(x):
        return x * x + 10 * math.sin(3 * x) + 10

    x = best = 5.0
    while steps > 0:
        candidate = x + rng.uniform(-1, 1)
        delta = cost(candidate) - cost(x)
        if delta < 0 or rng.random() < math.exp(-delta / temperature):
            x = candidate
            if cost(x) < cost(best):
                best = x
        temperature *= cooling
        steps -= 1
    return best, cost(best)


@program(lambda: (0.0, 3.0, 1e-8), lambda: (2.0, 5.0, 1e-3))
def golden_section(a, b, tol):
    def f(x):
        return (x - 2) ** 2 + 0.3 * np.cos(4 * x)

    ratio = (np.sqrt(5) - 1) / 2
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    evaluations = 2
    fc, fd = f(c), f(d)
    while b - a > tol:
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = f(d)
        evaluations += 1
    return round((a + b) / 2, 5), evaluations


@program(lambda: (lambda x: x**3 - 2 * x - 5, 2.0, 3.0), lambda: (lambda x: math.cos(x) - x, 0.0, 1.0))
def brent_by_hand(f, a, b):
    fa, fb = f(a), f(b)
    if fa * fb >= 0:
        raise ValueError("no sign change")
    if abs(fa) < abs(fb):
        a, b, fa, fb = b, a, fb, fa
    c, fc, d, bisected = a, fa, 0.0, True
    while fb != 0 and abs(b - a) > 1e-12:
        if fa != fc and fb != fc:
            s = a * fb * fc / ((fa - fb) * (fa - fc)) + b * fa * fc / ((fb - fa) * (fb - fc))
            s += c * fa * fb / ((fc - fa) * (fc - fb))
        else:
            s = b - fb * (b - a) / (fb - fa)
        middle = (3 * a + b) / 4
        if not (min(middle, b) < s < max(middle, b)) or abs(s - b) >= abs(b - (c if bisected else d)) / 2:
            s, bisected = (a + b) / 2, True
        else:
            bisected = False
        fs = f(s)
        d, c, fc = c, b, fb
        if fa * fs < 0:
            b, fb = s, fs
        else:
            a, fa = s, fs
        if abs(fa) < abs(fb):
            a, b, fa, fb = b, a, fb, fa
    return round(b, 9)


@program(lambda: (np.array([1.0, 1.0]), 1e-10))
def newton_system(x, tol):
    for i in range(30):
        f = np.array([x[0] ** 2 + x[1] ** 2 - 4, x[0] * x[1] - 1])
        jac = np.array([[2 * x[0], 2 * x[1]], [x[1], x[0]]])
        try:
            dx = np.linalg.solve(jac, -f)
        except np.linalg.LinAlgError:
            dx = -0.1 * f + np.array([0.1, 0.0])
        x = x + dx
        if np.abs(dx).max() < tol:
            return x, i
    raise RuntimeError("did not converge")


@program(lambda: (np.random.default_rng(5), 12, 15))
def particle_swarm(rng, n, rounds):
    def cost(p):
        return (p**2 - 10 * np.cos(2 * np.pi * p) + 10).sum(axis=-1)

    x = rng.uniform(-5, 5, (n, 2))
    v = np.zeros_like(x)
    own, own_cost = x.copy(), cost(x)
    leader = own[own_cost.argmin()].copy()
    for _ in range(rounds):
        r1, r2 = rng.random((2, n, 1))
        v = 0.7 * v + 1.5 * r1 * (own - x) + 1.5 * r2 * (leader - x)
        x = np.clip(x + v, -5, 5)
        c = cost(x)
        better = c < own_cost
        own[better] = x[better]
        own_cost[better] = c[better]
        if own_cost.min() < cost(leader):
            leader = own[own_cost.argmin()].copy()
    return leader, own_cost.min()


@program(lambda: (np.random.default_rng(6), 10, 8, 12))
def genetic_onemax(rng, size, bits, generations):
    population = rng.integers(0, 2, (size, bits))
    for generation in range(generations):
        fitness = population.sum(axis=1)
        if fitness.max() == bits:
            break
        children = []
        while len(children) < size:
            i, j = rng.integers(0, size, 2)
            mother = population[i] if fitness[i] > fitness[j] else population[j]
            father = population[rng.integers(size)]
            cut = rng.integers(1, bits)
            child = np.concatenate([mother[:cut], father[cut:]])
            if rng.random() < 0.3:
                k = rng.integers(bits)
                child[k] = 1 - child[k]
            children.append(child)
        population = np.array(children)
    return generation, population.sum(axis=1).max()


@program(lambda: (np.array([[3.0, -1.0], [1.0, 2.0], [0.5, 1.5]]), 0.1, 0.9, 0.999, 40))
def adam(targets, rate, beta1, beta2, steps):
    params = {"w": np.zeros(2), "b": 0.0}
    m = {k: np.zeros_like(v) for k, v in params.items()}
    s = {k: np.zeros_like(v) for k, v in params.items()}
    for t in range(1, steps + 1):
        residual = (params["w"] + params["b"] - targets).mean(axis=0)
        grads = {"w": residual, "b": residual.sum()}
        for k in params:
            m[k] = beta1 * m[k] + (1 - beta1) * grads[k]
            s[k] = beta2 * s[k] + (1 - beta2) * grads[k] ** 2
            m_hat, s_hat = m[k] / (1 - beta1**t), s[k] / (1 - beta2**t)
            params[k] = params[k] - rate * m_hat / (np.sqrt(s_hat) + 1e-8)
    return params
