"""An index that is out of range of a deque that grows later named the deque by a class of anabranch's own."""

import collections

import numpy as np


def f(k, items):
    items[int(k[0])] = 5
    if k[1] > 2:
        items.append(2)
    return items


ARGSETS = (
    (np.array([0, 3]), collections.deque([1])),
    (np.array([5, 3]), collections.deque([1])),
)
