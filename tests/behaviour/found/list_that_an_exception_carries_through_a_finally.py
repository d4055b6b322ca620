"""An exception that passes a `finally`, or is raised anew from another, carries the lists that the handler knows."""

import numpy as np


class Stop(Exception):
    def __init__(self, items):
        super().__init__("stop")
        self.items = items


def f(x):
    out, last = [], [x[0]]
    try:
        try:
            if x[2] > 0:
                raise Stop(out)
        except KeyError:
            out.append(1)
        finally:
            out.append(7)
    except Stop as stop:
        stop.items.append(2)
        try:
            raise KeyError(last) from stop
        except KeyError as error:
            error.args[0].append(5)
            return out, stop.items is out, last, error.args[0] is last
    for v in x:
        try:
            if v > 1:
                raise Stop(out)
            out.append(v)
        except Stop as stop:
            stop.items.append(-1)
    return out, last


ARGSETS = (
    (np.array([3, 1, 5]),),
    (np.array([1, 2, -5]),),
)
