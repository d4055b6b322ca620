"""A new array that a branch puts in a list and gives a name was two arrays after it: a write to one missed the other."""

import numpy as np


def f(n, b, s):
    if n < 2:
        b = b * 2
        s[0] = b
    s[0] += 1
    b[1] = 7
    return b, s


ARGSETS = (
    (0, np.arange(3.0), [np.ones(3), np.zeros(3)]),
    (2, np.arange(3.0), [np.ones(3), np.zeros(3)]),
)
