"""An array that a condition has chosen and the array itself, both changed in a loop, did not see each other's changes."""

import numpy as np


def f(n, a, b):
    y = a if n > 1 else b
    for _ in range(n):
        y += 1
        a += 2
    z = a if n > 2 else b
    for _ in range(n):
        a += 1
        z = z * 2
    return y + 0, z + 0


ARGSETS = (
    (0, np.arange(3.0), np.arange(3.0) * 10),
    (1, np.arange(3.0), np.arange(3.0) * 10),
    (2, np.arange(3.0), np.arange(3.0) * 10),
    (3, np.arange(3.0), np.arange(3.0) * 10),
)
