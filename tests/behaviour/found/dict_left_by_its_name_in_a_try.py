"""The writes of a `try` to a dict were undone where the body binds the name to another one afterwards."""

import numpy as np


def f(n, table, items):
    try:
        n = 4 // (1 - n)
        table["p"] = 0.0
        items.append(n)
        table, items = {"p": n, "q": 2.0}, [n]
    except ZeroDivisionError:
        table["q"] = -1.0
    return n, table["p"], items


ARGSETS = (
    (0, {"p": 0.5, "q": 0.25}, [1, 2]),
    (1, {"p": 0.5, "q": 0.25}, [1, 2]),
    (3, {"p": 0.5, "q": 0.25}, [1, 2]),
)
