"""A number of NumPy's compares itself with the items of a tuple, but a table whose keys are tuples never asks it."""

import numpy as np


def f(ks, n):
    d = {(n, 1): 2, (n, 2): 3, 5: 4}
    grown = {}
    for k in ks.tolist():
        grown[(k, n)] = k
    members = {(n, n), (1, 2)}
    first = ks[0]
    return first in d, n in d, (first, 1) in d, first in grown, (first, n) in grown, first in members, (1, 2) in members


ARGSETS = (
    (np.array([1, 0]), 0),
    (np.array([5, 5]), 2),
)
