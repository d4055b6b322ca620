"""How long the rewriting of a function takes: `python -m benchmarks.rewriting [--profile]`.

The function is about 100 lines of nested loops, branches, exits and helpers. Each round rewrites a copy of its code
object, so nothing is kept from the round before; the first one is told apart, and so is the import of libcst.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,var-annotated"

from __future__ import annotations

import argparse
import cProfile
import importlib
import inspect
import pstats
import statistics
import time
import types

import numpy as np

from anabranch.runtime.control.calls.counterparts import counterpart
from anabranch.transpile import rewrite


def simulate(positions, masses, charges, options, steps, step, tolerance, seed=12345, report=False):
    """Particles with collisions, absorption at a wall, and an adaptive step; a program of about a hundred lines."""
    count = positions.shape[0]
    velocities = np.zeros_like(positions)
    forces = np.zeros_like(positions)
    energies = []
    best = None
    absorbed = 0
    collisions = 0
    state = seed
    elapsed = 0.0

    def softened(distance, softening=1e-3):
        if distance < softening:
            return softening
        return distance

    def pair(i, j):
        gap = positions[j] - positions[i]
        distance = softened(np.sqrt((gap * gap).sum()))
        force = charges[i] * charges[j] / distance**3
        return force if masses[i] > 0 and masses[j] > 0 else 0.0

    for n in range(steps):
        # All forces, pair by pair.
        forces[:] = 0.0
        for i in range(count):
            if masses[i] <= 0:
                continue
            for j in range(i + 1, count):
                strength = pair(i, j)
                if abs(strength) < tolerance:
                    continue
                forces[i] -= strength * (positions[j] - positions[i])
                forces[j] += strength * (positions[j] - positions[i])
        largest = 0.0
        for i in range(count):
            size = np.sqrt((forces[i] ** 2).sum())
            largest = max(largest, size / masses[i] if masses[i] > 0 else 0.0)
        if largest > 1 / tolerance:
            raise FloatingPointError("the forces have run away")
        elif largest * step > 1.0:
            taken = 0.5 * step / largest
        else:
            taken = step
        # The step itself.
        for i in range(count):
            if not masses[i] > 0:
                continue
            velocities[i] += taken * forces[i] / masses[i]
            positions[i] += taken * velocities[i]
            for axis in range(positions.shape[1]):
                place = positions[i, axis]
                if place < 0.0 or place > options["size"]:
                    if options["absorbing"]:
                        masses[i] = 0.0
                        absorbed += 1
                        break
                    velocities[i, axis] = -velocities[i, axis]
                    positions[i, axis] = min(max(place, 0.0), options["size"])
        # Random kicks, from a small generator of numbers.
        kicked = 0
        while kicked < options["kicks"]:
            state = (1103515245 * state + 12345) % 2147483648
            victim = state % count
            kicked += 1
            if masses[victim] <= 0:
                continue
            partner = (victim + 1) % count
            gap = positions[victim] - positions[partner]
            if (gap**2).sum() < tolerance and masses[partner] > 0:
                velocities[victim], velocities[partner] = velocities[partner].copy(), velocities[victim].copy()
                collisions += 1
                if collisions > options["most"]:
                    return positions, velocities, energies, best, absorbed, collisions
            velocities[victim] *= 1.0 + 1e-3 * (state / 2147483648 - 0.5)
        energy = 0.0
        for i in range(count):
            energy += 0.5 * masses[i] * (velocities[i] ** 2).sum()
            for j in range(i):
                energy += charges[i] * charges[j] / softened(np.abs(positions[i] - positions[j]).max())
        if best is None or energy < best:
            best = energy
        if report and n % 10 == 0:
            print("step", n, "energy", energy)
        if len(energies) > 1 and abs(energies[-1] - energy) < tolerance * abs(energy):
            break
        energies.append(energy)
        elapsed += taken
    else:
        best = energy if best is None else best
    return positions, velocities, energies, best, absorbed, collisions


def milliseconds() -> float:
    """Processor time of one rewriting of a fresh copy of the function."""
    fresh = types.FunctionType(simulate.__code__.replace(), simulate.__globals__, "simulate")
    start = time.process_time()
    rewrite(fresh, counterpart)
    return 1e3 * (time.process_time() - start)


def main() -> None:
    """Print the times; with `--profile`, where they go."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--profile", action="store_true", help="show where the time goes")
    options = parser.parse_args()
    start = time.process_time()
    importlib.import_module("anabranch.transpile.rewriter")
    loaded = 1e3 * (time.process_time() - start)
    first = milliseconds()
    times = [milliseconds() for _ in range(options.rounds)]
    lines = len(inspect.getsource(simulate).splitlines())
    print(f"{lines} lines; importing the rewriter {loaded:.0f} ms, the first rewriting {first:.1f} ms,")
    print(f"then {min(times):.1f} ms at best, {statistics.median(times):.1f} ms in the middle of {len(times)}")
    if options.profile:
        with cProfile.Profile() as profile:
            for _ in range(5):
                milliseconds()
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    main()
