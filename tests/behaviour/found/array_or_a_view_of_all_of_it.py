"""Where one branch bound a name to a view of all of an argument, the argument itself was returned for it."""

import numpy as np


def f(n, g):
    match 0 < n:
        case True:
            g[-3] += 1.0
        case _:
            g = g.reshape(-1)
    return n, g


ARGSETS = (
    (0, np.array([0.0, 0.0, 0.0], dtype=np.float32)),
    (1, np.array([0.0, 0.0, 0.0], dtype=np.float32)),
)
