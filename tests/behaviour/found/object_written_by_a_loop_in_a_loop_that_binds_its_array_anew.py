"""The writes of an inner loop to an argument were lost, where the outer one makes the written array anew."""

import numpy as np


class Box:
    def __init__(self, v):
        self.v = v


def f(n, a, b, o):
    y = a[:]
    p = o
    for _ in range(n + 1):
        for _ in range(2):
            o.v = a
            o = Box(y)
        y[0] = 4
        a = a * 2
    return a, p.v


ARGSETS = (
    (0, np.arange(4.0), np.arange(4.0) * 10, Box(np.arange(4.0) * 10)),
    (2, np.arange(4.0), np.arange(4.0) * 10, Box(np.arange(4.0) * 10)),
)
