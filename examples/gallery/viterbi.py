"""Loaded dice, by Viterbi's algorithm.

A player changes between a fair and a loaded die; the throws alone say when. The most probable path is found forwards
in a table and read backwards.
"""

from __future__ import annotations

import numpy as np
from picture import run

from anabranch import jit


@jit
def most_probable(throws, start, change, show):
    """The most probable states, of the logarithms of the probabilities."""
    states = len(start)
    best = start + show[:, throws[0]]
    came_from = np.zeros((len(throws), states), dtype=np.int64)
    for t in range(1, len(throws)):
        after = np.zeros(states)
        for state in range(states):
            options = best + change[:, state]
            came_from[t, state] = np.argmax(options)
            after[state] = options[came_from[t, state]] + show[state, throws[t]]
        best = after
    path = np.zeros(len(throws), dtype=np.int64)
    path[-1] = np.argmax(best)
    for t in range(len(throws) - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
    return path


def model():
    start = np.log(np.array([0.5, 0.5]))
    change = np.log(np.array([[0.97, 0.03], [0.05, 0.95]]))
    show = np.log(np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]]))
    return start, change, show


def play(count, seed):
    rng = np.random.default_rng(seed)
    start, change, show = (np.exp(part) for part in model())
    states = np.zeros(count, dtype=np.int64)
    throws = np.zeros(count, dtype=np.int64)
    for t in range(count):
        states[t] = rng.choice(2, p=start if t == 0 else change[states[t - 1]])
        throws[t] = rng.choice(6, p=show[states[t]])
    return states, throws


def compute():
    states, throws = play(400, seed=12)
    path = most_probable(throws, *model())
    print(f"{(path == states).mean():.0%} of the throws are told right")
    return states, throws, path


def draw(figure, result):
    states, throws, path = result
    axes = figure.add_subplot()
    time = np.arange(len(throws))
    axes.plot(time, throws + 1, ".", markersize=3, color="0.35")
    axes.fill_between(time, 6.6, 7.4, where=states == 1, step="mid", color="C3", alpha=0.8, linewidth=0)
    axes.fill_between(time, 7.6, 8.4, where=path == 1, step="mid", color="C0", alpha=0.8, linewidth=0)
    axes.set_yticks([1, 2, 3, 4, 5, 6, 7, 8], ["1", "2", "3", "4", "5", "6", "loaded", "told"])
    axes.set_xlabel("throw")


if __name__ == "__main__":
    run(compute, draw)
