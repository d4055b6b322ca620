"""The exception that None raises beside a value of a few kinds was made by a check of that value, which always failed."""

import numpy as np


def f(ks, n):
    x = n if n > 0 else ks[0] if n > -3 else None
    y = n if n > 1 else ks[0] if n > -3 else None
    z = n if n > 1 else 2.5 if n > -3 else None
    before = x < y, x + y, x - y, divmod(x, z)
    x += y
    members = {n, 3, ks[0] % 3}
    table = {(q,): q for q in sorted(members)}
    return before, x, y, max(table, key=table.get)


ARGSETS = (
    (np.array([5, 4]), 2),
    (np.array([5, 4]), 1),
    (np.array([5, 4]), -1),
    (np.array([5, 4]), -5),
)
