"""A view that a loop makes longer did not see what the first step wrote to its memory, and lost what it wrote itself."""

import numpy as np


def f(a, k, n):
    z = a[::2][:k]
    y = a[:k]
    for i in range(n):
        a[0] += 5
        z = np.concatenate([z, z[:1]])
        y[0] += 1
        a[1] = 7
        y = np.append(y, z[0])
    return z, y, a


ARGSETS = (
    (np.array([1.0, 2.0, 3.0, 4.0]), 3, 0),
    (np.array([1.0, 2.0, 3.0, 4.0]), 3, 1),
    (np.array([1.0, 2.0, 3.0, 4.0]), 3, 3),
)
