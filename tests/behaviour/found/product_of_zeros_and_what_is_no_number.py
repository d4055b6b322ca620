"""The product of a vector that is 0 but in a part was the sum over that part, whatever the other vector is elsewhere."""

import numpy as np


def f(a, k):
    x = np.zeros(100)
    x[:k] = 1.0
    y = np.ones(100)
    y[k + 10 :] = np.inf
    return x @ a, a @ x, x @ y, x[:k] @ a[:k]


ARGSETS = (
    (np.where(np.arange(100) == 50, np.nan, 1.0), 5),
    (np.where(np.arange(100) == 50, -np.inf, 2.0), 60),
)
