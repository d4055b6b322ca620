"""Physics."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.science.table import program


@program(lambda: (8, 2.27, 3, 0), lambda: (6, 1.0, 4, 1))
def ising(size, temperature, sweeps, seed):
    rng = np.random.default_rng(seed)
    spins = rng.choice(np.array([-1, 1]), size=(size, size))
    magnetisation = []
    for _ in range(sweeps):
        for _ in range(size * size):
            i, j = rng.integers(size), rng.integers(size)
            s = spins[(i + 1) % size, j] + spins[i - 1, j] + spins[i, (j + 1) % size] + spins[i, j - 1]
            delta = 2 * spins[i, j] * s
            if delta <= 0 or rng.random() < np.exp(-delta / temperature):
                spins[i, j] *= -1
        magnetisation.append(abs(spins.mean()))
    return spins, magnetisation


@program(lambda: (np.exp(-((np.linspace(-1, 1, 21)) ** 2) / 0.1), 0.4, 1e-3, 150))
def heat_until_flat(u, r, tol, max_steps):
    for step in range(max_steps):
        new = u.copy()
        new[1:-1] = u[1:-1] + r * (u[2:] - 2 * u[1:-1] + u[:-2])
        new[0], new[-1] = new[1], new[-2]
        if np.max(np.abs(new - u)) < tol:
            return new, step
        u = new
    return u, max_steps


@program(lambda: (20, 30, 0.5))
def wave_on_a_string(n, steps, courant):
    x = np.linspace(0, 1, n)
    previous = np.sin(np.pi * x) * (x < 0.5)
    current = previous.copy()
    energy = []
    for _ in range(steps):
        following = np.zeros(n)
        for i in range(1, n - 1):
            laplacian = current[i + 1] - 2 * current[i] + current[i - 1]
            following[i] = 2 * current[i] - previous[i] + courant**2 * laplacian
        previous, current = current, following
        energy.append(((current - previous) ** 2).sum())
    return current, energy[-1]


@program(lambda: (np.random.default_rng(0).normal(size=(5, 3)), np.zeros((5, 3)), np.arange(1.0, 6.0), 0.01, 12))
def n_body(pos, vel, mass, dt, steps):
    n = len(mass)
    for _ in range(steps):
        acc = np.zeros_like(pos)
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                d = pos[j] - pos[i]
                acc[i] += mass[j] * d / (d @ d + 0.05) ** 1.5
        vel += dt * acc
        pos += dt * vel
    kinetic = 0.5 * (mass * (vel**2).sum(axis=1)).sum()
    return kinetic, (mass[:, None] * vel).sum(axis=0).round(12)


@program(lambda: ({"sun": [0.0, 0.0, 0.0, 0.0, 1000.0], "earth": [10.0, 0.0, 0.0, 10.0, 1.0]}, 0.01, 25))
def solar_system_dict(bodies, dt, steps):
    for _ in range(steps):
        forces = {}
        for name, (x, y, _, _, m) in bodies.items():
            fx = fy = 0.0
            for other, (ox, oy, _, _, om) in bodies.items():
                if other == name:
                    continue
                dx, dy = ox - x, oy - y
                r = math.hypot(dx, dy)
                f = m * om / r**2
                fx += f * dx / r
                fy += f * dy / r
            forces[name] = fx, fy
        for name, body in bodies.items():
            fx, fy = forces[name]
            body[2] += fx / body[4] * dt
            body[3] += fy / body[4] * dt
            body[0] += body[2] * dt
            body[1] += body[3] * dt
    return bodies


@program(lambda: (np.random.default_rng(2), 40, 15), lambda: (np.random.default_rng(3), 10, 15))
def random_walk_2d(rng, steps, walkers):
    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    position = np.zeros((walkers, 2), dtype=int)
    squared = np.zeros(steps)
    for t in range(steps):
        position += moves[rng.integers(0, 4, walkers)]
        squared[t] = (position**2).sum(axis=1).mean()
    slope = np.polyfit(np.arange(1, steps + 1), squared, 1)[0]
    return np.round(slope, 9), squared


@program(lambda: (6, 0.6, 1), lambda: (6, 0.3, 1))
def percolation(size, p, seed):
    rng = np.random.default_rng(seed)
    opened = rng.random((size, size)) < p
    reached = np.zeros_like(opened)
    stack = [(0, j) for j in range(size) if opened[0, j]]
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= size or j >= size or reached[i, j] or not opened[i, j]:
            continue
        reached[i, j] = True
        stack += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
    return reached[-1].any(), reached.sum()


@program(lambda: (6, 12, 5, 0.8))
def lattice_boltzmann(ny, nx, steps, tau):
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    solid = np.zeros((ny, nx), dtype=bool)
    solid[2:4, 4] = True
    f = np.ones((9, ny, nx)) * w[:, None, None]
    f[1] += 0.05
    for _ in range(steps):
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], cx[k], axis=1), cy[k], axis=0)
        bounced = f[:, solid][opposite]
        rho = f.sum(axis=0)
        ux = (f * cx[:, None, None]).sum(axis=0) / rho
        uy = (f * cy[:, None, None]).sum(axis=0) / rho
        for k in range(9):
            cu = cx[k] * ux + cy[k] * uy
            equilibrium = rho * w[k] * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * (ux**2 + uy**2))
            f[k] += (equilibrium - f[k]) / tau
        f[:, solid] = bounced
    return rho, ux.mean()


@program(lambda: (50.0, 45.0, 0.02, 0.02), lambda: (20.0, 60.0, 0.0, 0.02))
def projectile_with_drag(speed, angle, drag, dt):
    vx = speed * math.cos(math.radians(angle))
    vy = speed * math.sin(math.radians(angle))
    x = y = t = highest = 0.0
    while True:
        v = math.sqrt(vx * vx + vy * vy)
        vx -= drag * v * vx * dt
        vy -= (9.81 + drag * v * vy) * dt
        x_new, y_new = x + vx * dt, y + vy * dt
        if y_new < 0:
            fraction = y / (y - y_new)
            return x + fraction * (x_new - x), t + fraction * dt, highest
        x, y, t = x_new, y_new, t + dt
        highest = max(highest, y)


@program(lambda: (0.5, 1.5, 4.0, 25), lambda: (0.5, 1.5, 0.5, 25))
def quantum_well_levels(width, mass, depth, grid):
    def mismatch(e):
        k = math.sqrt(2 * mass * e)
        kappa = math.sqrt(2 * mass * (depth - e))
        return k * math.tan(k * width) - kappa

    levels = []
    previous = mismatch(1e-6)
    for i in range(1, grid):
        e = depth * i / grid
        value = mismatch(e)
        if previous < 0 < value and value - previous < 50:
            lo, hi = depth * (i - 1) / grid + 1e-6, e
            while hi - lo > 1e-10:
                mid = 0.5 * (lo + hi)
                if mismatch(mid) < 0:
                    lo = mid
                else:
                    hi = mid
            levels.append(lo)
        previous = value
    return levels


@program(lambda: (9, 1e-4), lambda: (7, 1e-3))
def laplace_capacitor(n, tol):
    v = np.zeros((n, n))
    fixed = np.zeros((n, n), dtype=bool)
    v[n // 3, 2:-2], v[2 * n // 3, 2:-2] = 1.0, -1.0
    fixed[n // 3, 2:-2] = fixed[2 * n // 3, 2:-2] = True
    sweeps = 0
    while True:
        worst = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                if fixed[i, j]:
                    continue
                new = 0.25 * (v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1])
                worst = max(worst, abs(new - v[i, j]))
                v[i, j] = new
        sweeps += 1
        if worst < tol:
            return v, sweeps


@program(lambda: ([(1.0, 0.0), (1.5, 30.0), (1.33, None)], 40.0), lambda: ([(1.5, 0.0), (1.0, 10.0)], 60.0))
def refraction_through_layers(layers, angle):
    theta = math.radians(angle)
    offset, path = 0.0, []
    for (n1, _), (n2, thickness) in zip(layers, layers[1:]):
        s = n1 * math.sin(theta) / n2
        if abs(s) > 1:
            path.append("total reflection")
            break
        theta = math.asin(s)
        path.append(math.degrees(theta))
        if thickness is not None:
            offset += thickness * math.tan(theta)
    return path, offset


@program(lambda: (np.random.default_rng(4), 30, 9))
def diffusion_limited_aggregation(rng, particles, size):
    grid = np.zeros((size, size), dtype=np.int8)
    grid[size // 2, size // 2] = 1
    stuck = 0
    for _ in range(particles):
        y, x = int(rng.integers(1, size - 1)), int(rng.integers(1, size - 1))
        for _ in range(30):
            if grid[y - 1 : y + 2, x - 1 : x + 2].any():
                grid[y, x] = 1
                stuck += 1
                break
            y = min(max(y + int(rng.integers(-1, 2)), 1), size - 2)
            x = min(max(x + int(rng.integers(-1, 2)), 1), size - 2)
    return stuck, grid


@program(lambda: (5, 60, 2.0), lambda: (4, 30, 3.0))
def coupled_pendulums(n, steps, stiffness):
    theta = np.zeros(n)
    omega = np.zeros(n)
    theta[0] = 1.0
    trace = []
    for step in range(steps):
        torque = -np.sin(theta)
        torque[:-1] += stiffness * (theta[1:] - theta[:-1])
        torque[1:] -= stiffness * (theta[1:] - theta[:-1])
        omega += 0.05 * torque
        theta += 0.05 * omega
        if step % 10 == 0:
            trace.append(int(np.argmax(np.abs(theta))))
    return trace, theta
