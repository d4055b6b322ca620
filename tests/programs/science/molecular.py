"""Molecular dynamics: forces, cell lists, neighbour lists, thermostats."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np

from tests.programs.science.table import program


def _lattice(n=3, spacing=1.2, seed=0):
    rng = np.random.default_rng(seed)
    grid = np.array(list(itertools.product(range(n), repeat=2)), dtype=float) * spacing
    return grid + rng.normal(0, 0.03, grid.shape)


@program(lambda: (_lattice(), 3.6, 2.5))
def lennard_jones_forces(pos, box, cutoff):
    n = len(pos)
    forces = np.zeros_like(pos)
    energy = 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            d = pos[i] - pos[j]
            d -= box * np.round(d / box)
            r2 = d @ d
            if r2 > cutoff**2:
                continue
            inv6 = 1.0 / r2**3
            energy += 4 * (inv6 * inv6 - inv6)
            f = 24 * (2 * inv6 * inv6 - inv6) / r2 * d
            forces[i] += f
            forces[j] -= f
    return energy, forces


@program(lambda: (_lattice(4), 4.8, 1.5))
def cell_list_pairs_dict(pos, box, cutoff):
    ncell = int(box // cutoff)
    size = box / ncell
    cells = defaultdict(list)
    for i, p in enumerate(pos):
        cells[int(p[0] / size) % ncell, int(p[1] / size) % ncell].append(i)
    pairs = set()
    for (cx, cy), members in cells.items():
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for j in cells.get(((cx + dx) % ncell, (cy + dy) % ncell), ()):
                    for i in members:
                        if i < j:
                            d = pos[i] - pos[j]
                            d -= box * np.round(d / box)
                            if d @ d < cutoff**2:
                                pairs.add((i, j))
    return sorted(pairs)


@program(lambda: (_lattice(4), 4.8, 1.5))
def linked_cells(pos, box, cutoff):
    ncell = int(box / cutoff)
    head = np.full((ncell, ncell), -1)
    nxt = np.full(len(pos), -1)
    for i in range(len(pos)):
        cx, cy = (pos[i] / box * ncell).astype(int) % ncell
        nxt[i] = head[cx, cy]
        head[cx, cy] = i
    count = 0
    for cx in range(ncell):
        for cy in range(ncell):
            i = head[cx, cy]
            while i != -1:
                for dx, dy in itertools.product((-1, 0, 1), repeat=2):
                    j = head[(cx + dx) % ncell, (cy + dy) % ncell]
                    while j != -1:
                        if i < j:
                            d = pos[i] - pos[j]
                            d = d - box * np.rint(d / box)
                            if (d**2).sum() < cutoff * cutoff:
                                count += 1
                        j = nxt[j]
                i = nxt[i]
    return count


@program(lambda: (_lattice(), np.zeros((9, 2)), 3.6, 0.005, 5))
def velocity_verlet(pos, vel, box, dt, steps):
    def forces(x):
        d = x[:, None, :] - x[None, :, :]
        d -= box * np.round(d / box)
        r2 = (d**2).sum(-1)
        np.fill_diagonal(r2, np.inf)
        inv6 = r2**-3
        return (24 * (2 * inv6**2 - inv6) / r2)[:, :, None] * d, 2 * (inv6**2 - inv6).sum()

    pair, potential = forces(pos)
    f = pair.sum(axis=1)
    for _ in range(steps):
        vel += 0.5 * dt * f
        pos = (pos + dt * vel) % box
        pair, potential = forces(pos)
        f = pair.sum(axis=1)
        vel += 0.5 * dt * f
    return potential + 0.5 * (vel**2).sum(), pos, vel


@program(lambda: (_lattice(), 1.4, 0.3))
def verlet_neighbour_list(pos, cutoff, skin):
    neighbours = []
    for i in range(len(pos)):
        near = []
        for j in range(len(pos)):
            if i != j and np.linalg.norm(pos[i] - pos[j]) < cutoff + skin:
                near.append(j)
        neighbours.append(near)
    return neighbours, max(len(n) for n in neighbours)


@program(lambda: (np.random.default_rng(0), np.zeros((5, 3)), 1.5, 0.1, 0.01, 8))
def langevin(rng, vel, temperature, gamma, dt, steps):
    c = np.exp(-gamma * dt)
    kinetic = []
    for _ in range(steps):
        vel = c * vel + np.sqrt((1 - c * c) * temperature) * rng.standard_normal(vel.shape)
        kinetic.append(0.5 * np.mean(np.sum(vel**2, axis=1)))
    return vel, kinetic


@program(lambda: (np.random.default_rng(3).normal(size=(6, 3)), 1.0, 0.1, 0.02, 20))
def berendsen(vel, target, tau, dt, steps):
    vel -= vel.mean(axis=0)
    for _ in range(steps):
        temperature = (vel**2).sum() / (3 * len(vel) - 3)
        vel *= math.sqrt(1 + dt / tau * (target / temperature - 1))
        if abs(temperature - target) < 1e-3:
            break
    return vel, temperature


@program(lambda: (_lattice(4), 4.8, 12))
def radial_distribution(pos, box, bins):
    counts = [0] * bins
    r_max = box / 2
    for (i, p), (j, q) in itertools.combinations(enumerate(pos), 2):
        d = np.abs(p - q)
        d = np.minimum(d, box - d)
        r = math.hypot(*d)
        if r < r_max:
            counts[int(r / r_max * bins)] += 2
    density = len(pos) / box**2
    g = []
    for k, c in enumerate(counts):
        shell = math.pi * (((k + 1) * r_max / bins) ** 2 - (k * r_max / bins) ** 2)
        g.append(c / (shell * density * len(pos)))
    return g


@program(lambda: (np.array([[0.0, 0, 0], [1.1, 0, 0], [2.0, 0.3, 0]]), [(0, 1, 1.0), (1, 2, 1.0)], 1e-8))
def shake_constraints(pos, bonds, tol):
    for iteration in range(200):
        worst = 0.0
        for i, j, length in bonds:
            d = pos[i] - pos[j]
            diff = d @ d - length**2
            worst = max(worst, abs(diff))
            g = diff / (4 * length**2)
            pos[i] -= g * d
            pos[j] += g * d
        if worst < tol:
            break
    return iteration, worst < tol, np.round(pos, 6)


@program(lambda: ("O 0.0 0.0 0.0\nH 0.96 0.0 0.0\nH -0.24 0.93 0.0",))
def centre_of_mass_of_xyz(text):
    masses = {"H": 1.008, "O": 15.999, "C": 12.011}
    names, coordinates = [], []
    for line in text.splitlines():
        name, *xyz = line.split()
        names.append(name)
        coordinates.append([float(v) for v in xyz])
    m = np.array([masses[n] for n in names])
    r = np.array(coordinates)
    centre = (m[:, None] * r).sum(axis=0) / m.sum()
    inertia = sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r - centre))
    return centre, np.linalg.eigvalsh(inertia)


@program(lambda: (_lattice(3), 20, 0.1, 0.5, 4))
def monte_carlo_moves(pos, moves, step, temperature, seed):
    rng = np.random.RandomState(seed)

    def energy_of(i, x):
        total = 0.0
        for j in range(len(pos)):
            if j != i:
                r2 = np.sum((x - pos[j]) ** 2)
                total += 4 * (r2**-6 - r2**-3)
        return total

    accepted = 0
    for _ in range(moves):
        i = rng.randint(len(pos))
        trial = pos[i] + rng.uniform(-step, step, 2)
        delta = energy_of(i, trial) - energy_of(i, pos[i])
        if delta < 0 or rng.rand() < np.exp(-delta / temperature):
            pos[i] = trial
            accepted += 1
    return accepted, pos
