"""An exception whose words name two sizes, on its way while a handler raises another, ended in a StopIteration."""

import numpy as np


def f(n, g):
    try:
        g[g > 0] = -g[g > n]
        n = (1, 2, n).index(3)
    except:
        if n > 9:
            k = n
        n = k
    return n


ARGSETS = (
    (0, np.array([1.0, 2.0, -1.0])),
    (3, np.array([1.0, 2.0, -1.0])),
    (1, np.array([1.0, 2.0, -1.0])),
)
