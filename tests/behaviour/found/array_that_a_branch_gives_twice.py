"""XLA put two results of a branch in one place, where the branch gives one array of a loop under two names."""

import numpy as np


def f(n, a, b):
    y = a[:]
    for _ in range(n):
        a *= 2
    if n > 1:
        a += 1
        y = y + a
        b[0] = 9
    return n, a, b, y


ARGSETS = (
    (0, np.arange(4.0), np.arange(4.0) * 10),
    (1, np.arange(4.0), np.arange(4.0) * 10),
    (2, np.arange(4.0), np.arange(4.0) * 10),
)
