"""Functions that are given any arguments: each asks something else of them."""

from __future__ import annotations

import numpy as np


def same(x):
    return x


def plus(x, y):
    return x + y


def chosen(x, y):
    if x:
        return x
    return y


def compared(x, y):
    return x == y, x < y


def one(x, y):
    alike = isinstance(x, (list, dict)) and x is y  # which numbers are one object is CPython's affair
    return alike, x is None


def size(x):
    return len(x)


def total(x):
    s = 0
    for v in x:
        s = s + v
    return s


def written(x, y):
    x[0] = y
    return x


def item(x, y):
    return x[y]


def kind(x):
    return isinstance(x, np.ndarray), isinstance(x, (int, float)), callable(x)


def shape(x):
    return x.shape, x.dtype.kind, x.dtype.itemsize


def shown(x):
    return f"{x}"


def summed(x):
    return np.sum(x)


def gathered(x, y):
    return np.asarray(x), np.array([x, y])


def called(x, y):
    return x(y)


def steps(x, n):
    for i in range(n):
        if i > 60:
            break
        x = x + 1
    return x


def halved(x, y):
    n = 0
    while n < 60 and x > y:
        x, n = x / 2, n + 1
    return x


def grown(x, y):
    x.append(y)
    return x


def swapped(x):
    a, b = x
    return b, a


def inside(x, y):
    return y in x


def keys(x):
    return [k + k for k in x], {k: [v] for k, v in x.items()}


def attribute(x, y):
    x.value = y
    return x


def matched(x):
    match x:
        case [a, *rest]:
            return a, rest
        case {"a": a}:
            return a
        case None:
            return 0
        case _:
            return x


def everything(*args, **kwargs):
    return args, kwargs


def by_name(x, *, y=3):
    return x, y


def by_place(x, /, y=None):
    return y, x


def kept(x, y=(1, 2)):
    return [x, y], {"x": x, 1: y}


def tried(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        return x
    except TypeError as error:
        return str(error)


PROGRAMS = {f.__name__: f for f in list(globals().values()) if getattr(f, "__module__", None) == __name__}
