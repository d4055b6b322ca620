"""In `einsum` an axis of one element, which stands for any size, was refused beside one of run-time length."""

import numpy as np


def f(a, b, c):
    x = a[a > 2]
    return np.einsum("i,i", x, b), np.einsum("i,ij->j", x, c), np.einsum("...,...", x, b), np.einsum("i,i->i", b, x)


ARGSETS = ((np.arange(8.0), np.array([3.0]), np.ones((1, 4))), (np.arange(4.0), np.array([3.0]), np.ones((1, 4))))
