"""`sum` and `reduce` of a list that each step replaces, with another name for the first, raised a TypeError of `reduce`."""

import functools


def f(n):
    a = []
    first = a
    for _ in range(n):
        a = a + [sum(a) + functools.reduce(lambda x, y: x + y, a, 1)]
    return a, first, a is first


ARGSETS = ((2,), (0,), (3,))
