"""Of two equal members of two sets the wrong one was in what they have in common: Python keeps those of the smaller set."""

import numpy as np


def f(a):
    s = set()
    for x in a:
        s.add(x)
    small = s & {1, 2}
    large = s & {1, 2, 9, 10, 11, 12}
    given = s.intersection([1.0, 2.0, 3.0])
    return min(small), min(large), max(given)


ARGSETS = (
    (np.array([1, 2, 3, 1]),),
    (np.array([1, 2]),),
    ([2, 1, 5],),
)
