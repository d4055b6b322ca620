"""A failure that is caught in a `finally`, or a handler, gave its index to the exception that was pending."""

import numpy as np


def f(n, z, c):
    try:
        try:
            z[n - 9] = 6
        except IndexError:
            try:
                n = int(c[n + 20])
            except IndexError:
                n += 1
            raise
    finally:
        for _ in range(2):
            try:
                n = int(c[n])
            except IndexError:
                c = c + 1
    return n, c


ARGSETS = (
    (8, np.ones(3), np.ones(3)),
    (3, np.ones(3), np.ones(3)),
    (20, np.ones(3), np.ones(3)),
)
