"""`ravel` in a loop copies a line with gaps in the first step, and gives the copy itself in the others."""

import numpy as np


def f(g, n):
    for _ in range(n):
        g = g.ravel()
    return g


ARGSETS = (
    (np.arange(3.0), 2),
    (np.arange(6.0)[::2], 2),
    (np.arange(6.0)[::2], 1),
)
