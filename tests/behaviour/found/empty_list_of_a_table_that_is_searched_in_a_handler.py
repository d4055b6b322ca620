"""A table whose items were empty lists raised a fault of the compiler's own, which the user's handler caught."""

from collections import defaultdict

import numpy as np


def f(ks, n):
    m = []
    a = []
    d = defaultdict(list)
    try:
        if (m[-1] if m else a) == a:
            d[n] = a
            m[0].clear()
    except Exception:
        if n > 1:
            a.append(a.index(n % 2))
    return a, d, ks


ARGSETS = (
    (np.array([0, 1]), 3),
    (np.array([0, 1]), 0),
)
