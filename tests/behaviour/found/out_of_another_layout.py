"""The array that is written to as `out=` was taken to lie in memory as the operands do, so that its `ravel` was no view."""

import numpy as np


def f(c, g):
    np.clip(g, 0, 2, out=c)
    line = c.ravel()
    line[0] = 99
    g.clip(1, 3, out=c[:, ::-1])
    d = np.zeros((3, 2))
    np.cumsum(g.T, axis=0, out=d)
    d.reshape(-1)[1] = 7
    return d


ARGSETS = ((np.zeros((2, 3)), np.asfortranarray(np.arange(6.0).reshape(2, 3))),)
