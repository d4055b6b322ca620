"""Epidemic, one event at a time.

Gillespie's algorithm for infections and recoveries: a loop whose length only chance decides, and lists that grow with
it.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


@jit
def outbreak(rng, people, infected, spread, recovery):
    """Times of the events, and how many are healthy and infected after each."""
    healthy = people - infected
    time = 0.0
    times, healthies, infecteds = [0.0], [healthy], [infected]
    while infected > 0:
        infections = spread * healthy * infected / people
        recoveries = recovery * infected
        time += rng.exponential() / (infections + recoveries)
        if rng.random() * (infections + recoveries) < infections:
            healthy -= 1
            infected += 1
        else:
            infected -= 1
        times.append(time)
        healthies.append(healthy)
        infecteds.append(infected)
    return times, healthies, infecteds


def compute():
    rng = np.random.default_rng(20)
    runs = [outbreak(rng, 1000, 5, 0.5, 0.2) for _ in range(12)]
    sizes = [1000 - healthies[-1] for _, healthies, _ in runs]
    print(f"{min(sizes)} to {max(sizes)} of 1000 people fell ill in {len(runs)} runs")
    return runs


def draw(figure, runs):
    axes = figure.add_subplot()
    for times, healthies, infecteds in runs:
        axes.plot(times, healthies, color="C0", linewidth=0.7, alpha=0.7)
        axes.plot(times, infecteds, color="C3", linewidth=0.7, alpha=0.7)
    axes.set_xlabel("days")
    axes.set_ylabel("people")
    axes.plot([], [], color="C0", label="healthy")
    axes.plot([], [], color="C3", label="infected")
    axes.legend()
    axes.grid(alpha=0.3)


if __name__ == "__main__":
    run(compute, draw)
