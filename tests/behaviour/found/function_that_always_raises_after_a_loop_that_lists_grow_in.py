"""The orders of the axes of results were asked for where none is ever returned."""

import numpy as np


def half(k):
    if k % 2:
        raise ValueError(k)
    return k // 2


def f(a, l):
    m = []
    while a[0] > 4:
        l.append(0)
    half(1)
    return m


ARGSETS = ((np.array([3.0]), [2, 5]), (np.array([4.0]), []))
