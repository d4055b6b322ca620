"""A list, a dict or an array that an exception carried was a copy in the handler: writes were lost, and `is` was false."""

import numpy as np


class Full(Exception):
    def __init__(self, items):
        super().__init__("full")
        self.items = items


def f(x, best):
    out = []
    counts = {"n": x[0]}
    try:
        for v in x:
            out.append(v)
            counts["n"] += 1
            best[0] += v
            if v > 2:
                raise Full(out)
            if v < 0:
                raise KeyError(counts, best)
    except Full as full:
        full.items.append(-1)
        return out, full.items is out, len(full.items)
    except KeyError as error:
        error.args[0]["n"] = 0
        best[1] = 7
        error.args[1][0] *= 2
        return counts, error.args[1].sum(), error.args[1] is best
    return out, counts


ARGSETS = (
    (np.array([1, 3, 5]), np.zeros(2)),
    (np.array([1, -3, 5]), np.zeros(2)),
    (np.array([1, 2, 0]), np.zeros(2)),
)
