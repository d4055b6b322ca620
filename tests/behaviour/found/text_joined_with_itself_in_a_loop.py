"""The knowledge of a text that a loop joins with itself doubled with each attempt to trace the loop."""

import numpy as np


def f(n, c):
    s = "a" if n > 2 else "High Up"
    for _ in c:
        s = "-".join((s, s))
    return s


ARGSETS = (
    (3, np.zeros(2)),
    (1, np.zeros(2)),
)
