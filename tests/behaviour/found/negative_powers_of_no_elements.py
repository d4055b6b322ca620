"""Integers to negative powers raised where there are no elements to be taken to them."""

import numpy as np


def f(a, m):
    return np.power(a, m), np.power.outer(a, m), m[:0] ** -1, a ** m[:1]


ARGSETS = ((np.zeros((0, 3), int), np.array([-1, -2, 3])),)
