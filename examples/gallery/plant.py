"""A plant grown from a rule.

A Lindenmayer system: each symbol is replaced by a list of symbols, again and again, and a turtle walks the result.
Lists that grow, and a stack of tuples.
"""

from __future__ import annotations

import math

import numpy as np
from picture import run, whole

from anabranch import jit

FORWARD, GROW, LEFT, RIGHT, PUSH, POP = range(6)
RULE = [FORWARD, LEFT, PUSH, PUSH, GROW, POP, RIGHT, GROW, POP, RIGHT]
RULE += [FORWARD, PUSH, RIGHT, FORWARD, GROW, POP, LEFT, GROW]


# More room from the start: each time that a list outgrows its capacity, the function is compiled again.
@jit(capacity=8192)
def grown(rule, times):
    symbols = [GROW]
    for _ in range(times):
        after = []
        for symbol in symbols:
            if symbol == GROW:
                for new in rule:
                    after.append(new)
            elif symbol == FORWARD:
                after.append(FORWARD)
                after.append(FORWARD)
            else:
                after.append(symbol)
        symbols = after
    return symbols


@jit
def walked(symbols, angle):
    """The ends of each line that the turtle draws."""
    x, y, direction = 0.0, 0.0, math.pi / 2
    stack = []
    lines = []
    for symbol in symbols:
        if symbol == FORWARD:
            to_x, to_y = x + math.cos(direction), y + math.sin(direction)
            lines.append((x, y, to_x, to_y))
            x, y = to_x, to_y
        elif symbol == LEFT:
            direction += angle
        elif symbol == RIGHT:
            direction -= angle
        elif symbol == PUSH:
            stack.append((x, y, direction))
        elif symbol == POP:
            x, y, direction = stack.pop()
    return lines


def compute():
    symbols = grown(RULE, 5)
    lines = walked(symbols, math.radians(24.0))
    print(f"{len(symbols)} symbols, {len(lines)} lines")
    return np.array(lines)


def draw(figure, lines):
    axes = whole(figure)
    ends = lines.reshape(-1, 2, 2)
    gap = np.full((len(ends), 1, 2), np.nan)
    path = np.concatenate([ends, gap], axis=1).reshape(-1, 2)
    axes.plot(path[:, 0], path[:, 1], color="#2f6b2f", linewidth=0.6)
    axes.set_aspect("equal")


if __name__ == "__main__":
    run(compute, draw)
