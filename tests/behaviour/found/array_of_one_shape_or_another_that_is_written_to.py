"""An array that a branch makes of one shape or another was no array where it was written to as `out=`."""

import numpy as np


def f(c, b, i):
    if i > 0:
        x = c * 2
    else:
        x = c - b
    np.floor(x, out=x)
    np.add(c, 1, out=x)
    np.cumsum(x, axis=0, out=x)
    return x


ARGSETS = (
    (np.arange(16.0).reshape(2, 1, 8), np.ones((3, 8)), 0),
    (np.arange(16.0).reshape(2, 1, 8), np.ones((3, 8)), 1),
)
