"""An index that is out of range of a list that grows later named the list by a class of anabranch's own."""

import numpy as np


def f(k, items):
    v = items[k[0]]
    if k[1] > 2:
        items.append(2)
    return v, items


ARGSETS = (
    (np.array([0, 3]), [1]),
    (np.array([5, 3]), [1]),
)
