"""A built-in function that was called by the function of another one, such as `reduce`, was taken for its recursion."""

import functools


def f(n):
    inner = functools.reduce(lambda p, q: p + max({3, q}, default=0), range(n % 4), 1.0)
    outer = functools.reduce(lambda p, q: p * functools.reduce(lambda r, s: r + s, range(q), 1), range(n % 5), 1)
    return inner, outer


ARGSETS = (
    (1,),
    (4,),
)
