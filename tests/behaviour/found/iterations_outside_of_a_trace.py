"""The rewritten source, run as plain Python: ranges and arrays under generator expressions, zip, reversed and enumerate."""

import numpy as np


def f(n, a, b):
    total = sum(v for v in range(4) if v < n)
    some = any(v > n for v in range(3))
    for i, (x, y) in enumerate(zip(reversed(a), b)):
        total += i * x * y
    for x, y in zip(range(n), a):
        total += x * y
    return total, some, list(map(lambda x, y: x - y, a, b))


ARGSETS = (
    (2, np.arange(3.0), np.ones(3)),
    (0, np.arange(3.0), np.ones(3)),
)
