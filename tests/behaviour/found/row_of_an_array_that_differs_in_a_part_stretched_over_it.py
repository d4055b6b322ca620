"""The rows of an array, all equal to one of its rows, were taken for the array itself in another order."""

import numpy as np


def f(a, i, k):
    x = a + 1
    x[i] = 5.0
    y = a * 2
    y[:, i] = 7.0
    return np.broadcast_to(x[k], x.shape) + 0.5, np.broadcast_to(y[:, k : k + 1], y.shape) * 2


ARGSETS = ((np.arange(300.0).reshape(10, 30), 3, 2), (np.arange(300.0).reshape(10, 30), 4, 4))
