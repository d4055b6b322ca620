"""XLA put two results of a branch in one place, where another branch gives an array under two names."""

import numpy as np


def f(n, a, b):
    y = a if n > 1 else b
    z = b if n > 2 else y
    for k in range(n):
        if y[1] < b[2]:
            z = z.reshape(2, 2).T.reshape(4)
            b[::-1] += z
        else:
            z[n % 4] -= 2
        b[k % 4] += 5
    return n, a, b, y, z


ARGSETS = (
    (0, np.arange(4.0), np.arange(4.0) * 10),
    (1, np.arange(4.0), np.arange(4.0) * 10),
    (2, np.arange(4.0), np.arange(4.0) * 10),
    (3, np.arange(4.0), np.arange(4.0) * 10),
)
