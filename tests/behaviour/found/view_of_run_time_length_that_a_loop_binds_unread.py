"""A name that a loop binds to a view of run-time length before it is set was taken apart as if it had been one: ValueError."""

import numpy as np


def f(a, b, n, v):
    for _ in range(n + 1):
        part = b[len(a) : len(a) // 2].ravel()
        a = a if v > 1 else a[:-1]
    return a, part


ARGSETS = (
    (np.array([2.0, 0.0, 2.0, -1.5, 0.5]), np.arange(5), 3, 1.5),
    (np.array([2.0, 0.0, 2.0, -1.5, 0.5]), np.arange(5), 3, 0.5),
    (np.array([2.0, 0.0]), np.arange(5), 3, 0.5),
)
