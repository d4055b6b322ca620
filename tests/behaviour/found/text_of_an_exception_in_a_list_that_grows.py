"""The text of an exception, appended to a list that a loop of many steps fills, was an inner AssertionError."""

import numpy as np


def f(a, n):
    out = []
    try:
        for i in range(n):
            out.append(a[i])
        if n > 2:
            raise ValueError(n, out)
    except (IndexError, ValueError) as e:
        out.append(str(e))
    return out


ARGSETS = (
    (np.arange(3), 5),
    (np.arange(9), 4),
    (np.arange(9), 2),
)
